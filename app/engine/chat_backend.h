#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <optional>

#include "app/engine/engine_report.h"
#include "app/engine/model_state.h"
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
  /// The last of `turns` is an assistant's that was cut off: the answer goes on from its end.
  bool continueAnswer = false;
  bool focused = false;
  qint64 chatId = 0;  ///< For what is kept between turns; 0: nobody's.
  qint64 personaId = 0;
  /// Which model is to answer; empty: the primary one. One that is not loaded is loaded for it.
  QString modelPath = {};
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
  int messageTokens = 0;    ///< Of the last turn's text alone.
  int cachedTokens = 0;     ///< Of the prompt: kept, so that they need not be computed.
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
  double queueMs = 0.0;  ///< Of firstTokenMs: until its first tokens were computed.
  qint64 chatId = 0;     ///< ChatRequest::chatId.
  int systemTurns = 0;   ///< At the head of ChatRequest::turns, which miss.message counts.
};

/// How the model's own files say that answers are to be drawn (generation_config.json).
struct ModelSampling {
  std::optional<double> temperature = {};
  std::optional<double> topP = {};
  std::optional<int> topK = {};
};

/// What of a persona is kept where it can be used at once.
struct PersonaReport {
  int tokens = 0;          ///< With which every chat under it begins; 0: no model to count them.
  int residentTokens = 0;  ///< Of these: in the block pool, or in host memory beside it.
  int diskTokens = 0;      ///< Of the others: on disk.
  int sharingChats = 0;    ///< Chats since the model was loaded that begin with them.
  quint64 bytesSaved = 0;  ///< Of memory, because those chats share what is resident.
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
  /// Unloaded: its memory was given back; it is loaded again when a chat asks.
  enum class State { Loading, Ready, Failed, Unloaded };
  Q_ENUM(State)

  using QObject::QObject;

  /// Queues a chat's next answer. A prompt that cannot be served comes back as `finished` with an
  /// error.
  virtual RequestId submit(const ChatRequest& request) = 0;
  virtual void cancel(RequestId id) = 0;
  /// Which request the user is looking at; it is scheduled first.
  virtual void setFocused(RequestId id) = 0;

  /// While paused nothing is computed: answers keep their place, and go on where they were. What is
  /// submitted waits; cancel() still ends an answer at once.
  virtual void setPaused(bool paused) { Q_UNUSED(paused); }
  virtual bool isPaused() const { return false; }

  /// What sending this chat would drop; the answer comes as `forecast` with the same number, unless
  /// a later question about the same chat takes its place first.
  virtual void askForecast(quint64 number, const ChatRequest& request) {
    emit forecast(number, {});
    Q_UNUSED(request);
  }

  /// Whether somebody looks at the engine's blocks: then blockMapChanged comes, now and up to some
  /// four times a second while they change.
  virtual void watchEngine(bool watched) { Q_UNUSED(watched); }
  /// Asks what stands in a block; blockTextRead brings it, unless no model serves.
  virtual void askBlockText(int block) { Q_UNUSED(block); }
  /// What is kept of a system prompt; the answer comes as `personaMeasured` with the same number.
  virtual void askPersona(quint64 number, const QString& systemPrompt) {
    emit personaMeasured(number, {});
    Q_UNUSED(systemPrompt);
  }
  /// These system prompts stay in memory once they were computed, as long as there is any other
  /// room; the list takes the place of the one before.
  virtual void keepWarm(const QStringList& systemPrompts) { Q_UNUSED(systemPrompts); }

  // The primary model: the one that was loaded last, or chosen. -----------------------------
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
  /// Of that model's files; empty path: of the primary one.
  virtual ModelSampling defaultSampling(const QString& modelPath = {}) const {
    Q_UNUSED(modelPath);
    return {};
  }

  // All models. Backends that have only one they cannot change keep these as they are. -------
  /// Loaded ones, and those that are being loaded, failed or were unloaded; the primary one first,
  /// then in the order of their loads.
  virtual QList<ModelState> models() const { return {}; }
  /// Loads a model, which is the primary one when it is ready; what serves goes on until then, and
  /// if the load fails. One that is loaded already is loaded anew if the request differs, and
  /// becomes the primary one at once if it does not. Another load for the same place is given up.
  virtual void loadModel(const LoadRequest& request) { Q_UNUSED(request); }
  void loadModel(const QString& path) { loadModel(LoadRequest{.path = path}); }
  /// Gives up the load of that model; what served before serves on.
  virtual void cancelLoad(const QString& path) { Q_UNUSED(path); }
  /// Gives back a model's memory; answers that it is writing end and keep their text.
  virtual void unloadModel(const QString& path) { Q_UNUSED(path); }
  virtual void setPrimaryModel(const QString& path) { Q_UNUSED(path); }
  /// What loadModel would do with this; the answer comes as `loadPlanned` with the same number.
  virtual void askLoadPlan(quint64 number, const LoadRequest& request) {
    LoadPlan plan;
    plan.request = request;
    emit loadPlanned(number, plan);
  }
  /// What could compute here; the answer comes as `devicesListed`.
  virtual void askDevices() { emit devicesListed({}); }
  /// A model that nobody has asked for so long is unloaded; 0 (the default): never.
  virtual void setIdleUnload(int minutes) { Q_UNUSED(minutes); }
  virtual int idleUnload() const { return 0; }
  /// The same for one model: 0 is never; nothing: as all.
  virtual void setIdleUnload(const QString& path, std::optional<int> minutes) {
    Q_UNUSED(path);
    Q_UNUSED(minutes);
  }
  /// How a model is loaded when a chat asks for it; without a path: any that nobody spoke of.
  virtual void setLoadRequest(const LoadRequest& request) { Q_UNUSED(request); }

 signals:
  void stateChanged();
  void pausedChanged();
  /// models() says something else; while a model loads about 10 times a second.
  void modelsChanged();
  void loadPlanned(quint64 number, const quire::LoadPlan& plan);
  void devicesListed(const QList<quire::ComputeDevice>& devices);
  void forecast(quint64 number, const quire::ContextForecast& forecast);
  void personaMeasured(quint64 number, const quire::PersonaReport& report);
  void started(quire::RequestId id, const quire::PromptReport& report);
  /// At most some 30 times a second for each request: what came since the last time.
  void textAppended(quire::RequestId id, const QString& text, int outputTokens);
  void finished(quire::RequestId id, const quire::AnswerReport& report);
  /// All chats together, about twice a second while there is work, and once when it ends.
  void throughputChanged(double tokensPerSecond, int runningRequests);
  /// As often, and when somebody begins to look.
  void engineMeasured(const quire::EngineReport& report);
  void blockMapChanged(const quire::BlockMapSnapshot& map);
  void blockTextRead(const quire::BlockReading& reading);
};

}  // namespace quire
