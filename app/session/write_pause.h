#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/session/data_session.h"

namespace quire {

/// What the window says while nothing can be written, because the disk is full above all.
/// Thread: the window's.
class WritePause : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isPaused READ isPaused NOTIFY changed)
  Q_PROPERTY(QString sentence READ sentence NOTIFY changed)

 public:
  explicit WritePause(DataSession& session, QObject* parent = nullptr);

  bool isPaused() const { return !m_sentence.isEmpty(); }
  QString sentence() const { return m_sentence; }
  Q_INVOKABLE void tryNow();

 signals:
  void changed();

 private:
  void set(const QString& sentence);

  DataSession& m_session;
  QString m_sentence;
};

}  // namespace quire
