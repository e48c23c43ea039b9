#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/tool_call_body.h"
#include "engine/chat/tool_calls.h"
#include "engine/chat/tool_schemas.h"

namespace quire {

/// Text of an answer, and the calls that follow it.
struct ToolCallStep {
  std::string text;
  std::vector<ToolCall> calls;
};

/// Separates the tool calls in an answer from its text, as it comes. A call is returned as soon as
/// it is complete and well formed; what only looks like one is text, with its marks. So the text of
/// a call, at most kMaxHeldBytes, is held back until it is known what it is. White space between
/// text and a call is dropped.
///
/// Thread: one at a time; the format outlives it. Invariants: the result does not depend on the
/// pieces in which the text arrives; without a call the steps' texts are the answer's.
class ToolCallParser {
 public:
  static constexpr size_t kMaxHeldBytes = size_t{1} << 20;
  static constexpr size_t kMaxCalls = 128;  ///< Of an answer; more of them are text.

  /// `tools`: as in PromptOptions::tools.
  ToolCallParser(const ToolCallFormat& format, std::string_view tools);
  /// `schemas`, never null, may be shared with the parsers of other answers.
  ToolCallParser(const ToolCallFormat& format, std::shared_ptr<const ToolSchemas> schemas);

  /// The answer without its reasoning, in pieces.
  std::vector<ToolCallStep> push(std::string_view text);
  /// The answer has ended; returns what was held back.
  std::vector<ToolCallStep> finish();
  bool has_calls() const { return m_num_calls > 0; }

 private:
  enum class State { kText, kHeader, kJson, kTags };

  bool step();
  bool scan_text();
  bool scan_header();
  bool scan_json();
  bool end_json();
  bool scan_tags();

  bool skip_closes();
  bool is_bare_call() const;
  bool may_begin_tags(std::string_view body, bool& needs_more) const;
  void open(size_t at, size_t mark_size);
  void end_call(size_t end, std::vector<ToolCall> calls);
  void give_up(size_t end);
  bool give_up_if_too_long();
  size_t text_end_before(size_t at) const;
  void add_text(std::string_view text);
  bool take_tagged(size_t end);
  void end_tags();
  std::string_view body() const { return std::string_view(m_held).substr(m_mark_size); }

  const ToolCallFormat& m_format;
  const std::shared_ptr<const ToolSchemas> m_schemas;
  State m_state = State::kText;
  /// kText: what may be white space or a mark. Else everything from the mark that opened the call.
  std::string m_held;
  size_t m_mark_size = 0;   ///< In m_held.
  size_t m_json_begin = 0;  ///< In m_held.
  size_t m_scanned = 0;     ///< Of m_held, in the current state.
  JsonEnd m_json_end;
  int m_failed_ends = 0;      ///< Ends of tags that ended no call.
  bool m_is_at_start = true;  ///< Nothing but white space has come.
  bool m_after_call = false;  ///< Nothing but white space and marks has come since a call.
  size_t m_num_calls = 0;
  std::vector<ToolCallStep> m_steps;
};

}  // namespace quire
