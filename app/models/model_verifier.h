#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/models/files/verify_model.h"
#include "app/models/model_card.h"
#include "app/task_runner.h"

namespace quire {

/// Verifies the files of a model against the hashes that are known for them: of its download, of
/// Ollama or of the Hugging Face libraries. One model at a time.
///
/// Thread: the window's; files are read on a thread of its own.
class ModelVerifier : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(bool isRunning READ isRunning NOTIFY changed)
  Q_PROPERTY(bool warns READ warns NOTIFY changed)
  Q_PROPERTY(QString text READ text NOTIFY changed)

 public:
  explicit ModelVerifier(QObject* parent = nullptr) : QObject(parent) {}

  /// Where hashes are kept (HashCache).
  void setCachePath(const QString& path) { m_cachePath = path; }
  bool isRunning() const { return m_isRunning; }
  bool warns() const { return m_warns; }
  QString text() const;  ///< How far it is, or the result; empty: nothing to show.

  Q_INVOKABLE void verify(quire::ModelCard* card);
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void dismiss();

 signals:
  void changed();

 private:
  void onVerified(const Verification& result, const QString& obstacle);

  QString m_cachePath;
  bool m_isRunning = false;
  bool m_warns = false;
  QString m_name;
  QString m_result;
  int m_percent = 0;
  TaskRunner m_tasks;
};

}  // namespace quire
