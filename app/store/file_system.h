#pragma once

#include <QString>

namespace quire {

/// What the system says of the file system that holds a path.
struct FileSystem {
  QString network;             ///< The name of its protocol, such as "NFS"; empty for a local one.
  bool hasPermissions = true;  ///< False if all of its files have the permissions of the mount.
};

/// The file system of an existing path; a local one with permissions if that is not known.
FileSystem fileSystemOf(const QString& path);
/// The same from the number of a file system (platform::file_system_type()).
FileSystem fileSystemOfType(quint32 type);

/// Who may write into a folder.
struct FolderAccess {
  quint32 mode = 0;             ///< Its permissions, with the sticky bit.
  bool isOurs = true;           ///< The user owns it.
  bool isGroupPrivate = false;  ///< The user is the only member of its group.
  bool hasPermissions = true;   ///< As in FileSystem.
};

/// Whether users other than its owner and the superuser may make files in the folder.
bool isWritableByOthers(const FolderAccess& folder);
/// Whether its owner may take that right away. Not from a sticky folder, such as /tmp, which is
/// meant for everybody.
bool mayBeNarrowed(const FolderAccess& folder);

}  // namespace quire
