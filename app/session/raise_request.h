#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

namespace quire {

/// A second start on the same data folder brings the running window to the front instead. The two
/// meet through a file in the folder, so that no socket is opened for it.
///
/// Thread: the window's.
class RaiseRequest : public QObject {
  Q_OBJECT

 public:
  /// Listens for later starts on `dataFolder`, which exists.
  explicit RaiseRequest(const QString& dataFolder, QObject* parent = nullptr);

  /// For the second start: asks the Quire that has this folder to show itself. False if there is
  /// none, or it does not answer within `timeoutMs`.
  static bool askRunning(const QString& dataFolder, int timeoutMs);

 signals:
  /// Another start wants this window. `token` is the desktop's leave to raise it; may be empty.
  void requested(const QString& token);

 private:
  void look();

  const QString m_folder;
  QFileSystemWatcher m_watcher;
};

}  // namespace quire
