#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

namespace quire {

/// A second start on the same data folder brings the running window to the front instead. The two
/// programs communicate through a file in the folder, which needs no socket.
///
/// Thread: the window's.
class RaiseRequest : public QObject {
  Q_OBJECT

 public:
  /// Listens for later starts on `dataFolder`, which must exist.
  explicit RaiseRequest(const QString& dataFolder, QObject* parent = nullptr);

  /// For the second start: asks the Quire that runs on this folder to show its window. False if
  /// none runs, or it does not answer within `timeoutMs`.
  static bool askRunning(const QString& dataFolder, int timeoutMs);

 signals:
  /// Another start wants this window. `token` is the desktop's activation token; may be empty.
  void requested(const QString& token);

 private:
  void look();

  const QString m_folder;
  QFileSystemWatcher m_watcher;
};

}  // namespace quire
