#pragma once

#include "app/engine/chat_backend.h"
#include "engine/request.h"

namespace quire {

/// Output tokens per second, the first one's time left out: it is the prompt's. Of a single token,
/// which leaves nothing else to measure, with it.
double tokensPerSecond(int outputTokens, double firstTokenMs, double totalMs);

/// What is known of an answer before it is computed.
struct AnswerSource {
  AnswerOrigin origin;
  QList<qint32> answered;   ///< The ids that the answer goes on from.
  int droppedMessages = 0;  ///< Of the chat, after its system turns.
  int systemTurns = 0;
  qint64 chatId = 0;
};

/// Turns the engine's events for one answer into the calls of its sink.
/// Thread: the engine's.
class AnswerStream {
 public:
  explicit AnswerStream(std::shared_ptr<AnswerSink> sink, AnswerSource source = {});

  /// Passes on what a step brought. True if it was the last.
  bool take(const RequestEvent& event);
  /// Ends the answer from outside the engine; what has been streamed stays.
  void end(FinishReason finish, const QString& error = {});
  /// The report of its prompt, once it has a token.
  const PromptReport* prompt() const { return m_started ? &m_report.prompt : nullptr; }

 private:
  void start();
  void takeUsage(const RequestUsage& usage);
  PrefixMiss missInChat(PrefixMiss miss) const;

  std::shared_ptr<AnswerSink> m_sink;
  const int
      m_numAnswered;  ///< Tokens that the answer goes on from; they are no prompt to anyone else.
  const int m_droppedMessages;
  const int m_systemTurns;
  const qint64 m_chatId;
  AnswerReport m_report;
  qsizetype m_numPassed = 0;  ///< Of the report's tokens: given to the sink.
  bool m_started = false;
};

}  // namespace quire
