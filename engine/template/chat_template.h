#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// A run of rendered text. Special tokens are only recognised in text that the template itself
/// wrote; text that came from a message (`is_input`) is encoded as plain text, so that a user can
/// never forge a turn.
struct PromptSegment {
  std::string text;
  bool is_input = false;
};

struct RenderedPrompt {
  std::vector<PromptSegment> segments;  ///< Never empty texts; adjacent ones differ in is_input.
  std::string text() const;             ///< All segments joined.
};

/// Bounds on what an untrusted template may do; exceeding one is an Error that names it.
struct TemplateLimits {
  size_t max_output_bytes = 16 << 20;
  size_t max_steps = 40'000'000;  ///< Evaluated nodes, items touched, texts made.
  int max_depth = 200;            ///< Nested expressions, blocks and macro calls.
  /// CPU time of a rendering's thread, so that a stalled machine fails no prompt. Below a second,
  /// so that the error comes within one.
  std::chrono::milliseconds max_time{800};
};

/// A model's chat template, compiled once and rendered for each prompt: the Jinja that real
/// templates use, as Hugging Face transformers evaluates it (sandboxed, trim_blocks, lstrip_blocks,
/// loop controls, tojson without ASCII or HTML escapes).
/// Thread: immutable after compile; any thread.
class ChatTemplate {
 public:
  /// Errors: kTemplate with line and column.
  static Result<ChatTemplate> compile(std::string_view source, TemplateLimits limits = {});

  /// `variables`: an object with messages, add_generation_prompt, bos_token, eos_token, tools and
  /// any other name that the template reads. `now` is what strftime_now shows (local time). Errors:
  /// kTemplate: raise_exception's message, an undefined operation, a limit; with the line, the
  /// column and an excerpt.
  Result<RenderedPrompt> render(const nlohmann::ordered_json& variables,
                                std::optional<std::chrono::local_seconds> now = {}) const;

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

 private:
  struct Program;
  explicit ChatTemplate(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> m_program;
};

}  // namespace quire
