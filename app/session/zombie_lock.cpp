#include "app/session/zombie_lock.h"

#include <QFile>
#include <QSysInfo>

namespace quire {
namespace {

/// The state is the first letter behind the program's name, which may hold any character.
bool isZombie(qint64 pid) {
  QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QByteArray stat = file.read(4096);
  return stat.mid(stat.lastIndexOf(')') + 1).trimmed().startsWith('Z');
}

}  // namespace

void removeLockOfZombie(QLockFile& lock) {
  qint64 pid = 0;
  QString host, program;
  if (!lock.getLockInfo(&pid, &host, &program)) return;
  const bool isHere = host.isEmpty() || host == QSysInfo::machineHostName();
  if (isHere && isZombie(pid)) lock.removeStaleLockFile();
}

}  // namespace quire
