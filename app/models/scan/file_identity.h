#pragma once

#include <QHash>
#include <QString>

#include <optional>

namespace quire {

/// The same for every name of one file or folder: through symbolic and hard links.
struct FileIdentity {
  quint64 device = 0;
  quint64 inode = 0;

  bool operator==(const FileIdentity&) const = default;
};

inline size_t qHash(const FileIdentity& identity, size_t seed = 0) {
  return qHashMulti(seed, identity.device, identity.inode);
}

/// Follows links; nothing for what does not exist or may not be looked at.
std::optional<FileIdentity> identityOf(const QString& path);

/// Sizes and times of these files in one short text, which differs if any of them was changed;
/// empty if one of them is missing. Reads no file.
QString stampOf(const QStringList& files);

}  // namespace quire
