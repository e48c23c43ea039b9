#pragma once

#include <QElapsedTimer>
#include <QSet>
#include <QTimer>

#include "app/chat_backend.h"
#include "app/engine/engine_worker.h"
#include "app/engine/model_host.h"
#include "app/engine/outbox.h"

namespace quire {

struct EngineServiceOptions {
  QString modelPath;  ///< Loaded at once; empty: none until loadModel().
  BackendOptions backend;
  EngineOptions engine;
  QString bundledModelPath;  ///< For isDemonstration().
};

/// The local engine, seen from the window: requests go to the engine's thread, what comes of them
/// arrives at most some 30 times a second.
///
/// Requests submitted while the first model loads wait for it; if it cannot be loaded they finish
/// with the reason. While another model loads the old one serves; it goes on if the load fails.
///
/// Thread: the window's. No call waits, save the destructor, for the step being computed or the
/// tensor being read.
/// Invariants: after `finished` no signal comes for that request; the destructor sends none.
class EngineService : public ChatBackend {
  Q_OBJECT

 public:
  explicit EngineService(const EngineServiceOptions& options, QObject* parent = nullptr);

  /// Loads a model's folder or file in place of the present model; a load under way is given up.
  void loadModel(const LoadRequest& request) override;
  using ChatBackend::loadModel;

  RequestId submit(const ChatRequest& request) override;
  void cancel(RequestId id) override;
  void setFocused(RequestId id) override;
  void askForecast(quint64 number, const ChatRequest& request) override;
  void watchEngine(bool watched) override;
  void askBlockText(int block) override;
  /// The chat is gone for good.
  void forgetChat(qint64 chatId);

  State state() const override { return m_state; }
  QString stateText() const override { return m_stateText; }
  double loadProgress() const override { return m_loadProgress; }
  QString modelName() const override { return m_model.modelName; }
  QString deviceName() const override { return m_model.deviceName; }
  QString deviceNote() const override { return m_model.deviceNote; }
  int contextLength() const override { return m_model.contextLength; }
  bool isDemonstration() const override { return m_isDemonstration; }
  QString defaultTemplate() const override { return m_model.defaultTemplate; }

  QString modelPath() const { return m_model.path; }  ///< Of the model that serves; empty: none.
  QString modelFingerprint() const { return m_model.fingerprint; }
  /// As of the last throughputChanged.
  const EngineStats& stats() const { return m_stats; }

 signals:
  /// The sentence is also stateText(); the model before, if there was one, goes on serving.
  void loadFailed(const QString& sentence);

 private:
  Q_INVOKABLE void onOutboxFilled();
  void deliver();
  void handle(const AnswerStarted& event);
  void handle(const AnswerText& event);
  void handle(const AnswerFinished& event);
  void handle(const ForecastMade& event);
  void handle(const ThroughputMeasured& event);
  void handle(const BlocksMapped& event);
  void handle(const BlockRead& event);
  void handle(const LoadProgressed& event);
  void handle(const ModelReady& event);
  void handle(const ModelFailed& event);

  const QString m_bundledModelPath;
  RequestId m_lastRequest = 0;
  QSet<RequestId> m_live;  ///< Submitted and not finished.

  LoadNumber m_lastLoad = 0;
  State m_state = State::Loading;
  QString m_stateText;
  double m_loadProgress = 0.0;
  ModelReady m_model;
  bool m_isDemonstration = false;
  EngineStats m_stats;

  QElapsedTimer m_sinceDelivery;
  QTimer m_deliveryTimer;

  // Destroyed first, in the order that each may still call the one above.
  Outbox m_outbox;
  EngineWorker m_worker;
  ModelHost m_host;
};

}  // namespace quire
