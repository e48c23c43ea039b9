#include "app/richtext/table_line.h"

#include <QString>

#include "app/richtext/markdown_block.h"

namespace quire {
namespace {

/// Characters that may mean something to Markdown: everywhere, or outside of code only.
constexpr QStringView kMarks = u"\\<&$\uFDD0";
constexpr QStringView kMarksOutsideCode = u"*_~[";

/// The text of a code span: a space on either side belongs to its marks.
QStringView codeText(QStringView inner) {
  const bool isPadded = inner.startsWith(u' ') && inner.endsWith(u' ');
  return isPadded && !inner.trimmed().isEmpty() ? inner.mid(1).chopped(1) : inner;
}

std::optional<QString> simpleCell(QStringView cell) {
  QString markup;
  qsizetype at = 0;
  for (qsizetype mark = cell.indexOf(u'`'); mark >= 0; mark = cell.indexOf(u'`', at)) {
    const qsizetype end = cell.indexOf(u'`', mark + 1);
    const bool isAdjacent = end == mark + 1 || (end >= 0 && cell.mid(end + 1).startsWith(u'`'));
    if (end < 0 || isAdjacent) return std::nullopt;
    markup += escapeMarkup(cell.mid(at, mark - at)) + QStringLiteral("<code>") +
              escapeMarkup(codeText(cell.mid(mark + 1, end - mark - 1))) +
              QStringLiteral("</code>");
    at = end + 1;
  }
  return markup + escapeMarkup(cell.mid(at));
}

bool isSimple(QStringView line) {
  bool inCode = false;
  for (const QChar c : line) {
    if (c == u'`') inCode = !inCode;
    if (kMarks.contains(c) || (!inCode && kMarksOutsideCode.contains(c))) return false;
    if (inCode && c == u'|') return false;
  }
  return !inCode && !line.contains(u"://");
}

}  // namespace

std::optional<QStringList> simpleTableCells(QStringView line) {
  if (!isSimple(line)) return std::nullopt;
  line = line.trimmed();
  if (line.startsWith(u'|')) line = line.mid(1);
  if (line.endsWith(u'|')) line.chop(1);
  QStringList cells;
  for (const QStringView cell : line.split(u'|')) {
    if (cell.isEmpty()) return std::nullopt;  // The parser takes "||" in a way of its own.
    auto markup = simpleCell(cell.trimmed());
    if (!markup) return std::nullopt;
    cells.append(std::move(*markup));
  }
  return cells;
}

}  // namespace quire
