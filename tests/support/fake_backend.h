#pragma once

#include <QHash>
#include <QTimer>

#include "app/engine/chat_backend.h"

namespace quire {

/// A backend that answers with texts given to it, a few characters at each tick, for any number of
/// chats at once. With an interval of 0 nothing moves until advance() is called.
class FakeBackend : public ChatBackend {
  Q_OBJECT

 public:
  explicit FakeBackend(int tickMs = 0, QObject* parent = nullptr);

  RequestId submit(const ChatRequest& request) override;
  void cancel(RequestId id) override;
  void setFocused(RequestId id) override { focused = id; }
  void setPaused(bool paused) override;
  bool isPaused() const override { return m_isPaused; }
  /// Answers with `foretold`, at the next turn of the event loop.
  void askForecast(quint64 number, const ChatRequest& request) override;
  /// Answers with the report of that prompt in `personaReports`, at the next turn of the event
  /// loop; with its tokens alone if there is none.
  void askPersona(quint64 number, const QString& systemPrompt) override;
  void keepWarm(const QStringList& systemPrompts) override { warmPrompts = systemPrompts; }
  ModelSampling defaultSampling(const QString&) const override { return sampling; }
  State state() const override { return m_state; }
  QString stateText() const override { return m_stateText; }
  double loadProgress() const override { return m_progress; }
  QString modelName() const override { return modelNameValue; }
  QString deviceName() const override { return QStringLiteral("CPU · AVX-512 · 2 threads"); }
  int contextLength() const override { return m_state == State::Ready ? contextTokens : 0; }
  bool isDemonstration() const override { return demonstration; }

  /// What setModels() said; nothing that is asked for changes it by itself.
  QList<ModelState> models() const override { return m_models; }
  using ChatBackend::loadModel;
  void loadModel(const LoadRequest& request) override { loads.append(request); }
  void cancelLoad(const QString& path) override { cancelledLoads.append(path); }
  void unloadModel(const QString& path) override { unloads.append(path); }
  void setPrimaryModel(const QString& path) override { primaryChoices.append(path); }
  /// Answers with the plan of its path in `plans`, at the next turn of the event loop; with an
  /// error if there is none.
  void askLoadPlan(quint64 number, const LoadRequest& request) override;
  /// Answers with `devices`, at the next turn of the event loop.
  void askDevices() override;
  void setIdleUnload(int minutes) override { m_idleUnload = minutes; }
  int idleUnload() const override { return m_idleUnload; }
  void setIdleUnload(const QString& path, std::optional<int> minutes) override {
    idleOf.insert(path, minutes);
  }
  void setLoadRequest(const LoadRequest& request) override {
    loadRequests.insert(request.path, request);
  }

  void watchEngine(bool watched) override { watching = watched; }
  /// Answers with `readings`' entry of that block, at the next turn of the event loop.
  void askBlockText(int block) override;

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

  QList<ChatRequest> requests;
  QList<ChatRequest> questions;  ///< Of askForecast.
  ContextForecast foretold;
  PromptReport promptDetails;  ///< What reports say beside counts and times.
  int contextTokens = 8192;
  bool watching = false;  ///< Of watchEngine.
  QHash<int, BlockReading> readings;
  QHash<QString, PersonaReport> personaReports;  ///< By system prompt.
  QStringList warmPrompts;
  ModelSampling sampling;
  QList<LoadRequest> loads;
  QHash<QString, LoadRequest> loadRequests;  ///< Of setLoadRequest, by path.
  QHash<QString, std::optional<int>> idleOf;
  QStringList cancelledLoads;
  QStringList unloads;
  QStringList primaryChoices;
  QHash<QString, LoadPlan> plans;  ///< By path, for askLoadPlan.
  QList<ComputeDevice> devices;
  RequestId focused = 0;
  int charactersPerTick = 12;
  QString modelNameValue = QStringLiteral("quire-mini");
  bool demonstration = true;

 private:
  struct Running {
    RequestId id = 0;
    QString text;
    qsizetype sent = 0;
    int promptTokens = 0;
    qint64 chatId = 0;
    int systemTurns = 0;
  };

  void tick();
  bool step(Running& running);
  PromptReport promptReport(const Running& running) const;
  void finish(const Running& running, FinishReason reason, const QString& error = {});

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
