#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace quire {

/// Cuts a stream of server-sent events into the data of each event.
/// Thread: one.
class EventCutter {
 public:
  /// The data of the events that end in this piece. Errors: kUnsupported for an event of more than
  /// 1 MiB.
  Result<std::vector<std::string>> push(std::string_view piece);

 private:
  void take_line(std::vector<std::string>& events);

  std::string m_line;  ///< Not complete yet.
  std::string m_data;  ///< Of the event that is not complete yet.
  bool m_has_data = false;
};

/// What an answer, or a piece of one, says in the shape of /v1/completions or
/// /v1/chat/completions.
struct AnswerPiece {
  bool has_text = false;   ///< Text, reasoning or a part of a tool call.
  int prompt_tokens = -1;  ///< Of `usage`; -1: it does not say.
  int output_tokens = -1;
  std::string error;  ///< The endpoint's own sentence, in visible characters.
};

/// Errors: kCorruptFile for what is not such a JSON object.
Result<AnswerPiece> read_answer_piece(std::string_view json);

/// The name of the first model of /v1/models. Errors: kCorruptFile, also for a name of more than
/// 1,024 bytes.
Result<std::string> first_model(std::string_view json);

/// The `count` of an answer of vLLM's /tokenize; -1: it is none.
int token_count(std::string_view json);

}  // namespace quire
