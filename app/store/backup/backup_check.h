#pragma once

#include <QString>

#include <optional>

namespace quire {

/// The bytes that a backup takes on the disk; none if it is no backup that could be restored: no
/// file, a link, a file whose size is not the one in its header, or not a database of Quire's.
/// Reads the header and the schema only, because backups may be large. Thread: any.
std::optional<qint64> bytesOfUsable(const QString& path);

}  // namespace quire
