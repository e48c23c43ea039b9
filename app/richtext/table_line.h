#pragma once

#include <QStringList>
#include <QStringView>

#include <optional>

namespace quire {

/// The cells of a line of a table, as parseMarkdown() would give them, where that can be told
/// without it: text, and code between single marks. Tables are long and nearly all of their lines
/// are such; the whole parser takes ten times as long for one. None: it must be asked.
std::optional<QStringList> simpleTableCells(QStringView line);

}  // namespace quire
