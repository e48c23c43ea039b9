#include "app/richtext/nested_fence.h"

#include <algorithm>

#include "app/richtext/line_marks.h"

namespace quire {
namespace {

/// How deep a line's content stands in items and quotes: its columns of indentation, of which a
/// quote mark has more than a line has spaces.
int depthOf(QStringView line) {
  int depth = 0;
  for (qsizetype i = 0; i < line.size() && isBeforeContent(line[i]); ++i)
    depth += line[i] == u'>' ? 20'001 : line[i] == u'\t' ? 4 - depth % 4 : 1;
  return depth;
}

/// The line with spaces in the place of the list markers before its content.
QString withoutMarkers(QStringView line) {
  QString text = line.toString();
  for (qsizetype at = 0;;) {
    while (at < text.size() && isBeforeContent(text[at])) ++at;
    const QRegularExpressionMatch match = listMarker().match(text.mid(at, 64));
    if (!match.hasMatch()) return text;
    const qsizetype size = match.capturedStart(4);
    text.replace(at, size, QString(size, u' '));
    at += size;
  }
}

}  // namespace

void NestedFence::beginItem(QStringView line, qsizetype contentAt, int contentIndent) {
  // md4c sees content behind more than four spaces in a later column than BlockReader.
  const bool isDeeper = depthOf(withoutMarkers(line.left(contentAt))) > contentIndent;
  followItem(line, contentIndent, isDeeper || beginsWithMarker(line.mid(contentAt).trimmed()));
}

void NestedFence::followItem(QStringView line, int contentIndent, bool beginsItem) {
  m_hasInnerItems |= beginsItem && !isCode();
  const bool wasOpen = isOpen();
  follow(line, false);
  if (wasOpen || !isOpen()) return;
  m_opener = dropIndent(m_opener, contentIndent).toString();
  // md4c ends the code only with the item that holds it. Lines of code often have fewer spaces than
  // their fence.
  if (!m_hasInnerItems) m_depth = std::min(m_depth, contentIndent);
}

void NestedFence::followQuote(QStringView line) {
  follow(line, true);
}

void NestedFence::follow(QStringView line, bool isQuote) {
  const auto contentOf = [isQuote](QStringView text) {
    return isQuote ? withoutQuoteMarks(text) : text.trimmed();
  };
  if (isOpen()) {
    const QStringView content = contentOf(line);
    if (!content.isEmpty() && depthOf(line) < m_depth) m_isDoubtful = true;
    if (closesFence(content, m_fence)) m_fence.clear();
    return;
  }
  if (!line.contains(u"```") && !line.contains(u"~~~")) return;
  const QString unmarked = withoutMarkers(line);
  const QStringView fence = fenceOf(contentOf(unmarked));
  if (fence.isEmpty()) return;
  m_fence = fence.toString();
  m_opener = unmarked;
  m_closer = unmarked.left(unmarked.indexOf(m_fence)) + m_fence;
  m_depth = depthOf(unmarked);
}

}  // namespace quire
