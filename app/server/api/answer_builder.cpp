#include "app/server/api/answer_builder.h"

#include <array>
#include <utility>

#include "engine/chat/chat_prompt.h"

namespace quire {

AnswerBuilder::AnswerBuilder(const Options& options, std::unique_ptr<ToolFilter> tools)
    : m_splitsReasoning(options.splitsReasoning), m_tools(std::move(tools)) {
  if (options.beginsThinking) m_scanner.beginThinking();
}

void AnswerBuilder::addText(const QString& text) {
  if (!m_splitsReasoning) return addAnswer(text.toStdString());
  for (const ReasoningScanner::Piece& piece : m_scanner.append(text)) add(piece);
}

void AnswerBuilder::finish() {
  if (m_splitsReasoning) {
    for (const ReasoningScanner::Piece& piece : m_scanner.finish()) add(piece);
  }
  if (m_tools) m_tools->finish(m_delta);
}

void AnswerBuilder::add(const ReasoningScanner::Piece& piece) {
  std::string text = piece.text.toStdString();
  if (!piece.isThought) return addAnswer(std::move(text));
  m_delta.reasoning += text;
  m_trimsStart = true;
}

void AnswerBuilder::addAnswer(std::string text) {
  if (m_trimsStart) {
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    if (text.empty()) return;
    m_trimsStart = false;
  }
  if (m_tools) return m_tools->append(text, m_delta);
  m_delta.text += text;
}

AnswerDelta AnswerBuilder::take() {
  return std::exchange(m_delta, {});
}

bool promptBeginsThinking(const ChatFormat& format, const PromptOptions& options) {
  constexpr std::array<std::string_view, 7> kOpeners = {
      "<think>", "<thinking>",         "<thought>",   "<reasoning>",
      "[THINK]", "<|START_THINKING|>", "<seed:think>"};
  constexpr size_t kTailTokens = 24;
  if (!options.add_generation_prompt || !format.tokenizer) return false;
  const std::vector<ChatMessage> messages = {{"user", "?"}};
  PromptOptions without = options;
  without.tools.clear();  // They stand at the beginning, and take long to render.
  const auto prompt = chat_prompt(format, messages, without);
  if (!prompt) return false;  // The request's own prompt says what is wrong.
  const std::span<const TokenId> all = prompt->tokens;
  std::string tail =
      format.tokenizer->decode(all.last(std::min(kTailTokens, all.size())), /*with_special=*/true);
  tail.erase(tail.find_last_not_of(" \t\r\n") + 1);
  return std::ranges::any_of(kOpeners,
                             [&](std::string_view opener) { return tail.ends_with(opener); });
}

}  // namespace quire
