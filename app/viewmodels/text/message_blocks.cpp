#include "app/viewmodels/text/message_blocks.h"

#include <algorithm>

namespace quire {
namespace {

/// A last line such as "-", "1." or "``" becomes a list, a fence or an underline with the next
/// characters; drawn at once it would flicker as something else.
bool mayBecomeMarker(QStringView line) {
  const QStringView text = line.trimmed();
  if (text.size() > 4) return false;
  return std::all_of(text.begin(), text.end(), [](QChar c) {
    return c.isDigit() || QStringLiteral("-+*_=#>|`~.)").contains(c);
  });
}

qsizetype countOf(QStringView text, QStringView mark) {
  qsizetype count = 0;
  for (qsizetype at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.size()))
    ++count;
  return count;
}

QStringView lastParagraph(const QString& text) {
  return QStringView(text).mid(std::max<qsizetype>(0, text.lastIndexOf(u"\n\n")));
}

bool isInsideFence(QStringView text) {
  bool inside = false;
  for (QStringView line : text.split(u'\n')) {
    const QStringView rest = line.trimmed();
    if (rest.startsWith(u"```") || rest.startsWith(u"~~~")) inside = !inside;
  }
  return inside;
}

}  // namespace

QString presentableTail(const QString& open) {
  if (isInsideFence(open)) {
    const qsizetype lastLine = open.lastIndexOf(u'\n') + 1;
    const QStringView line = QStringView(open).mid(lastLine);
    const bool closing = !line.isEmpty() && (line == u"`" || line == u"``");
    return closing ? open.left(lastLine) : open;
  }
  const qsizetype lastLine = open.lastIndexOf(u'\n') + 1;
  QString shown = mayBecomeMarker(QStringView(open).mid(lastLine)) ? open.left(lastLine) : open;
  while (!shown.isEmpty() && shown.back().isSpace()) shown.chop(1);
  if (countOf(lastParagraph(shown), u"`") % 2 == 1) return shown + u'`';
  if (countOf(lastParagraph(shown), u"**") % 2 == 0) return shown;
  while (shown.endsWith(u'*') || shown.endsWith(u' ')) shown.chop(1);
  return countOf(lastParagraph(shown), u"**") % 2 == 1 ? shown + QStringLiteral("**") : shown;
}

void MessageBlocks::append(QStringView text) {
  m_splitter.append(text);
  parse(presentableTail(m_splitter.open()));
}

void MessageBlocks::finish() {
  parse(m_splitter.open());
}

void MessageBlocks::parse(const QString& open) {
  m_blocks.resize(m_stable);
  for (const QString& chunk : m_splitter.takeClosed()) m_blocks += parseMarkdown(chunk);
  m_stable = static_cast<int>(m_blocks.size());
  m_blocks += parseMarkdown(open);
}

}  // namespace quire
