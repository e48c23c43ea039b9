#include "app/engine/prompt_length.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizer/length_check.h"

namespace quire {
namespace {

bool isSystem(const ChatTurn& turn) {
  return turn.role == QLatin1String("system") || turn.role == QLatin1String("developer");
}

size_t bytesOf(const ChatTurn& turn) {
  if (turn.parts.empty()) return static_cast<size_t>(turn.text.size());
  size_t bytes = 0;
  for (const ContentPart& part : turn.parts) bytes += part.text.size();
  return bytes;
}

size_t moreBytesOf(const QString& text) {
  return static_cast<size_t>(text.toUtf8().size() - text.size());
}

/// Where the turns begin that are never dropped: at the last of the user's.
qsizetype lastTurn(const QList<ChatTurn>& turns) {
  const auto last = std::find_if(turns.rbegin(), turns.rend(), [](const ChatTurn& turn) {
    return turn.role == QLatin1String("user");
  });
  return last == turns.rend() ? 0 : turns.rend() - last - 1;
}

/// What every template writes of a turn; reasoning in an earlier answer is left out by many.
std::string writtenText(const ChatTurn& turn) {
  std::string text = turn.text.toStdString();
  constexpr std::string_view kReasoningEnd = "</think>";
  const size_t end = text.rfind(kReasoningEnd);
  return end == text.npos ? text : text.substr(end + kReasoningEnd.size());
}

/// The texts that stay in the prompt when the oldest turns are dropped.
std::vector<std::string> keptTexts(const ChatRequest& request) {
  if (request.rawPrompt) return {request.rawPrompt->text.toStdString()};
  std::vector<std::string> texts;
  const qsizetype last = request.dropsOldTurns ? lastTurn(request.turns) : 0;
  for (qsizetype i = 0; i < request.turns.size(); ++i) {
    const ChatTurn& turn = request.turns[i];
    if (i >= last || isSystem(turn)) texts.push_back(writtenText(turn));
  }
  return texts;
}

}  // namespace

size_t promptBytes(const ChatRequest& request) {
  size_t bytes =
      request.prompt.tools.size() + request.prompt.variables.size() + request.format.schema.size();
  if (request.rawPrompt) bytes += static_cast<size_t>(request.rawPrompt->text.size());
  for (const ChatTurn& turn : request.turns) bytes += bytesOf(turn);
  return bytes;
}

size_t moreBytesInUtf8(const ChatRequest& request) {
  size_t bytes = request.rawPrompt ? moreBytesOf(request.rawPrompt->text) : 0;
  for (const ChatTurn& turn : request.turns) {
    if (turn.parts.empty()) bytes += moreBytesOf(turn.text);
  }
  return bytes;
}

Result<void> checkPromptLength(const Tokenizer& tokenizer, const ChatRequest& request,
                               int maxContext) {
  if (promptBytes(request) <= kLongPromptBytes) return {};
  const auto limit = static_cast<size_t>(std::max(maxContext, 0));
  const std::vector<std::string> texts = keptTexts(request);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  if (!is_far_beyond(tokenizer, views, limit)) return {};
  return far_beyond_error(limit);
}

}  // namespace quire
