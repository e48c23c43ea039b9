#pragma once

#include <string>

namespace quire {

/// Which calls of the tools that a prompt offers (PromptOptions::tools) its answer is, or may have.
/// The arguments of a tool whose "strict" is true fit its "parameters".
struct ToolChoice {
  /// The answer is calls and nothing else, and all arguments fit; false: text, with calls or none.
  bool is_required = false;
  std::string name = {};    ///< The only tool that may be called; empty: any of them.
  bool allows_more = true;  ///< More than one call; false: the answer ends after the first.
};

}  // namespace quire
