#include "app/chat/timeline_model.h"

#include <algorithm>

namespace quire {
namespace {

/// How long the window's thread reads older messages before it does something else.
constexpr qint64 kReadSliceMs = 6;

}  // namespace

TimelineModel::TimelineModel(const Conversation& conversation, RecordId only, QObject* parent)
    : QAbstractListModel(parent), m_conversation(conversation), m_only(only) {
  m_loadTimer.setSingleShot(true);
  m_loadTimer.setInterval(0);
  connect(&m_loadTimer, &QTimer::timeout, this, [this] { loadOlder(kReadSliceMs); });
  syncPath();
}

double TimelineModel::messageAt(int row) const {
  const bool isRow = row >= 0 && row < m_rows.size();
  return isRow ? static_cast<double>(m_rows[row].message) : 0.0;
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
          {kVersionCount, "versionCount"},
          {kIsThought, "isThought"},
          {kIsJoined, "isJoined"},
          {kIsLastPart, "isLastPart"},
          {kPart, "part"},
          {kCodeState, "codeState"},
          {kState, "blockState"},
          {kIsFolded, "isFolded"},
          {kFoldText, "foldText"},
          {kThoughtText, "thoughtText"}};
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
      return textOf(row);
    case kVersion:
      return m_conversation.version(row.message).index;
    case kVersionCount:
      return m_only != 0 ? 1 : m_conversation.version(row.message).count;
    case kIsStreaming:
      return isStreamingRow(index.row());
    case kThoughtText:
      return row.kind == RowKind::Thought ? thoughtText(*message, row) : QString();
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

bool TimelineModel::isFoldedRow(const Row& row) const {
  const auto parsed = m_parsed.constFind(row.message);
  if (parsed == m_parsed.cend()) return false;
  if (row.kind == RowKind::Thought) return !(*parsed)->isThoughtOpen;
  return row.kind == RowKind::Code && isFolded(**parsed, row.blockIndex);
}

QVariant TimelineModel::blockData(const Row& row, int role) const {
  switch (role) {
    case kState:
      return QVariant::fromValue(stateOf(row));
    case kIsFolded:
      return isFoldedRow(row);
    case kFoldText:
      return foldText(row);
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
    case kIsThought:
      return row.block.isThought;
    case kIsJoined:
      return row.block.isJoined;
    case kIsLastPart:
      return row.block.isLastPart;
    case kPart:
      return row.block.part;
    case kCodeState:
      return row.block.codeState;
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
      return tr("Waiting…");
    case Phase::Reading:
      return tr("Processing prompt…");
    case Phase::Stopped:
      return message.text().isEmpty() ? tr("Stopped before it started") : tr("Stopped");
    case Phase::Interrupted:
      if (message.text().isEmpty())
        return tr("The answer was cut off before it started. Regenerate it.");
      return tr(
          "Cut off when Quire closed. The text so far is kept. Continue the answer or regenerate "
          "it.");
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

bool TimelineModel::isStreamingRow(int row) const {
  if (row + 1 >= m_rows.size() || m_rows[row + 1].kind != RowKind::Footer) return false;
  const MessageRecord* message = m_conversation.find(m_rows[row].message);
  return message && m_rows[row].message == m_rows[row + 1].message &&
         phaseOf(*message) == Phase::Writing;
}

void TimelineModel::refreshMessage(RecordId messageId) {
  const int last = lastRowOf(messageId);
  if (last < 0) return;
  const int from = std::max(last - 1, firstRowOf(messageId));
  emit dataChanged(index(from), index(last));
}

void TimelineModel::refresh() {
  if (!m_rows.isEmpty()) emit dataChanged(index(0), index(rowCount() - 1));
}

}  // namespace quire
