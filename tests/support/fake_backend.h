#pragma once

#include <QHash>
#include <QTimer>

#include "app/engine/engine_inspector.h"

namespace quire {

/// Reports on personas and blocks what it was given.
class FakeInspector : public EngineInspector {
  Q_OBJECT

 public:
  void watchBlocks(bool watched) override { watching = watched; }
  /// Replies with `readings`' entry of that block.
  void readBlock(int block, Reply<BlockReading> reply) override;
  /// Replies with the report of that prompt in `personaReports`; with its tokens alone if there is
  /// none.
  PendingReply measurePersona(const PersonaPrompt& persona, Reply<PersonaReport> reply) override;
  void keepWarm(const QList<PersonaPrompt>& personas) override;

  bool watching = false;
  QHash<int, BlockReading> readings;
  QHash<QString, PersonaReport> personaReports;  ///< By system prompt.
  QList<PersonaPrompt> warmPrompts;
  int numWarmed = 0;  ///< Calls of keepWarm.
};

/// A backend that answers with texts given to it, a few characters at each tick, for any number of
/// chats at once. With an interval of 0 nothing moves until advance() is called.
/// Thread: the window's; sinks are called in it, never inside a call of submit or cancel.
class FakeBackend : public ModelManager, public ChatBackend {
  Q_OBJECT

 public:
  explicit FakeBackend(int tickMs = 0, QObject* parent = nullptr);

  FakeInspector& inspector() { return m_inspector; }
  operator EngineInspector&() { return m_inspector; }
  operator EngineInterfaces() { return {*this, *this, m_inspector}; }

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override;
  void cancel(RequestId id) override;
  void setPriority(RequestId id, int priority) override { priorities[id] = priority; }
  /// Replies with `foretold`, or what `foretoldBy` has for the request's model.
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override;

  State state() const override { return m_state; }
  QString stateText() const override { return m_stateText; }
  double loadProgress() const override { return m_progress; }
  ModelDescription primaryModel() const override;
  ModelSampling defaultSampling(const QString&) const override { return sampling; }
  /// What setModels() said; nothing that is asked for changes it by itself.
  QList<ModelState> models() const override { return m_models; }
  using ModelManager::loadModel;
  void loadModel(const LoadRequest& request) override { loads.append(request); }
  void cancelLoad(const QString& path) override { cancelledLoads.append(path); }
  void unloadModel(const QString& path) override { unloads.append(path); }
  void setPrimaryModel(const QString& path) override { primaryChoices.append(path); }
  /// Replies with the plan of its path in `plans`; with an error if there is none.
  void planLoad(const LoadRequest& request, Reply<LoadPlan> reply) override;
  void listDevices(Reply<QList<ComputeDevice>> reply) override { reply(devices); }
  void setIdleUnload(int minutes) override { m_idleUnload = minutes; }
  int idleUnload() const override { return m_idleUnload; }
  void setIdleUnload(const QString& path, std::optional<int> minutes) override {
    idleOf.insert(path, minutes);
  }
  void setLoadRequest(const LoadRequest& request) override {
    loadRequests.insert(request.path, request);
  }
  void setPaused(bool paused) override;
  bool isPaused() const override { return m_isPaused; }

  void setModels(const QList<ModelState>& models);
  void setState(State state, const QString& text = {}, double progress = 0.0);
  /// The next answers, in the order of their requests; afterwards a sentence that repeats the
  /// prompt.
  void queueAnswer(const QString& text) { m_answers.append(text); }
  /// The next request ends at once with this error.
  void failNext(const QString& error) { m_nextError = error; }
  /// One tick: each running request gets `charactersPerTick` more.
  void advance(int ticks = 1);
  int numRunning() const { return static_cast<int>(m_running.size()); }
  /// The running request with the highest priority; 0: none runs.
  RequestId focused() const;

  QList<ChatRequest> requests;
  QList<ChatRequest> questions;  ///< Of forecast().
  QList<LoadRequest> planned;    ///< Of planLoad().
  ContextForecast foretold;
  QHash<QString, ContextForecast> foretoldBy;  ///< Of other models, by path.
  PromptReport promptDetails;                  ///< What reports say beside counts and times.
  int contextTokens = 8192;
  ModelSampling sampling;
  QList<LoadRequest> loads;
  QHash<QString, LoadRequest> loadRequests;  ///< Of setLoadRequest, by path.
  QHash<QString, std::optional<int>> idleOf;
  QStringList cancelledLoads;
  QStringList unloads;
  QStringList primaryChoices;
  QHash<QString, LoadPlan> plans;  ///< By path, for planLoad.
  QList<ComputeDevice> devices;
  QHash<RequestId, int> priorities;      ///< Of running and ended requests.
  std::shared_ptr<AnswerSink> lastSink;  ///< Of the last request.
  int charactersPerTick = 12;
  int draftedTokens = 0;  ///< Of each answer.
  int acceptedTokens = 0;
  QString modelNameValue = QStringLiteral("quire-mini");
  bool demonstration = true;

 private:
  struct Running {
    RequestId id = 0;
    std::shared_ptr<AnswerSink> sink;
    QString text;
    qsizetype sent = 0;
    int promptTokens = 0;
    qint64 chatId = 0;
    int systemTurns = 0;
    QString origin = {};  ///< The path of a remote model, as its backend reports it.
  };

  void tick();
  bool step(Running& running);
  PromptReport promptReport(const Running& running) const;
  void finish(const Running& running, FinishReason reason, const QString& error = {});

  FakeInspector m_inspector;
  QList<Running> m_running;
  QStringList m_answers;
  QString m_nextError;
  bool m_isPaused = false;
  RequestId m_lastId = 0;
  State m_state = State::Ready;
  QString m_stateText;
  double m_progress = 0.0;
  QList<ModelState> m_models;
  int m_idleUnload = 0;
  QTimer m_timer;
};

}  // namespace quire
