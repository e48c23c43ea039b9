#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "engine/request.h"

namespace quire {

/// One message of a chat as the backend needs it.
struct ChatTurn {
  QString role;  ///< "system", "user", "assistant".
  QString text;
  QList<qint32> tokens;  ///< What was sampled for it, if it was generated here; else empty.
};

struct ChatRequest {
  QList<ChatTurn> turns;
  SamplingParams sampling;
  bool focused = false;
  qint64 chatId = 0;  ///< For what is kept between turns; 0: nobody's.
  qint64 personaId = 0;
};

/// What an answer was made from, so that it can be made again (quire-cli replay).
struct AnswerOrigin {
  QString modelFingerprint;
  QString templateHash;        ///< SHA-256 of the chat template's source, hexadecimal.
  SamplingParams sampling;     ///< As they were used, stop strings of the model's turns included.
  QList<qint32> promptTokens;  ///< The whole prompt as it was computed.
};

/// What sending a chat would drop, because it no longer fits the model's context.
struct ContextForecast {
  int promptTokens = 0;     ///< Of the prompt as it would be sent, after dropping.
  int contextTokens = 0;    ///< What the context holds.
  int droppedMessages = 0;  ///< The oldest ones, in whole turns; the system prompt stays.
  QString error;            ///< Why it could not be sent at all; empty if it can.
};

/// What is known when the first token of an answer is there.
struct PromptReport {
  int promptTokens = 0;
  int cachedTokens = 0;  ///< Of the prompt: not computed, because their keys and values were kept.
  int diskTokens = 0;    ///< Of the cached: read back from disk.
  int droppedMessages = 0;  ///< The oldest ones, left out because the context is full.
  PrefixMiss miss;          ///< Where and why the kept prefix ended; its message is one of
                            ///< ChatRequest::turns.
  double firstTokenMs = 0.0;
};

/// How an answer ended.
struct AnswerReport {
  FinishReason finish = FinishReason::kEnd;
  QString error;  ///< One sentence for the user; empty unless it failed.
  PromptReport prompt;
  int outputTokens = 0;
  double totalMs = 0.0;
  double tokensPerSecond = 0.0;
  QList<qint32> tokens;  ///< The whole answer's ids, the end token left out.
  AnswerOrigin origin;
};

/// The seam between view models and whatever answers: the local engine, or a remote endpoint.
///
/// Thread: the window's. No call blocks; everything comes back as a signal, in order for a request:
/// started, textAppended..., finished. After cancel() `finished` still comes, with kCancelled and
/// all text up to then. Late events of a request that is finished never come.
class ChatBackend : public QObject {
  Q_OBJECT

 public:
  enum class State { Loading, Ready, Failed };
  Q_ENUM(State)

  using QObject::QObject;

  /// Queues a chat's next answer. A prompt that cannot be served comes back as `finished` with an
  /// error.
  virtual RequestId submit(const ChatRequest& request) = 0;
  virtual void cancel(RequestId id) = 0;
  /// Which request the user is looking at; it is scheduled first.
  virtual void setFocused(RequestId id) = 0;

  /// What sending this chat would drop; the answer comes as `forecast` with the same number, unless
  /// a later question about the same chat takes its place first.
  virtual void askForecast(quint64 number, const ChatRequest& request) {
    emit forecast(number, {});
    Q_UNUSED(request);
  }

  virtual State state() const = 0;
  virtual QString stateText() const = 0;    ///< What it loads, or why it failed, in one sentence.
  virtual double loadProgress() const = 0;  ///< 0 to 1 while loading.
  virtual QString modelName() const = 0;
  virtual QString deviceName() const = 0;  ///< "CPU · AVX-512 · 2 threads".
  /// Why no GPU is used although one may be, or how the layers are spread; empty otherwise.
  virtual QString deviceNote() const { return {}; }
  virtual int contextLength() const = 0;     ///< Tokens; 0 until ready.
  virtual bool isDemonstration() const = 0;  ///< The bundled little model.
  /// The chat format that stands in where the model's files hold none: "ChatML"; empty if they do.
  virtual QString defaultTemplate() const { return {}; }

 signals:
  void stateChanged();
  void forecast(quint64 number, const quire::ContextForecast& forecast);
  void started(quire::RequestId id, const quire::PromptReport& report);
  /// At most some 30 times a second for each request: what came since the last time.
  void textAppended(quire::RequestId id, const QString& text, int outputTokens);
  void finished(quire::RequestId id, const quire::AnswerReport& report);
  /// All chats together, about twice a second while there is work, and once when it ends.
  void throughputChanged(double tokensPerSecond, int runningRequests);
};

}  // namespace quire
