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
  const bool isReplaced = read(text);
  if (!m_isEnded) showOpen();
  return isReplaced ? 0 : before;
}

/// Reads more text without showing the open section. True: all blocks were replaced.
bool MessageBlocks::read(QStringView text) {
  m_text += text;
  if (!m_isEnded) {
    m_blocks.resize(m_stable);
    take(m_scanner.append(text));
    m_stable = static_cast<int>(m_blocks.size());
    if (m_foundStrayEnd && !m_again) beginAgain(true, {});
  }
  qsizetype characters = text.size() + kSlice;
  return m_again && catchUp(characters);
}

int MessageBlocks::finish(qsizetype characters) {
  int changed = m_stable;
  m_isResumed = false;
  if (!m_isEnded) end();
  while (!m_isFinished) {
    if (m_again) {
      if (!catchUp(characters)) return changed;
      changed = 0;
      end();
    }
    if (m_foundStrayEnd && !m_again) beginAgain(true, {});
    if (m_again) continue;
    if (!m_isResolved && !countUses(characters)) return changed;
    if (const auto definitions = usedDefinitions(); !definitions.isEmpty()) {
      beginAgain(m_beginsThinking, definitions);
      continue;
    }
    m_text.clear();
    m_isFinished = true;
  }
  return changed;
}

void MessageBlocks::resume(QStringView text) {
  m_text = text.toString();
  m_isEnded = true;
  m_isResumed = true;
  m_isFinished = false;
  m_again = std::make_unique<MessageBlocks>();
}

void MessageBlocks::end() {
  m_blocks.resize(m_stable);
  take(m_scanner.finish());
  endPiece();
  m_stable = static_cast<int>(m_blocks.size());
  m_isEnded = true;
}

/// Counts the labels of definitions in at most `characters` more of the text, and reduces
/// `characters` by that. True: they are counted in all of it.
bool MessageBlocks::countUses(qsizetype& characters) {
  constexpr qsizetype kLongestLabel = 200;
  const QHash<QString, QString>& found = m_reader.foundDefinitions();
  if (found.isEmpty()) return true;
  const qsizetype count = std::min(characters, m_text.size() - m_usesCounted);
  const qsizetype end = m_usesCounted + count;
  const QStringView counted = QStringView(m_text).first(end);
  for (qsizetype at = counted.indexOf(u'[', m_usesCounted); at >= 0;
       at = counted.indexOf(u'[', at + 1)) {
    const QStringView rest = QStringView(m_text).mid(at + 1, kLongestLabel + 1);
    const QStringView label = rest.first(std::max<qsizetype>(0, rest.indexOf(u']')));
    const auto definition = found.constFind(label.toString().toCaseFolded());
    // BlockReader compares in this way, which differs for letters such as "ß".
    if (definition != found.cend() && label.compare(definition.key(), Qt::CaseInsensitive) == 0)
      ++m_uses[definition.key()];
  }
  m_usesCounted = end;
  characters -= count;
  return end == m_text.size();
}

/// The definitions whose labels occur elsewhere, too.
QHash<QString, QString> MessageBlocks::usedDefinitions() const {
  QHash<QString, QString> used;
  for (auto it = m_uses.cbegin(); it != m_uses.cend(); ++it) {
    if (it.value() > 1) used.insert(it.key(), m_reader.foundDefinitions().value(it.key()));
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
  const bool mayBeStray = !m_isResolved && !m_scanner.hasThought() && !m_reader.isInCode();
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

/// Begins to read the text again: the prompt may have opened the reasoning, and a link may be
/// defined after its use.
void MessageBlocks::beginAgain(bool beginsThinking, const QHash<QString, QString>& definitions) {
  m_again = std::make_unique<MessageBlocks>();
  m_again->m_beginsThinking = beginsThinking;
  if (beginsThinking) m_again->m_scanner.beginThinking();
  m_again->m_isThought = beginsThinking;
  m_again->m_isResolved = !definitions.isEmpty();
  m_again->m_reader.setThought(beginsThinking);
  m_again->m_reader.setDefinitions(definitions);
}

/// Goes on with m_again for at most `characters`, and reduces `characters` by what was read. True:
/// it has read all of the text, so that its blocks have replaced those of the first reading.
bool MessageBlocks::catchUp(qsizetype& characters) {
  const QStringView unread = QStringView(m_text).mid(m_again->m_text.size());
  const QStringView slice = unread.first(std::min(characters, unread.size()));
  m_again->read(slice);
  characters -= slice.size();
  if (slice.size() < unread.size()) return false;
  const std::unique_ptr<MessageBlocks> again = std::move(m_again);
  *this = std::move(*again);
  return true;
}

}  // namespace quire
