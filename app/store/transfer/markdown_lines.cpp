#include "app/store/transfer/markdown_lines.h"

#include <QDate>

namespace quire {
namespace {

QString withoutSlashes(const QString& line) {
  qsizetype slashes = 0;
  while (slashes < line.size() && line[slashes] == u'\\') ++slashes;
  return line.mid(slashes);
}

/// The line is a heading of ours, or one behind backslashes.
bool isMarkable(const QStringList& lines, qsizetype line) {
  const QString bare = withoutSlashes(lines[line]);
  if (isMessageHeading(bare)) return true;
  return bare.startsWith(QLatin1String("# ")) &&
         isChatHeading({bare, lines.value(line + 1), lines.value(line + 2)}, 0);
}

}  // namespace

bool FenceWatch::isOutside(QStringView line) {
  qsizetype run = 0;
  while (run < line.size() && line[run] == u'`') ++run;
  if (m_open == 0) {
    // With a backtick behind it, it is code within a line.
    if (run < 3 || line.mid(run).contains(u'`')) return true;
    m_open = run;
  } else if (run >= m_open && line.mid(run).trimmed().isEmpty()) {
    m_open = 0;
  }
  return false;
}

bool isMessageHeading(QStringView line) {
  if (line == QLatin1String("## You") || line == QLatin1String("## Answer")) return true;
  return line.startsWith(QLatin1String("## Answer (")) && line.endsWith(u')');
}

bool isChatHeading(const QStringList& lines, qsizetype line) {
  if (line + 2 >= lines.size() || !lines[line].startsWith(QLatin1String("# "))) return false;
  return lines[line + 1].isEmpty() && QDate::fromString(lines[line + 2], Qt::ISODate).isValid();
}

QString toExportedText(const QString& text) {
  const QStringList lines = text.split(u'\n');
  QStringList written;
  FenceWatch fences;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const bool isOutside = fences.isOutside(lines[i]);
    written.append(isOutside && isMarkable(lines, i) ? u'\\' + lines[i] : lines[i]);
  }
  if (!fences.closing().isEmpty()) written.append(fences.closing());
  return written.join(u'\n');
}

QString withoutMark(const QStringList& lines, qsizetype line) {
  const bool isMarked = lines[line].startsWith(u'\\') && isMarkable(lines, line);
  return isMarked ? lines[line].mid(1) : lines[line];
}

}  // namespace quire
