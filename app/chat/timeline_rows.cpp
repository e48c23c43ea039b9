// Makes the rows of a timeline from messages, and updates them with few changes.
#include <QElapsedTimer>

#include <algorithm>

#include "app/chat/timeline_model.h"
#include "app/documents/attachment_reader.h"

namespace quire {
namespace {

TimelineModel::RowKind rowKindOf(BlockKind kind) {
  using Row = TimelineModel::RowKind;
  constexpr Row kKinds[] = {Row::Paragraph, Row::Heading, Row::Code,
                            Row::Table,     Row::Rule,    Row::Formula};  // In BlockKind's order.
  return kKinds[static_cast<size_t>(kind)];
}

/// Characters that are loaded at once when a chat is opened.
constexpr qsizetype kFirstText = 20000;
constexpr qsizetype kPiece = 16384;  ///< Characters that are parsed between two time checks.
constexpr int kUserLines = 60;       ///< Most lines of a user's message in one row.
constexpr qsizetype kUserCharacters = 3000;

}  // namespace

qsizetype TimelineModel::userPieceEnd(const QString& text, qsizetype from) {
  return pieceEnd(text, from, kUserLines, kUserCharacters);
}

TimelineModel::Parsed& TimelineModel::parsedOf(RecordId messageId) {
  std::shared_ptr<Parsed>& parsed = m_parsed[messageId];
  if (!parsed) parsed = std::make_shared<Parsed>();
  return *parsed;
}

/// Parses up to `characters` more of a message, or reads as many again. True: it is all parsed.
bool TimelineModel::parseMore(const MessageRecord& message, qsizetype characters) {
  if (message.role == MessageRole::User) return true;
  Parsed& parsed = parsedOf(message.id);
  const bool streams = message.status == MessageStatus::Streaming;
  if (parsed.length == 0) parsed.isFoldable = !streams;
  const QString text = message.text();  // Once: texts of several parts are joined anew.
  const qsizetype count = std::min(characters, text.size() - parsed.length);
  if (count > 0) {
    parsed.blocks.append(QStringView(text).mid(parsed.length, count));
    parsed.length += count;
  }
  if (parsed.length < text.size()) return false;
  if (!streams && !parsed.blocks.isFinished()) {
    parsed.blocks.finish(characters - count);
    if (!parsed.blocks.isFinished()) return false;
  }
  // Reasoning without an answer is shown unfolded.
  if (parsed.blocks.isThinking() && parsed.blocks.isFinished()) parsed.isThoughtOpen = true;
  return true;
}

QList<TimelineModel::Row> TimelineModel::rowsOf(const MessageRecord& message) {
  if (message.role == MessageRole::User) return userRows(message);
  while (!parseMore(message, kPiece)) {
  }
  QList<Row> rows = blockRows(message, 0);
  rows.append({RowKind::Footer, message.id, rows.isEmpty(), {}, 0});
  return rows;
}

/// The message in parts; of a long message only the first one, unless it is unfolded.
QList<TimelineModel::Row> TimelineModel::userRows(const MessageRecord& message) {
  if (message.id == m_edited) return {{RowKind::Editor, message.id, true, {}, 0}};
  QList<Row> rows;
  const bool unfolded = parsedOf(message.id).unfolded.contains(0);
  qsizetype at = 0;
  do {
    const qsizetype end = userPieceEnd(message.text(), at);
    Row row{RowKind::User, message.id, rows.isEmpty(), {}, static_cast<int>(rows.size())};
    row.block.text = message.text().mid(at, end - at);
    row.block.part = row.blockIndex;
    row.block.isLastPart = end == message.text().size() || !unfolded;
    row.block.isJoined = end < message.text().size() && !unfolded;  // The rest is folded.
    if (end < message.text().size() && row.block.text.endsWith(u'\n')) row.block.text.chop(1);
    row.direction = directionOf(row.block.text);
    if (row.direction == TextDirection::None && !rows.isEmpty())
      row.direction = rows.last().direction;
    rows.append(row);
    at = end;
  } while (unfolded && at < message.text().size());
  return rows;
}

void TimelineModel::noteDirections(Parsed& parsed, int from) {
  const QList<MarkdownBlock>& blocks = parsed.blocks.blocks();
  const qsizetype first = std::min<qsizetype>(from, parsed.directions.size());
  parsed.directions.resize(blocks.size());
  for (qsizetype i = first; i < blocks.size(); ++i) {
    const MarkdownBlock* before = i > 0 ? &blocks[i - 1] : nullptr;
    const TextDirection previous = i > 0 ? parsed.directions[i - 1] : TextDirection::None;
    parsed.directions[i] = directionOfBlock(blocks[i], before, previous);
  }
}

/// With a mark for lists from right to left, where the dot of "1." is left of the number.
QString TimelineModel::markerOf(const Row& row) const {
  const QString& marker = row.block.marker;
  const bool isReversed = !marker.isEmpty() && readsRightToLeft(row.direction);
  return isReversed ? QChar(0x200f) + marker : marker;
}

QList<TimelineModel::Row> TimelineModel::blockRows(const MessageRecord& message, int from) {
  if (message.id == m_edited) return {{RowKind::Editor, message.id, true, {}, 0}};
  Parsed& parsed = parsedOf(message.id);
  const QList<MarkdownBlock>& blocks = parsed.blocks.blocks();
  noteDirections(parsed, from);
  QList<Row> rows;
  for (qsizetype i = from; i < blocks.size(); ++i) {
    const MarkdownBlock& block = blocks[i];
    const int at = static_cast<int>(i);
    const bool beginsThought = block.isThought && (i == 0 || !blocks[i - 1].isThought);
    if (beginsThought) {
      Row row{RowKind::Thought, message.id, i == 0, {}, at};
      row.block.isThought = true;
      rows.append(row);
    }
    if (block.isThought && !parsed.isThoughtOpen) continue;
    if (block.kind == BlockKind::Code && block.part > 0 && isFolded(parsed, i)) continue;
    const bool isFirst = i == 0 && !beginsThought;
    rows.append({rowKindOf(block.kind), message.id, isFirst, block, at, parsed.directions[i]});
  }
  return rows;
}

int TimelineModel::rowAtPosition(qsizetype position) const {
  const auto row = std::partition_point(m_rows.cbegin(), m_rows.cend(), [&](const Row& one) {
    return m_positions.value(one.message) < position;
  });
  return static_cast<int>(row - m_rows.cbegin());
}

int TimelineModel::firstRowOf(RecordId messageId) const {
  const auto position = m_positions.constFind(messageId);
  if (position == m_positions.cend()) return -1;
  const int row = rowAtPosition(*position);
  return row < m_rows.size() && m_rows[row].message == messageId ? row : -1;
}

int TimelineModel::lastRowOf(RecordId messageId) const {
  return firstRowOf(messageId) < 0 ? -1 : rowAtPosition(m_positions.value(messageId) + 1) - 1;
}

void TimelineModel::appendText(RecordId messageId, QStringView text) {
  const MessageRecord* message = m_conversation.find(messageId);
  Parsed* parsed = findParsed(messageId);
  if (!message || !parsed) return;  // Not shown yet: the whole text is parsed when it is.
  const QString whole = message->text();
  const qsizetype before = whole.size() - text.size();
  if (parsed->blocks.isEnded()) {  // A continued answer.
    m_unfinished.remove(messageId);
    parsed->blocks.resume(QStringView(whole).first(before));
    parsed->length = before;
  }
  if (parsed->length != before) return;  // It is still being loaded in slices.
  const int from = parsed->blocks.append(text);
  parsed->length = whole.size();
  m_thoughts.note(messageId, parsed->blocks.isThinking());
  syncBlocks(messageId, from);
  emit textsChanged(messageId, from);
}

void TimelineModel::finishMessage(RecordId messageId) {
  m_phases.remove(messageId);
  const MessageRecord* message = m_conversation.find(messageId);
  const Parsed* parsed = findParsed(messageId);
  if (!message || !parsed) return;
  m_thoughts.note(messageId, false);
  if (parsed->length < message->text().size()) return;  // It is still being loaded in slices.
  finishBlocks(messageId);
}

/// Ends the blocks of an answer. If a long one has to be read again, that goes on between frames.
void TimelineModel::finishBlocks(RecordId messageId) {
  Parsed* parsed = findParsed(messageId);
  const bool wasEnded = parsed->blocks.isEnded();
  const int changed = parsed->blocks.finish(kPiece);
  if (parsed->blocks.isFinished()) {
    m_unfinished.remove(messageId);
  } else {
    m_unfinished.insert(messageId);
    m_loadTimer.start();
    if (wasEnded && changed > 0) return;  // All blocks are shown already.
  }
  const bool isOnlyThought = parsed->blocks.isThinking();
  if (isOnlyThought) parsed->isThoughtOpen = true;
  syncBlocks(messageId, isOnlyThought ? 0 : changed);
  const int first = firstRowOf(messageId);
  if (parsed->blocks.hasThought() && first >= 0) emit dataChanged(index(first), index(first));
  refreshMessage(messageId);
  emit textsChanged(messageId, changed);
}

void TimelineModel::syncBlocks(RecordId messageId, int from) {
  const MessageRecord* message = m_conversation.find(messageId);
  const int last = lastRowOf(messageId);
  if (last < 0 || !message) return;
  if (message->role == MessageRole::User) {
    return replaceRows(firstRowOf(messageId), last + 1, userRows(*message));
  }
  int first = last;
  while (first > 0 && m_rows[first - 1].message == messageId &&
         m_rows[first - 1].blockIndex >= from)
    --first;
  const bool wasEmpty = m_rows[last].isFirst;
  const QList<Row> wanted = blockRows(*message, from);
  replaceRows(first, last, wanted);
  const int footer = first + static_cast<int>(wanted.size());
  const bool isEmpty = footer == 0 || m_rows[footer - 1].message != messageId;
  if (isEmpty != wasEmpty) {
    m_rows[footer].isFirst = isEmpty;
    emit dataChanged(index(footer), index(footer));
  }
  const Parsed& parsed = parsedOf(messageId);
  if (!parsed.blocks.isThinking()) return;
  for (int row = footer - 1; row >= 0 && m_rows[row].message == messageId; --row) {
    if (m_rows[row].kind != RowKind::Thought) continue;
    emit dataChanged(index(row), index(row), {kText, kThoughtText});
    break;
  }
}

/// Rows with the same kind and block are changed in place; only the others are removed and
/// inserted.
void TimelineModel::replaceRows(int first, int end, const QList<Row>& wanted) {
  const int count = static_cast<int>(wanted.size());
  const auto isSame = [&](int row, int at) {
    return m_rows[row].kind == wanted[at].kind && m_rows[row].blockIndex == wanted[at].blockIndex;
  };
  int same = 0;
  while (first + same < end && same < count && isSame(first + same, same)) {
    changeRow(first + same, wanted[same]);
    ++same;
  }
  int tail = 0;
  while (end - tail > first + same && count - tail > same &&
         isSame(end - tail - 1, count - tail - 1)) {
    changeRow(end - tail - 1, wanted[count - tail - 1]);
    ++tail;
  }
  if (first + same < end - tail) {
    beginRemoveRows({}, first + same, end - tail - 1);
    m_rows.remove(first + same, end - tail - first - same);
    endRemoveRows();
  }
  if (same < count - tail) insertRowsAt(first + same, wanted.mid(same, count - tail - same));
}

void TimelineModel::changeRow(int row, const Row& wanted) {
  const MarkdownBlock& block = wanted.block;
  BlockDisplay* const state = stateOf(wanted);
  if (state && wanted.kind == RowKind::Table) state->noteCells(block.cells, block.part == 0);
  if (m_rows[row].block == block && m_rows[row].direction == wanted.direction) return;
  m_rows[row].block = block;
  m_rows[row].direction = wanted.direction;
  emit dataChanged(index(row), index(row));
}

void TimelineModel::insertRowsAt(int first, const QList<Row>& rows) {
  beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
  m_rows.insert(first, rows.size(), Row());
  std::copy(rows.begin(), rows.end(), m_rows.begin() + first);
  endInsertRows();
  for (const Row& row : rows) {
    if (row.kind == RowKind::Table) stateOf(row)->noteCells(row.block.cells, false);
  }
  if (first > 0) emit dataChanged(index(first - 1), index(first - 1), {kIsStreaming});
}

void TimelineModel::setEdited(RecordId messageId) {
  const RecordId before = std::exchange(m_edited, messageId);
  for (const RecordId id : {before, messageId}) {
    if (id != 0 && before != messageId) syncBlocks(id, 0);
  }
}

void TimelineModel::dropRows(int from) {
  if (from < 0 || from >= m_rows.size()) return;
  beginRemoveRows({}, from, static_cast<int>(m_rows.size()) - 1);
  m_rows.resize(from);
  endRemoveRows();
}

void TimelineModel::setShown(const QList<RecordId>& path) {
  m_shown = path;
  m_positions.clear();
  for (qsizetype i = 0; i < path.size(); ++i) m_positions.insert(path[i], i);
}

void TimelineModel::syncPath() {
  const QList<RecordId> path = m_only != 0 ? QList<RecordId>{m_only} : m_conversation.path();
  const auto [shown, wanted] =
      std::mismatch(m_shown.cbegin(), m_shown.cend(), path.cbegin(), path.cend());
  const qsizetype same = shown - m_shown.cbegin();
  qsizetype added = 0;
  for (auto it = wanted; it != path.cend(); ++it) added += m_conversation.find(*it)->text().size();
  if (same <= m_firstLoaded || added > kFirstText) {  // Load it like a chat that is opened.
    dropRows(0);
    setShown(path);
    m_firstLoaded = path.size();
    loadOlder(0);
    return emit messagesChanged();
  }
  if (same < m_shown.size()) dropRows(firstRowOf(m_shown[same]));
  QList<Row> rows;
  for (auto it = wanted; it != path.cend(); ++it) rows += rowsOf(*m_conversation.find(*it));
  setShown(path);
  const int first = static_cast<int>(m_rows.size());
  if (!rows.isEmpty()) replaceRows(first, first, rows);
  emit messagesChanged();
}

/// Loads messages above those shown, for at most `budgetMs`; 0: as many as fill the first view.
void TimelineModel::loadOlder(qint64 budgetMs) {
  QElapsedTimer clock;
  clock.start();
  QList<QList<Row>> ready;
  qsizetype length = 0;
  while (m_firstLoaded > 0) {
    const MessageRecord* message = m_conversation.find(m_shown[m_firstLoaded - 1]);
    if (!message) return;  // It was deleted: another branch is about to be shown.
    const bool isInTime = budgetMs > 0 ? clock.elapsed() < budgetMs : length < kFirstText;
    if (!isInTime) break;
    const Parsed* parsed = findParsed(message->id);
    const qsizetype before = parsed ? parsed->length : 0;
    const bool isWhole = parseMore(*message, kPiece);
    parsed = findParsed(message->id);  // What is read again does not fill the view.
    length += (parsed ? parsed->length - before : std::min(message->text().size(), kPiece)) + 1;
    if (!isWhole) continue;
    ready.append(rowsOf(*message));
    --m_firstLoaded;
  }
  QList<Row> rows;
  for (auto it = ready.crbegin(); it != ready.crend(); ++it) rows += *it;
  insertAbove(rows);
  if (m_firstLoaded > 0) m_loadTimer.start();
}

void TimelineModel::insertAbove(const QList<Row>& rows) {
  if (rows.isEmpty()) return;
  beginInsertRows({}, 0, static_cast<int>(rows.size()) - 1);
  m_rows = rows + m_rows;
  endInsertRows();
  emit messagesChanged();
}

}  // namespace quire
