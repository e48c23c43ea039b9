#include "app/richtext/message_blocks.h"

#include <algorithm>
#include <utility>

#include "app/richtext/line_marks.h"

namespace quire {
namespace {

/// Where to split a long line: after a sentence, else after a word, else anywhere.
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

int MessageBlocks::append(QStringView text) {
  const int before = m_stable;
  m_blocks.resize(m_stable);
  m_text += text;
  take(m_scanner.append(text));
  const bool readAll = m_foundStrayEnd;
  if (readAll) readAgain(true, {});
  m_stable = static_cast<int>(m_blocks.size());
  showOpen();
  return readAll ? 0 : before;
}

int MessageBlocks::finish() {
  int changed = m_stable;
  m_blocks.resize(m_stable);
  const auto end = [this] {
    take(m_scanner.finish());
    endPiece();
  };
  end();
  if (m_foundStrayEnd) {
    changed = 0;
    readAgain(true, {});
    end();
  }
  if (const auto definitions = usedDefinitions(); !definitions.isEmpty()) {
    changed = 0;
    readAgain(m_beginsThinking, definitions);
    end();
  }
  m_stable = static_cast<int>(m_blocks.size());
  m_text.clear();
  m_isFinished = true;
  return changed;
}

QHash<QString, QString> MessageBlocks::usedDefinitions() const {
  QHash<QString, QString> used;
  const QHash<QString, QString>& found = m_reader.foundDefinitions();
  for (auto it = found.cbegin(); it != found.cend(); ++it) {
    const QString label = u'[' + it.key() + u']';
    const qsizetype first = m_text.indexOf(label, 0, Qt::CaseInsensitive);
    const bool isUsed = m_text.indexOf(label, first + label.size(), Qt::CaseInsensitive) > 0;
    if (isUsed) used.insert(it.key(), it.value());
  }
  return used;
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

/// Reads the text again from its beginning: the prompt may have opened the reasoning, and a link
/// may be defined after its use.
void MessageBlocks::readAgain(bool beginsThinking, const QHash<QString, QString>& definitions) {
  const QString text = m_text;
  *this = {};
  m_text = text;
  m_beginsThinking = beginsThinking;
  if (beginsThinking) m_scanner.beginThinking();
  m_isThought = beginsThinking;
  m_reader.setThought(beginsThinking);
  m_reader.setDefinitions(definitions);
  take(m_scanner.append(text));
}

}  // namespace quire
