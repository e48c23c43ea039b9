#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quire {

/// One line of a batch file in OpenAI's format.
struct BatchLine {
  int64_t number = 0;     ///< In its file, from 1.
  std::string custom_id;  ///< Empty if the line has none.
  std::string url;        ///< "/v1/chat/completions"
  std::string body;       ///< The request, as JSON.
  std::string error;      ///< Why it cannot be asked, in one sentence; empty: it can.

  /// What tells its answer from others: its custom_id, or, where it has none, "batch_req_7" for
  /// line 7.
  std::string key() const;
};

/// Reads a line. What is wrong with it is its `error`.
BatchLine parse_batch_line(std::string_view text, int64_t number);

/// The status of an answer that is no error.
inline constexpr int kAnsweredStatus = 200;

/// The line of the output for an answer with that status and body, which is JSON; without a
/// newline.
std::string answer_line(const BatchLine& line, int status, std::string body);

/// The same for a line with an `error`.
std::string refusal_line(const BatchLine& line);

/// What a line of an output says about the line that it answers.
struct BatchAnswerHead {
  std::string key;      ///< BatchLine::key(); empty: it is no line of an output.
  bool failed = false;  ///< The answer is an error.
};
/// `is_cut`: the text is the beginning of a line, long enough for all but the body.
BatchAnswerHead parse_answer_head(std::string_view text, bool is_cut = false);

}  // namespace quire
