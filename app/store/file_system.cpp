#include "app/store/file_system.h"

#include <QFile>

#include <sys/stat.h>
#include <sys/vfs.h>

namespace quire {
namespace {

struct KnownType {
  quint32 type;
  const char* network;  ///< Null for a local one.
  bool hasPermissions;
};

// The numbers are part of the kernel's interface (linux/magic.h and the file systems' sources).
// FUSE may be a network (sshfs) or not (ntfs-3g); only its permissions are doubtful.
constexpr KnownType kKnown[] = {
    {0x6969, "NFS", true},        {0xff534d42, "SMB", false},   {0xfe534d42, "SMB", false},
    {0x517b, "SMB", false},       {0x5346414f, "AFS", true},    {0x73757245, "Coda", true},
    {0x564c, "NCP", false},       {0x00c36400, "Ceph", true},   {0x0bd00bd0, "Lustre", true},
    {0x01021997, "9P", false},    {0x65735546, nullptr, false}, {0x4d44, nullptr, false},
    {0x2011bab0, nullptr, false}, {0x5346544e, nullptr, false}, {0x7366746e, nullptr, false},
};

}  // namespace

FileSystem fileSystemOfType(quint32 type) {
  for (const KnownType& known : kKnown) {
    if (known.type != type) continue;
    return {.network = QString::fromLatin1(known.network), .hasPermissions = known.hasPermissions};
  }
  return {};
}

FileSystem fileSystemOf(const QString& path) {
  struct statfs found {};
  if (::statfs(QFile::encodeName(path).constData(), &found) != 0) return {};
  return fileSystemOfType(static_cast<quint32>(found.f_type));
}

bool isWritableByOthers(const FolderAccess& folder) {
  if (!folder.hasPermissions) return false;
  const bool byGroup = (folder.mode & S_IWGRP) != 0 && !folder.isGroupPrivate;
  return byGroup || (folder.mode & S_IWOTH) != 0;
}

bool mayBeNarrowed(const FolderAccess& folder) {
  return folder.isOurs && (folder.mode & S_ISVTX) == 0;
}

}  // namespace quire
