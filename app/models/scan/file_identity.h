#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <optional>

namespace quire {

/// Identifies a file or folder; equal for all its names (symbolic and hard links).
struct FileIdentity {
  quint64 device = 0;
  quint64 inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

inline size_t qHash(const FileIdentity& identity, size_t seed = 0) {
  return qHashMulti(seed, identity.device, identity.inode);
}

/// Follows links; nullopt if the path does not exist or is not accessible.
std::optional<FileIdentity> identityOf(const QString& path);

/// Whether the folder is one of the kernel's (/proc, /sys, …) or one that mounts what is looked up
/// in it. There are no models, and reading it may wait or act.
bool isKernelFolder(const QString& path);

/// A hash of the sizes, modification times and inodes of the files; empty if one of them is
/// missing. Reads no content.
QString stampOf(const QStringList& files);
/// The same of all files that reading the model at `path` may open: the file and the other parts of
/// its set, or the files directly in the folder. Reads folders.
QString stampOfModel(const QString& path);

/// The content of a regular file; empty if it cannot be read or has more than `most` bytes.
QByteArray readSmallFile(const QString& path, qint64 most);

}  // namespace quire
