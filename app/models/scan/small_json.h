#pragma once

#include <QJsonObject>
#include <QString>

#include "engine/io/json_file.h"

namespace quire {

/// The JSON object in a regular file; empty if there is none, or if it exceeds the limits, which
/// Qt's parser does not have. The files are of Quire or of other applications, and are not trusted.
QJsonObject readSmallJson(const QString& path, const JsonLimits& limits);

/// Replaces a file that may be made again, for this user alone; a symbolic link is replaced and not
/// followed. Returns whether it was replaced; if not, the old file stays.
bool replaceSmallJson(const QString& path, const QJsonObject& root);

}  // namespace quire
