#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "app/engine/model_manager.h"

namespace quire {

/// What the window says about whatever answers: its model, its device, and whether it is ready.
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
  bool isFailed() const;
  double progress() const;
  QString notice() const;  ///< Why nothing can be sent now, and what to do; empty when ready.
  /// Why no model is loaded; empty unless it failed.
  QString failure() const { return isFailed() ? m_manager.stateText() : QString(); }
  QString introduction() const;  ///< Of the model, for a new chat.
  /// That the model's files hold no chat format, and which is used; empty if they hold one.
  QString templateNotice() const;
  QString modelName() const;
  QString modelLabel() const;
  QString modelHint() const;
  QString deviceName() const;
  QString deviceHint() const;  ///< What the device is to the model, and why it is this one.
  int contextLength() const;
  bool isDemonstration() const;
  QString throughputText() const { return m_throughputText; }

 signals:
  void changed();
  void throughputChanged();

 private:
  void onThroughput(double tokensPerSecond, int running);

  ModelManager& m_manager;
  QString m_throughputText;
};

}  // namespace quire
