#include "app/richtext/message_blocks.h"

#include <algorithm>
#include <utility>

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

/// Where a line that is too long is cut: behind a sentence, else a word, else anywhere.
qsizetype cutIn(QStringView text) {
  const qsizetype from = text.size() * 3 / 5;
  qsizetype space = -1;
  for (qsizetype i = text.size() - 1; i > from; --i) {
    if (QStringView(u"。！？").contains(text[i])) return i + 1;
    if (!text[i].isSpace()) continue;
    if (space < 0) space = i + 1;
    if (QStringView(u".!?:;").contains(text[i - 1])) return i + 1;
  }
  if (space > 0) return space;
  return text.size() - (text.back().isHighSurrogate() ? 1 : 0);
}

}  // namespace

QString presentableTail(const QString& open) {
  const qsizetype lastLine = open.lastIndexOf(u'\n') + 1;
  QString shown = mayBecomeMarker(QStringView(open).mid(lastLine)) ? open.left(lastLine) : open;
  while (!shown.isEmpty() && shown.back().isSpace()) shown.chop(1);
  if (countOf(lastParagraph(shown), u"`") % 2 == 1) return shown + u'`';
  if (countOf(lastParagraph(shown), u"**") % 2 == 0) return shown;
  while (shown.endsWith(u'*') || shown.endsWith(u' ')) shown.chop(1);
  return countOf(lastParagraph(shown), u"**") % 2 == 1 ? shown + QStringLiteral("**") : shown;
}

int MessageBlocks::append(QStringView text) {
  const int before = m_stable;
  m_blocks.resize(m_stable);
  if (!m_scanner.hasThought()) m_text += text;
  take(m_scanner.append(text));
  const bool begunAgain = m_foundStrayEnd;
  if (begunAgain) beginAgainAsThought();
  m_stable = static_cast<int>(m_blocks.size());
  showOpen();
  return begunAgain ? 0 : before;
}

void MessageBlocks::finish() {
  m_blocks.resize(m_stable);
  take(m_scanner.finish());
  endPiece();
  if (m_foundStrayEnd) {
    beginAgainAsThought();
    take(m_scanner.finish());
    endPiece();
  }
  m_stable = static_cast<int>(m_blocks.size());
  m_text.clear();
  m_isFinished = true;
}

void MessageBlocks::take(const QList<ReasoningScanner::Piece>& pieces) {
  for (const ReasoningScanner::Piece& piece : pieces) {
    if (piece.isThought != m_isThought) {
      endPiece();
      m_isThought = piece.isThought;
      m_reader.setThought(m_isThought);
    }
    if (m_isThought) m_thoughtLength += piece.text.size();
    readLines(piece.text);
  }
}

void MessageBlocks::readLines(QStringView text) {
  qsizetype at = 0;
  for (qsizetype end = text.indexOf(u'\n'); end >= 0; end = text.indexOf(u'\n', at)) {
    if (m_line.isEmpty()) {
      readLine(text.mid(at, end - at));
    } else {
      m_line += text.mid(at, end - at);
      readLine(std::exchange(m_line, QString()));
    }
    at = end + 1;
  }
  m_line += text.mid(at);
  readLongBeginnings(m_line);
  m_blocks += m_reader.takeBlocks();
}

void MessageBlocks::readLine(QStringView line) {
  const bool mayBeStray = !m_scanner.hasThought() && !m_reader.isInCode();
  if (mayBeStray && ReasoningScanner::isStrayEnd(line)) m_foundStrayEnd = true;
  if (line.size() <= BlockReader::kMaxLeaf) return m_reader.line(line);
  QString rest = line.toString();
  readLongBeginnings(rest);
  m_reader.line(rest);
}

void MessageBlocks::readLongBeginnings(QString& line) {
  qsizetype at = 0;
  while (line.size() - at > BlockReader::kMaxLeaf) {
    const qsizetype length = cutIn(QStringView(line).mid(at, BlockReader::kMaxLeaf));
    m_reader.beginningOfLine(QStringView(line).mid(at, length));
    at += length;
  }
  if (at > 0) line.remove(0, at);
}

void MessageBlocks::endPiece() {
  if (!m_line.isEmpty()) readLine(std::exchange(m_line, QString()));
  m_reader.finish();
  m_blocks += m_reader.takeBlocks();
}

void MessageBlocks::showOpen() {
  BlockReader open = m_reader;
  const bool hold = open.isInCode() ? open.mayEndCode(m_line) : mayBecomeMarker(m_line);
  if (!m_line.isEmpty() && !hold) open.line(m_line);
  open.finishForNow();
  m_blocks += open.takeBlocks();
}

/// Some templates open the reasoning in the prompt: only its end is in the answer.
void MessageBlocks::beginAgainAsThought() {
  const QString text = m_text;
  *this = {};
  m_scanner.beginThinking();
  m_isThought = true;
  m_reader.setThought(true);
  take(m_scanner.append(text));
}

}  // namespace quire
