#pragma once

#include <QString>

namespace quire {

/// Whether a path from the network stays within the folder that it is appended to, on every system:
/// relative, of at most four parts, without "..", hidden names, names of devices, and characters
/// that a file system or a terminal interprets.
bool isSafePath(const QString& path);

/// Whether a text can be a part of a model's name: letters, digits, '.', '_' and '-', the first of
/// them a letter or a digit, at most 96.
bool isSafeName(const QString& text);

}  // namespace quire
