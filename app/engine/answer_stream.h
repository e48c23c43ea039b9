#pragma once

#include "app/engine/chat_backend.h"
#include "engine/request.h"

namespace quire {

/// Output tokens per second after the first token, whose time belongs to the prompt; for an answer
/// of one token, over its whole time.
double tokensPerSecond(int outputTokens, double firstTokenMs, double totalMs);

/// What is known of an answer before it is computed.
struct AnswerSource {
  AnswerOrigin origin;
  QList<qint32> answered;   ///< The ids of the answer that is continued.
  int droppedMessages = 0;  ///< Of the chat, after its system turns.
  int systemTurns = 0;
  qint64 chatId = 0;
  /// The text of the tokens whose probabilities are reported; may be null if none are.
  std::shared_ptr<const Tokenizer> tokenizer = nullptr;
};

/// Turns the engine's events for one answer into the calls of its sink.
/// Thread: the engine's.
class AnswerStream {
 public:
  explicit AnswerStream(std::shared_ptr<AnswerSink> sink, AnswerSource source = {});

  /// Passes an event to the sink. True if it was the last.
  bool take(const RequestEvent& event);
  /// Ends the answer without an event; the streamed text stays.
  void end(FinishReason finish, const QString& error = {}, ErrorCode code = ErrorCode::kInternal);
  /// The report of the prompt; null before the first token.
  const PromptReport* prompt() const { return m_started ? &m_report.prompt : nullptr; }

 private:
  void start();
  void takeUsage(const RequestUsage& usage);
  void takeLogprobs(const RequestEvent& event);
  TokenChance chanceOf(const TokenLogprob& token) const;

  std::shared_ptr<AnswerSink> m_sink;
  const std::shared_ptr<const Tokenizer> m_tokenizer;
  const int m_numAnswered;  ///< Tokens of the continued answer, which the engine has in the prompt.
  AnswerReport m_report;
  qsizetype m_numPassed = 0;  ///< How many of the report's tokens the sink has received.
  bool m_started = false;
};

}  // namespace quire
