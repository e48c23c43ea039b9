#pragma once

#include <QElapsedTimer>
#include <QHash>
#include <QTimer>

#include "app/engine/chat_backend.h"
#include "app/engine/model_pool.h"
#include "app/engine/task_thread.h"

namespace quire {

struct EngineServiceOptions {
  QString modelPath;  ///< Loaded at once; empty: none until loadModel().
  BackendOptions backend;
  EngineOptions engine;
  QString bundledModelPath;      ///< For isDemonstration().
  int msPerIdleMinute = 60'000;  ///< Less for tests of setIdleUnload().
};

/// The local engine, seen from the window: requests go to the engine's thread, what comes of them
/// arrives at most some 30 times a second.
///
/// Requests go to the model that they name, or to the primary one, and wait while it is being
/// loaded; if it cannot be loaded they finish with the reason. A model that is not loaded is loaded
/// for them, without ending other models' answers. While another model loads the old one serves; it
/// goes on if the load fails.
///
/// Thread: the window's. No call waits, save the destructor, for the step being computed or the
/// tensor being read.
/// Invariants: after `finished` no signal comes for that request; the destructor sends none.
class EngineService : public ChatBackend {
  Q_OBJECT

 public:
  explicit EngineService(const EngineServiceOptions& options, QObject* parent = nullptr);

  QList<ModelState> models() const override { return m_pool.states(); }
  void loadModel(const LoadRequest& request) override;
  using ChatBackend::loadModel;
  void cancelLoad(const QString& path) override { m_pool.cancelLoad(path); }
  void unloadModel(const QString& path) override { m_pool.unload(path); }
  void setPrimaryModel(const QString& path) override { m_pool.setPrimary(path); }
  void askLoadPlan(quint64 number, const LoadRequest& request) override;
  void askDevices() override;
  void setIdleUnload(int minutes) override;
  int idleUnload() const override { return m_idleMinutes; }
  void setIdleUnload(const QString& path, std::optional<int> minutes) override;
  void setLoadRequest(const LoadRequest& request) override;

  RequestId submit(const ChatRequest& request) override;
  void cancel(RequestId id) override;
  void setFocused(RequestId id) override;
  void setPaused(bool paused) override;
  bool isPaused() const override { return m_isPaused; }
  void askForecast(quint64 number, const ChatRequest& request) override;
  void askPersona(quint64 number, const QString& systemPrompt) override;
  void keepWarm(const QStringList& systemPrompts) override;
  ModelSampling defaultSampling(const QString& modelPath = {}) const override;
  void watchEngine(bool watched) override;
  void askBlockText(int block) override;
  /// The chat is gone for good.
  void forgetChat(qint64 chatId);

  State state() const override;
  QString stateText() const override { return m_pool.notice(); }
  double loadProgress() const override;
  QString modelName() const override { return primary().modelName; }
  QString deviceName() const override { return primary().deviceName; }
  QString deviceNote() const override { return primary().deviceNote; }
  int contextLength() const override { return primary().contextLength; }
  bool isDemonstration() const override;
  QString defaultTemplate() const override { return primary().defaultTemplate; }

  QString modelPath() const;  ///< Of the primary model, if it serves; else empty.
  QString modelFingerprint() const { return primary().fingerprint; }
  /// The primary model's, as of the last throughputChanged.
  EngineStats stats() const;

 signals:
  /// The sentence is also stateText(); the model before, if there was one, goes on serving.
  void loadFailed(const QString& sentence);

 private:
  struct Waiting {
    RequestId id = 0;
    ChatRequest request;
  };
  /// What to do with a request now.
  enum class Next { kSend, kWait, kRefuse };

  Q_INVOKABLE void onOutboxFilled();
  void deliver();
  void hear(ServedModel& model, const ServiceEvent& event);
  void handle(ServedModel& model, const AnswerStarted& event);
  void handle(ServedModel& model, const AnswerText& event);
  void handle(ServedModel& model, const AnswerFinished& event);
  void handle(ServedModel& model, const ForecastMade& event);
  void handle(ServedModel& model, const PersonaMeasured& event);
  void handle(ServedModel& model, const ThroughputMeasured& event);
  void handle(ServedModel& model, const BlocksMapped& event);
  void handle(ServedModel& model, const BlockRead& event);
  template <typename Event>
  void handle(ServedModel&, const Event&) {}  // The pool's.

  const ModelReady& primary() const;
  ServedModel* modelOf(const ChatRequest& request) const;
  Next nextFor(const ChatRequest& request, ServedModel*& model);
  Next nextFor(ServedModel& model);
  void sendWaiting();
  void send(const Waiting& waiting, ServedModel& model);
  void finishSoon(RequestId id, FinishReason finish, const QString& error);
  void onPoolChanged();
  void measurePrimary();
  LoadRequest requestFor(const QString& path) const;
  void watchIdle();
  void unloadIdle();

  RequestId m_lastRequest = 0;
  bool m_isPaused = false;
  /// Submitted and not finished: the path of the model that has it, empty while it waits.
  QHash<RequestId, QString> m_live;
  QList<Waiting> m_waiting;
  RequestId m_focused = 0;
  QString m_measured;  ///< The model whose figures were sent last.
  QString m_watched;   ///< The path of the model whose blocks are watched; empty: none.
  bool m_isWatching = false;
  QStringList m_warm;  ///< What every model is to keep warm.
  bool m_isSending = false;
  int m_idleMinutes = 0;
  QHash<QString, int> m_idleOf;              ///< By path, where it is not m_idleMinutes.
  QHash<QString, LoadRequest> m_requestFor;  ///< By path; of the empty one: for all others.
  const int m_msPerIdleMinute;

  QElapsedTimer m_sinceDelivery;
  QTimer m_deliveryTimer;
  QTimer m_idleTimer;

  // Destroyed first, in the order that each may still call the one above.
  ModelPool m_pool;
  TaskThread m_questions;  ///< Plans and devices, which take a while to find out.
};

}  // namespace quire
