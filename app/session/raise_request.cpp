#include "app/session/raise_request.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QLockFile>
#include <QThread>

#include <filesystem>

#include "app/session/data_session.h"
#include "app/store/data_folder.h"
#include "engine/io/private_file.h"

namespace quire {
namespace {

constexpr qint64 kMaxTokenBytes = 1024;
constexpr qint64 kMaxPathBytes = 4096;  ///< PATH_MAX of Linux.

/// A separate folder: in the data folder itself every write to the store would wake the watcher.
QString requestFolder(const QString& dataFolder) {
  return QDir(dataFolder).filePath(QStringLiteral("window"));
}

/// Makes it. In the folder that a link names, a file of another program would be removed as a
/// request, and the rights be changed.
bool makeRequestFolder(const QString& dataFolder) {
  const QString folder = requestFolder(dataFolder);
  if (QFileInfo(folder).isSymLink()) QFile::remove(folder);
  return !QFileInfo(folder).isSymLink() && ensureDataFolder(folder);
}

QString requestFile(const QString& dataFolder) {
  return QDir(requestFolder(dataFolder)).filePath(QStringLiteral("raise"));
}

bool isRunning(const QString& dataFolder) {
  if (!DataSession::checkLockFile(dataFolder)) return false;
  QLockFile lock(DataSession::lockPath(dataFolder));
  lock.setStaleLockTime(0);
  return !lock.tryLock(0) && lock.error() == QLockFile::LockFailedError;
}

bool writeRequest(const QString& dataFolder, const QString& model) {
  if (!makeRequestFolder(dataFolder)) return false;
  QByteArray request = qgetenv("XDG_ACTIVATION_TOKEN").left(kMaxTokenBytes).simplified() + '\n';
  if (!model.contains(u'\n')) request += QFile::encodeName(model);
  const std::filesystem::path path(requestFile(dataFolder).toStdU16String());
  return replace_private_file(path, request.toStdString());
}

}  // namespace

RaiseRequest::RaiseRequest(const QString& dataFolder, QObject* parent)
    : QObject(parent), m_folder(dataFolder) {
  // A failure is ignored: then a later start says that this window is open instead of raising it.
  if (!makeRequestFolder(dataFolder)) return;
  QFile::remove(requestFile(dataFolder));  // A request that was never answered.
  m_watcher.addPath(requestFolder(dataFolder));
  connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &RaiseRequest::look);
}

void RaiseRequest::look() {
  if (QFileInfo(requestFolder(m_folder)).isSymLink()) return;
  QFile file(requestFile(m_folder));
  // Opening a pipe would wait for its other end.
  if (!QFileInfo(file.fileName()).isFile() || !file.open(QIODevice::ReadOnly)) return;
  const QByteArray request = file.read(kMaxTokenBytes + 1 + kMaxPathBytes);
  file.close();
  if (!file.remove()) return;  // Removing the file is the answer to the other program.
  const qsizetype end = request.indexOf('\n');
  emit requested(QString::fromUtf8(request.left(end)));
  const QString model = end < 0 ? QString() : QFile::decodeName(request.mid(end + 1));
  if (QDir::isAbsolutePath(model)) emit modelRequested(model);
}

bool RaiseRequest::askRunning(const QString& dataFolder, int timeoutMs, const QString& model) {
  constexpr int kPollMs = 10;
  if (!isRunning(dataFolder) || !writeRequest(dataFolder, model)) return false;
  QElapsedTimer timer;
  for (timer.start(); timer.elapsed() < timeoutMs; QThread::msleep(kPollMs)) {
    if (!QFile::exists(requestFile(dataFolder))) return true;
  }
  QFile::remove(requestFile(dataFolder));
  return false;
}

}  // namespace quire
