#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/engine/model_manager.h"

namespace quire {

/// Pauses and resumes all answers.
/// Thread: the window's.
class PauseControl : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isPaused READ isPaused NOTIFY changed)
  Q_PROPERTY(QString text READ text NOTIFY changed)

 public:
  explicit PauseControl(ModelManager& manager, QObject* parent = nullptr)
      : QObject(parent), m_manager(manager) {
    connect(&manager, &ModelManager::pausedChanged, this, &PauseControl::changed);
  }

  bool isPaused() const { return m_manager.isPaused(); }
  QString text() const {
    return isPaused() ? tr("Resume all answers (Ctrl+Shift+P)")
                      : tr("Pause all answers (Ctrl+Shift+P)");
  }
  Q_INVOKABLE void toggle() { m_manager.setPaused(!isPaused()); }

 signals:
  void changed();

 private:
  ModelManager& m_manager;
};

}  // namespace quire
