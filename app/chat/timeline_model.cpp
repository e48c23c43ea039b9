#include "app/chat/timeline_model.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <algorithm>
#include <functional>

#include "app/models/remote_labels.h"
#include "app/richtext/message_copy.h"

namespace quire {

/// How long the window's thread loads older messages before it returns to the event loop.
constexpr qint64 kReadSliceMs = 6;

TimelineModel::TimelineModel(const Conversation& conversation, RecordId only, QObject* parent)
    : RoleListModel(parent), m_conversation(conversation), m_only(only) {
  declareRoles();
  declareFooterRoles();
  m_loadTimer.setSingleShot(true);
  m_loadTimer.setInterval(0);
  connect(&m_loadTimer, &QTimer::timeout, this, [this] {
    if (!m_unfinished.isEmpty()) finishBlocks(*m_unfinished.cbegin());
    loadOlder(kReadSliceMs);
    if (!m_unfinished.isEmpty()) m_loadTimer.start();
  });
  syncPath();
}

void TimelineModel::declareRoles() {
  const auto block = [this](auto member) {
    return [this, member](int row) -> QVariant { return m_rows[row].block.*member; };
  };
  const auto of = [this](auto value) {
    return [this, value](int row) {
      return QVariant::fromValue(std::invoke(value, this, m_rows[row]));
    };
  };
  setRoles({{kKind, "kind", [this](int row) { return QVariant::fromValue(m_rows[row].kind); }},
            {kMessageId, "messageId", [this](int row) { return m_rows[row].message; }},
            {kIsFirst, "isFirst", [this](int row) { return m_rows[row].isFirst; }},
            {kMarkup, "markup", block(&MarkdownBlock::markup)},
            {kText, "text", of(&TimelineModel::textOf)},
            {kLanguage, "language", block(&MarkdownBlock::language)},
            {kMarker, "marker", of(&TimelineModel::markerOf)},
            {kLevel, "level", block(&MarkdownBlock::level)},
            {kIndent, "indent", block(&MarkdownBlock::indent)},
            {kQuoteDepth, "quoteDepth", block(&MarkdownBlock::quoteDepth)},
            {kColumns, "columns", block(&MarkdownBlock::columns)},
            {kCells, "cells", block(&MarkdownBlock::cells)},
            {kIsThought, "isThought", block(&MarkdownBlock::isThought)},
            {kIsJoined, "isJoined", block(&MarkdownBlock::isJoined)},
            {kIsLastPart, "isLastPart", block(&MarkdownBlock::isLastPart)},
            {kPart, "part", block(&MarkdownBlock::part)},
            {kCodeState, "codeState", block(&MarkdownBlock::codeState)},
            {kState, "blockState", of(&TimelineModel::stateOf)},
            {kIsFolded, "isFolded", of(&TimelineModel::isFoldedRow)},
            {kFoldText, "foldText", of(&TimelineModel::foldText)},
            {kThoughtText, "thoughtText", of(&TimelineModel::thoughtText)},
            {kIsRightToLeft, "isRightToLeft",
             [this](int row) { return readsRightToLeft(m_rows[row].direction); }},
            {kIsStreaming, "isStreaming", [this](int row) { return isStreamingRow(row); }},
            {kVersion, "version",
             [this](int row) { return m_conversation.version(m_rows[row].message).index; }},
            {kVersionCount, "versionCount", [this](int row) {
               return m_only != 0 ? 1 : m_conversation.version(m_rows[row].message).count;
             }}});
}

void TimelineModel::declareFooterRoles() {
  const auto message = [this](auto value) {
    return [this, value](int row) {
      const MessageRecord* found = m_conversation.find(m_rows[row].message);
      return found ? QVariant::fromValue(value(*found)) : QVariant();
    };
  };
  const auto phase = [=, this](auto value) {
    return message([=, this](const MessageRecord& one) { return value(phaseOf(one)); });
  };
  const auto prompt = [this](int row) { return findPrompt(m_rows[row].message); };
  setRoles({{kPhase, "phase", message([this](const MessageRecord& one) { return phaseOf(one); })},
            {kIsRunning, "isRunning", phase(isRunning)},
            {kHasFailed, "hasFailed", phase([](Phase one) { return one == Phase::Failed; })},
            {kWarns, "warns", phase(warns)},
            {kPhaseText, "phaseText",
             message([this](const MessageRecord& one) { return phaseText(one); })},
            {kSpeedText, "speedText", message(speedText)},
            {kSpeedHint, "speedHint", message(speedHint)},
            {kCacheText, "cacheText",
             message([this](const MessageRecord& one) { return tokensText(one); })},
            {kCacheHint, "cacheHint",
             message([this](const MessageRecord& one) { return tokensHint(one); })},
            {kLeftOutText, "leftOutText", [=](int row) { return leftOutText(prompt(row)); }},
            {kLeftOutHint, "leftOutHint", [=](int row) { return leftOutHint(prompt(row)); }}});
}

/// Where the tokens of the prompt came from; of a remote answer, what was counted and its cost.
QString TimelineModel::tokensText(const MessageRecord& message) const {
  if (!remote_labels::isRemote(message)) return cacheText(message, findPrompt(message.id));
  return remote_labels::usage(message,
                              m_remote ? m_remote->endpointOf(message.modelFingerprint) : nullptr);
}

QString TimelineModel::tokensHint(const MessageRecord& message) const {
  if (!remote_labels::isRemote(message)) return cacheHint(message, findPrompt(message.id));
  return remote_labels::usageHint(
      message, m_remote ? m_remote->endpointOf(message.modelFingerprint) : nullptr);
}

double TimelineModel::messageAt(int row) const {
  const bool isRow = row >= 0 && row < m_rows.size();
  return isRow ? static_cast<double>(m_rows[row].message) : 0.0;
}

bool TimelineModel::isFoldedRow(const Row& row) const {
  const Parsed* parsed = findParsed(row.message);
  if (!parsed) return false;
  if (row.kind == RowKind::Thought) return !parsed->isThoughtOpen;
  return row.kind == RowKind::Code && isFolded(*parsed, row.blockIndex);
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

QList<MarkdownBlock> TimelineModel::blocksOf(RecordId messageId) const {
  const Parsed* parsed = findParsed(messageId);
  const MessageRecord* message = m_conversation.find(messageId);
  if (!message) return {};
  if (parsed && parsed->length == message->text().size()) return parsed->blocks.blocks();
  MessageBlocks blocks;
  blocks.append(message->text());
  blocks.finish();
  return blocks.blocks();
}

QString TimelineModel::sourceAt(int row) const {
  if (row < 0 || row >= m_rows.size()) return {};
  const MarkdownBlock& block = m_rows[row].block;
  if (block.group == 0) return withoutControls(block.text);
  return withoutControls(groupText(blocksOf(m_rows[row].message), block.group));
}

void TimelineModel::copySource(int row) const {
  QGuiApplication::clipboard()->setText(sourceAt(row));
}

void TimelineModel::copyTable(int row) const {
  if (row < 0 || row >= m_rows.size()) return;
  auto data = std::make_unique<QMimeData>();
  data->setText(sourceAt(row));
  data->setHtml(withoutControls(groupHtml(blocksOf(m_rows[row].message), m_rows[row].block.group)));
  QGuiApplication::clipboard()->setMimeData(data.release());
}

}  // namespace quire
