#include "app/store/file_system.h"

#include "platform/file.h"
#include "platform/folder.h"

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
  return fileSystemOfType(platform::file_system_type(platform::utf8_path(path.toStdString())));
}

bool isWritableByOthers(const FolderAccess& folder) {
  if (!folder.hasPermissions) return false;
  const bool byGroup = (folder.mode & platform::kGroupMayWrite) != 0 && !folder.isGroupPrivate;
  return byGroup || (folder.mode & platform::kOthersMayWrite) != 0;
}

bool mayBeNarrowed(const FolderAccess& folder) {
  return folder.isOurs && (folder.mode & platform::kIsSticky) == 0;
}

}  // namespace quire
