#include "app/server/api/answer_writer.h"

#include <algorithm>

namespace quire {

void WholeAnswer::append(const AnswerDelta& delta) {
  reasoning += delta.reasoning;
  text += delta.text;
  logprobs += delta.logprobs;
  tokens += delta.tokens;
  for (const ToolCallPiece& piece : delta.toolCalls) {
    const auto found = std::ranges::find(toolCalls, piece.index, &ToolCallPiece::index);
    if (found == toolCalls.end()) {
      toolCalls.push_back(piece);
    } else {
      found->arguments += piece.arguments;
    }
  }
}

void CollectingWriter::appended(int answer, const AnswerDelta& delta) {
  m_answers.at(static_cast<size_t>(answer)).append(delta);
}

void CollectingWriter::ended(int answer, const AnswerEnd& end) {
  m_answers.at(static_cast<size_t>(answer)).end = end;
}

}  // namespace quire
