#include "app/viewmodels/text/block_splitter.h"

namespace quire {
namespace {

qsizetype indentOf(QStringView line) {
  qsizetype indent = 0;
  while (indent < line.size() && (line[indent] == u' ' || line[indent] == u'\t')) ++indent;
  return indent;
}

/// How many of the same fence character open this text; 0 if it is no fence.
qsizetype fenceLength(QStringView text) {
  if (text.isEmpty() || (text[0] != u'`' && text[0] != u'~')) return 0;
  qsizetype length = 1;
  while (length < text.size() && text[length] == text[0]) ++length;
  if (length < 3) return 0;
  const bool backtickInInfo = text[0] == u'`' && text.mid(length).contains(u'`');
  return backtickInInfo ? 0 : length;
}

bool beginsListItem(QStringView line) {
  qsizetype i = 0;
  while (i < line.size() && line[i].isDigit()) ++i;
  if (i == line.size()) return false;
  const bool ordered = i > 0 && (line[i] == u'.' || line[i] == u')');
  const bool bullet = i == 0 && (line[0] == u'-' || line[0] == u'*' || line[0] == u'+');
  return (ordered || bullet) && (i + 1 == line.size() || line[i + 1].isSpace());
}

}  // namespace

void BlockSplitter::append(QStringView text) {
  m_open += text;
  qsizetype end = m_open.indexOf(u'\n', m_scanned);
  while (end >= 0) {
    scanLine(m_scanned, end);
    end = m_open.indexOf(u'\n', m_scanned);
  }
}

QStringList BlockSplitter::takeClosed() {
  return std::exchange(m_closed, {});
}

void BlockSplitter::cutAt(qsizetype position) {
  if (position == 0) return;
  m_closed.append(m_open.left(position));
  m_open.remove(0, position);
  m_isList = false;
}

/// One whole line at [begin, end) of m_open, its line end at `end`; moves m_scanned behind it.
void BlockSplitter::scanLine(qsizetype begin, qsizetype end) {
  const QString line = m_open.mid(begin, end - begin);
  const qsizetype indent = indentOf(line);
  const QStringView rest = QStringView(line).mid(indent);
  const qsizetype length = fenceLength(rest);
  m_scanned = end + 1;
  if (!m_fence.isNull()) {
    const bool closes =
        length >= m_fenceLength && rest[0] == m_fence && rest.mid(length).trimmed().isEmpty();
    if (!closes) return;
    m_fence = QChar();
    m_afterBlank = false;
    if (!m_fenceAtMargin) return;
    cutAt(m_scanned);
    m_scanned = 0;
    return;
  }
  if (rest.trimmed().isEmpty()) {
    m_afterBlank = true;
    return;
  }
  const bool opensFence = length > 0 && (indent < 4 || m_isList);
  const bool item = beginsListItem(line);
  const bool standsAlone = m_afterBlank && indent == 0 && !(m_isList && item);
  if (standsAlone || (opensFence && indent == 0)) {
    cutAt(begin);
    m_scanned -= begin;
    begin = 0;
  }
  if (begin == 0) m_isList = item;
  if (opensFence) {
    m_fence = rest[0];
    m_fenceLength = length;
    m_fenceAtMargin = indent == 0;
  }
  m_afterBlank = false;
}

}  // namespace quire
