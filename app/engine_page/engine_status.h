#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "app/engine/model_manager.h"

namespace quire {

/// The primary model and its device as the window shows them, and whether it is ready.
/// Thread: the window's.
class EngineStatus : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(bool loading READ isLoading NOTIFY changed)
  Q_PROPERTY(bool ready READ isReady NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY changed)
  Q_PROPERTY(QString notice READ notice NOTIFY changed)
  Q_PROPERTY(QString failure READ failure NOTIFY changed)
  Q_PROPERTY(QString introduction READ introduction NOTIFY changed)
  Q_PROPERTY(QString modelLabel READ modelLabel NOTIFY changed)
  Q_PROPERTY(QString modelHint READ modelHint NOTIFY changed)
  Q_PROPERTY(QString deviceName READ deviceName NOTIFY changed)
  Q_PROPERTY(QString deviceHint READ deviceHint NOTIFY changed)
  Q_PROPERTY(bool demonstration READ isDemonstration NOTIFY changed)
  Q_PROPERTY(QString throughputText READ throughputText NOTIFY throughputChanged)

 public:
  explicit EngineStatus(ModelManager& manager, QObject* parent = nullptr);

  bool isLoading() const { return m_manager.state() == ModelManager::State::Loading; }
  bool isReady() const;
  bool isFailed() const { return m_manager.state() == ModelManager::State::Failed; }
  double progress() const { return m_manager.loadProgress(); }
  QString notice() const;  ///< Why no message can be sent, and what to do; empty if ready.
  /// Why no model is loaded; empty unless it failed.
  QString failure() const { return isFailed() ? m_manager.stateText() : QString(); }
  QString introduction() const;  ///< Introduces the model in an empty chat.
  QString modelName() const { return m_manager.modelName(); }
  QString modelLabel() const;
  QString modelHint() const;
  QString deviceName() const;
  QString deviceHint() const;  ///< Explains the device, and why it was selected.
  bool isDemonstration() const { return m_manager.primaryModel().isDemonstration; }
  QString throughputText() const { return m_throughputText; }

 signals:
  void changed();
  void throughputChanged();

 private:
  /// Which chat template is used if the model's files have none; else empty.
  QString templateNotice() const;
  void onThroughput(double tokensPerSecond, int running);

  ModelManager& m_manager;
  QString m_throughputText;
};

}  // namespace quire
