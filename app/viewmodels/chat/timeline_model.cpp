#include "app/viewmodels/chat/timeline_model.h"

#include <algorithm>

namespace quire {
namespace {

TimelineModel::RowKind rowKindOf(BlockKind kind) {
  switch (kind) {
    case BlockKind::Paragraph:
      return TimelineModel::RowKind::Paragraph;
    case BlockKind::Heading:
      return TimelineModel::RowKind::Heading;
    case BlockKind::Code:
      return TimelineModel::RowKind::Code;
    case BlockKind::Table:
      return TimelineModel::RowKind::Table;
    case BlockKind::Rule:
      return TimelineModel::RowKind::Rule;
  }
  return TimelineModel::RowKind::Paragraph;
}

}  // namespace

TimelineModel::TimelineModel(const Conversation& conversation, QObject* parent)
    : QAbstractListModel(parent), m_conversation(conversation) {
  syncPath();
}

int TimelineModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QHash<int, QByteArray> TimelineModel::roleNames() const {
  return {{kKind, "kind"},
          {kMessageId, "messageId"},
          {kMarkup, "markup"},
          {kText, "text"},
          {kLanguage, "language"},
          {kMarker, "marker"},
          {kLevel, "level"},
          {kIndent, "indent"},
          {kQuoteDepth, "quoteDepth"},
          {kColumns, "columns"},
          {kCells, "cells"},
          {kIsFirst, "isFirst"},
          {kIsStreaming, "isStreaming"},
          {kPhase, "phase"},
          {kPhaseText, "phaseText"},
          {kSpeedText, "speedText"},
          {kCacheText, "cacheText"},
          {kCacheHint, "cacheHint"},
          {kLeftOutText, "leftOutText"},
          {kLeftOutHint, "leftOutHint"},
          {kVersion, "version"},
          {kVersionCount, "versionCount"}};
}

QVariant TimelineModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= m_rows.size()) return {};
  const Row& row = m_rows[index.row()];
  const MessageRecord* message = m_conversation.find(row.message);
  if (!message) return {};
  switch (role) {
    case kKind:
      return QVariant::fromValue(row.kind);
    case kMessageId:
      return row.message;
    case kIsFirst:
      return row.isFirst;
    case kText:
      return row.kind == RowKind::Code ? row.block.text : message->text;
    case kVersion:
      return m_conversation.version(row.message).index;
    case kVersionCount:
      return m_conversation.version(row.message).count;
    case kIsStreaming: {
      const bool last =
          index.row() + 1 < m_rows.size() && m_rows[index.row() + 1].kind == RowKind::Footer;
      return last && phaseOf(*message) == Phase::Writing;
    }
    case kPhase:
    case kPhaseText:
    case kSpeedText:
    case kCacheText:
    case kCacheHint:
    case kLeftOutText:
    case kLeftOutHint:
      return footerData(*message, role);
    default:
      return blockData(row, role);
  }
}

QVariant TimelineModel::footerData(const MessageRecord& message, int role) const {
  const PromptNote* prompt = findPrompt(message.id);
  switch (role) {
    case kPhase:
      return QVariant::fromValue(phaseOf(message));
    case kPhaseText:
      return phaseText(message);
    case kSpeedText:
      return speedText(message);
    case kCacheText:
      return cacheText(message, prompt);
    case kCacheHint:
      return cacheHint(message, prompt);
    case kLeftOutText:
      return leftOutText(prompt);
    default:
      return leftOutHint(prompt);
  }
}

QVariant TimelineModel::blockData(const Row& row, int role) const {
  switch (role) {
    case kMarkup:
      return row.block.markup;
    case kLanguage:
      return row.block.language;
    case kMarker:
      return row.block.marker;
    case kLevel:
      return row.block.level;
    case kIndent:
      return row.block.indent;
    case kQuoteDepth:
      return row.block.quoteDepth;
    case kColumns:
      return row.block.columns;
    case kCells:
      return row.block.cells;
    default:
      return {};
  }
}

TimelineModel::Phase TimelineModel::phaseOf(const MessageRecord& message) const {
  switch (message.status) {
    case MessageStatus::Streaming:
      return m_phases.value(message.id, Phase::Waiting);
    case MessageStatus::Interrupted:
      return Phase::Interrupted;
    case MessageStatus::Stopped:
      return Phase::Stopped;
    case MessageStatus::Failed:
      return Phase::Failed;
    case MessageStatus::Complete:
      break;
  }
  return Phase::Complete;
}

QString TimelineModel::phaseText(const MessageRecord& message) const {
  switch (phaseOf(message)) {
    case Phase::Waiting:
      return tr("Waiting for its turn…");
    case Phase::Reading:
      return tr("Reading the conversation…");
    case Phase::Stopped:
      return message.text.isEmpty() ? tr("Stopped before the first word.") : tr("Stopped by you.");
    case Phase::Interrupted:
      return tr(
          "Cut off when Quire closed. What had been written is kept; regenerate for a whole "
          "answer.");
    case Phase::Failed:
      return message.error;
    case Phase::Writing:
    case Phase::Complete:
      break;
  }
  return message.error;  // A complete answer may still carry a remark, such as a full context.
}

void TimelineModel::setPhase(RecordId messageId, Phase phase) {
  if (m_phases.value(messageId, Phase::Waiting) == phase) return;
  m_phases.insert(messageId, phase);
  refreshMessage(messageId);
}

void TimelineModel::setPrompt(RecordId messageId, const PromptNote& note) {
  m_prompts.insert(messageId, note);
  refreshMessage(messageId);
}

const PromptNote* TimelineModel::findPrompt(RecordId messageId) const {
  const auto found = m_prompts.constFind(messageId);
  return found == m_prompts.cend() ? nullptr : &found.value();
}

MessageBlocks& TimelineModel::blocksOf(const MessageRecord& message) {
  std::shared_ptr<MessageBlocks>& blocks = m_blocks[message.id];
  if (!blocks) {
    blocks = std::make_shared<MessageBlocks>();
    blocks->append(message.text);
    if (message.status != MessageStatus::Streaming) blocks->finish();
  }
  return *blocks;
}

QList<TimelineModel::Row> TimelineModel::rowsOf(const MessageRecord& message) {
  if (message.role == MessageRole::User) return {{RowKind::User, message.id, true, {}}};
  QList<Row> rows;
  for (const MarkdownBlock& block : blocksOf(message).blocks()) {
    rows.append({rowKindOf(block.kind), message.id, rows.isEmpty(), block});
  }
  rows.append({RowKind::Footer, message.id, rows.isEmpty(), {}});
  return rows;
}

int TimelineModel::firstRowOf(RecordId messageId) const {
  for (qsizetype row = m_rows.size() - 1; row >= 0; --row) {
    if (m_rows[row].message != messageId) continue;
    while (row > 0 && m_rows[row - 1].message == messageId) --row;
    return static_cast<int>(row);
  }
  return -1;
}

int TimelineModel::footerRowOf(RecordId messageId) const {
  for (qsizetype row = m_rows.size() - 1; row >= 0; --row) {
    if (m_rows[row].message == messageId) return static_cast<int>(row);
  }
  return -1;
}

void TimelineModel::syncPath() {
  const QList<RecordId>& path = m_conversation.path();
  const auto [shown, wanted] =
      std::mismatch(m_shown.cbegin(), m_shown.cend(), path.cbegin(), path.cend());
  if (shown != m_shown.cend()) {
    const int first = firstRowOf(*shown);
    beginRemoveRows({}, first, static_cast<int>(m_rows.size()) - 1);
    m_rows.resize(first);
    endRemoveRows();
  }
  QList<Row> added;
  for (auto it = wanted; it != path.cend(); ++it) added += rowsOf(*m_conversation.find(*it));
  m_shown = path;
  if (added.isEmpty()) return;
  const int first = static_cast<int>(m_rows.size());
  beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
  m_rows += added;
  endInsertRows();
}

void TimelineModel::appendText(RecordId messageId, QStringView text) {
  const auto blocks = m_blocks.constFind(messageId);
  if (blocks == m_blocks.cend()) return;  // Not shown yet: it is read whole when it is.
  const int stable = (*blocks)->stable();
  (*blocks)->append(text);
  syncBlocks(messageId, stable);
}

void TimelineModel::finishMessage(RecordId messageId) {
  m_phases.remove(messageId);
  const auto blocks = m_blocks.constFind(messageId);
  if (blocks == m_blocks.cend()) return;
  const int stable = (*blocks)->stable();
  (*blocks)->finish();
  syncBlocks(messageId, stable);
  refreshMessage(messageId);
}

void TimelineModel::syncBlocks(RecordId messageId, int from) {
  const int footer = footerRowOf(messageId);
  if (footer < 0) return;
  const QList<MarkdownBlock>& blocks = m_blocks[messageId]->blocks();
  int first = footer;  // Found by a walk over cheap rows; blocks before `from` are not compared.
  while (first > 0 && m_rows[first - 1].message == messageId) --first;
  const int oldCount = footer - first;
  const int newCount = static_cast<int>(blocks.size());
  int same = from;
  for (; same < std::min(oldCount, newCount); ++same) {
    Row& row = m_rows[first + same];
    if (row.kind != rowKindOf(blocks[same].kind)) break;  // Another delegate: taken out and put in.
    if (row.block == blocks[same]) continue;
    row.block = blocks[same];
    emit dataChanged(index(first + same), index(first + same));
  }
  if (same < oldCount) {
    beginRemoveRows({}, first + same, footer - 1);
    m_rows.remove(first + same, oldCount - same);
    endRemoveRows();
  }
  if (same < newCount) {
    beginInsertRows({}, first + same, first + newCount - 1);
    for (int i = same; i < newCount; ++i) {
      m_rows.insert(first + i, {rowKindOf(blocks[i].kind), messageId, i == 0, blocks[i]});
    }
    endInsertRows();
    if (same > 0)
      emit dataChanged(index(first + same - 1), index(first + same - 1), {kIsStreaming});
  }
  if (oldCount == 0 || newCount == 0) {
    m_rows[first + newCount].isFirst = newCount == 0;
    emit dataChanged(index(first + newCount), index(first + newCount));
  }
}

void TimelineModel::refreshMessage(RecordId messageId) {
  const int last = footerRowOf(messageId);
  if (last < 0) return;
  const int from = std::max(last - 1, firstRowOf(messageId));
  emit dataChanged(index(from), index(last));
}

}  // namespace quire
