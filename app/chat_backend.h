#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "engine/request.h"

namespace quire {

/// One message of a chat as the backend needs it.
struct ChatTurn {
  QString role;             ///< "system", "user", "assistant".
  QString text;
  QList<qint32> tokens;     ///< What was sampled for it, if it was generated here; else empty.
};

struct ChatRequest {
  QList<ChatTurn> turns;
  SamplingParams sampling;
  bool focused = false;
};

/// What is known when the first token of an answer is there.
struct PromptReport {
  int promptTokens = 0;
  int cachedTokens = 0;     ///< Of the prompt: not computed, because their keys and values were kept.
  double firstTokenMs = 0.0;
};

/// How an answer ended.
struct AnswerReport {
  FinishReason finish = FinishReason::kEnd;
  QString error;            ///< One sentence for the user; empty unless it failed.
  PromptReport prompt;
  int outputTokens = 0;
  double totalMs = 0.0;
  double tokensPerSecond = 0.0;
  QList<qint32> tokens;     ///< The whole answer's ids, the end token left out.
};

/// The seam between view models and whatever answers: the local engine, or a remote endpoint.
///
/// Thread: the window's. No call blocks; everything comes back as a signal, in order for a request:
/// started, textAppended..., finished. After cancel() `finished` still comes, with kCancelled and all
/// text up to then. Late events of a request that is finished never come.
class ChatBackend : public QObject {
  Q_OBJECT

 public:
  enum class State { Loading, Ready, Failed };
  Q_ENUM(State)

  using QObject::QObject;

  /// Queues a chat's next answer. A prompt that cannot be served comes back as `finished` with an error.
  virtual RequestId submit(const ChatRequest& request) = 0;
  virtual void cancel(RequestId id) = 0;
  /// Which request the user is looking at; it is scheduled first.
  virtual void setFocused(RequestId id) = 0;

  virtual State state() const = 0;
  virtual QString stateText() const = 0;   ///< What it loads, or why it failed, in one sentence.
  virtual double loadProgress() const = 0; ///< 0 to 1 while loading.
  virtual QString modelName() const = 0;
  virtual QString deviceName() const = 0;  ///< "CPU · AVX-512 · 2 threads".
  virtual int contextLength() const = 0;   ///< Tokens; 0 until ready.
  virtual bool isDemonstration() const = 0; ///< The bundled little model.
  /// The chat format that stands in where the model's files hold none: "ChatML"; empty if they do.
  virtual QString defaultTemplate() const { return {}; }

 signals:
  void stateChanged();
  void started(quire::RequestId id, const quire::PromptReport& report);
  /// At most some 30 times a second for each request: what came since the last time.
  void textAppended(quire::RequestId id, const QString& text, int outputTokens);
  void finished(quire::RequestId id, const quire::AnswerReport& report);
  /// All chats together, about twice a second while there is work, and once when it ends.
  void throughputChanged(double tokensPerSecond, int runningRequests);
};

}  // namespace quire
