#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

namespace quire {

/// A second start on the same data folder brings the running window to the front instead, and has
/// it load the model that the start named. The two programs communicate through a file in the
/// folder, which needs no socket: the desktop's activation token in the first line, the path of the
/// model in the second; either may be empty.
///
/// Thread: the window's.
class RaiseRequest : public QObject {
  Q_OBJECT

 public:
  /// Listens for later starts on `dataFolder`, which must exist.
  explicit RaiseRequest(const QString& dataFolder, QObject* parent = nullptr);

  /// For the second start: asks the Quire that runs on this folder to show its window, and to load
  /// `model`, an absolute path, unless that is empty. False if none runs, or it does not answer
  /// within `timeoutMs`.
  static bool askRunning(const QString& dataFolder, int timeoutMs, const QString& model = {});

 signals:
  /// Another start wants this window. `token` is the desktop's activation token; may be empty.
  void requested(const QString& token);
  /// Another start named this model. Only absolute paths are passed on.
  void modelRequested(const QString& path);

 private:
  void look();

  const QString m_folder;
  QFileSystemWatcher m_watcher;
};

}  // namespace quire
