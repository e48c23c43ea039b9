#pragma once

#include <memory>

#include "app/richtext/reasoning_scanner.h"
#include "app/server/api/generation_request.h"
#include "app/server/api/tool_filter.h"

namespace quire {

/// Separates what a model writes into reasoning, text and tool calls.
/// Thread: that of the calls, which come one after the other.
class AnswerBuilder {
 public:
  struct Options {
    bool splitsReasoning = true;
    bool beginsThinking = false;  ///< The prompt has opened the reasoning.
  };
  /// `tools` may be null: no calls are looked for.
  AnswerBuilder(const Options& options, std::unique_ptr<ToolFilter> tools);

  void addTokens(const QList<qint32>& tokens) { m_delta.tokens += tokens; }
  void addLogprobs(const QList<TokenChances>& tokens) { m_delta.logprobs += tokens; }
  void addText(const QString& text);
  /// What was held back is text after all.
  void finish();

  /// Whether there is something to be written to the client.
  bool hasNews() const { return !m_delta.isEmpty(); }
  /// What is known so far and was not taken yet.
  AnswerDelta take();
  bool hasToolCalls() const { return m_tools != nullptr && m_tools->hasCalls(); }

 private:
  void add(const ReasoningScanner::Piece& piece);
  void addAnswer(std::string text);

  const bool m_splitsReasoning;
  ReasoningScanner m_scanner;
  const std::unique_ptr<ToolFilter> m_tools;
  bool m_trimsStart = false;  ///< White space after the reasoning is not part of the answer.
  AnswerDelta m_delta;
};

/// Whether the prompt of such a chat ends within reasoning that the template has opened.
bool promptBeginsThinking(const ChatFormat& format, const PromptOptions& options);

}  // namespace quire
