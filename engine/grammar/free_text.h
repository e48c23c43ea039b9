#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/grammar/grammar_builder.h"

namespace quire {

/// Writes any text that holds none of some marks (the automaton of Aho and Corasick). Where a mark
/// is completed the text ends, and what follows the mark begins.
/// Thread: one at a time. The builder outlives it.
class FreeText {
 public:
  using NodeId = grammar::NodeId;

  struct Mark {
    std::string text;
    std::optional<NodeId> to;  ///< What follows it; none: it cannot be written.
  };

  /// `nodes` are added to the rule. Marks are not empty, and none is part of another.
  FreeText(GrammarBuilder& builder, grammar::RuleId rule, std::vector<Mark> marks);

  /// Where the text begins; what leads here goes on with more text.
  NodeId start() const { return m_nodes.front(); }
  /// The text may also begin at `from`, with any byte but these.
  void add_beginning(NodeId from, std::string_view without);
  /// The text may end anywhere.
  void set_end();
  /// A special token within the text that adds nothing to it.
  void add_hidden_token(TokenId token);
  /// A special token that ends the text before `to`, or that is a part of it.
  void add_token(TokenId token, std::optional<grammar::NodeId> to = {});

 private:
  std::optional<NodeId> next(const std::string& prefix, char byte) const;
  void write(NodeId from, const std::string& prefix, std::string_view without);

  GrammarBuilder& m_builder;
  std::vector<Mark> m_marks;
  std::vector<std::string> m_prefixes;  ///< Of marks: the text ends with it. The empty one first.
  std::vector<NodeId> m_nodes;          ///< Of each prefix.
};

}  // namespace quire
