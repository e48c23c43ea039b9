#include "app/chat/chat_selection.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <algorithm>
#include <tuple>

#include "app/richtext/message_copy.h"

namespace quire {
namespace {

constexpr int kAllBlocks = std::numeric_limits<int>::max();
constexpr int kSpokenBlocks = 20;
constexpr qsizetype kSpokenCharacters = 500;

}  // namespace

bool ChatSelection::isEmpty() const {
  return !m_timeline || m_begin.message == 0 || m_begin == m_end;
}

bool ChatSelection::isBefore(const TextPosition& one, const TextPosition& other) const {
  const auto key = [this](const TextPosition& at) {
    return std::tuple(m_timeline->positionOf(at.message), at.block, at.offset);
  };
  return key(one) < key(other);
}

/// The end of a text is its end now: what an answer is still going to write does not belong to it.
ChatSelection::Range ChatSelection::unitRange(const TextPosition& position) const {
  if (m_unit == TextUnit::Character && position.offset != TextPosition::kEnd)
    return {position, position};
  const QList<MarkdownBlock> blocks = m_timeline->selectableBlocks(position.message);
  if (position.block >= blocks.size()) {
    const TextPosition begin{position.message, position.block, 0};
    return {begin, begin};
  }
  const auto [begin, end] = unitAt(blocks[position.block], position.offset, m_unit);
  return {{position.message, position.block, begin}, {position.message, position.block, end}};
}

void ChatSelection::select(const Range& range) {
  if (range.begin == m_begin && range.end == m_end) return;
  m_begin = range.begin;
  m_end = range.end;
  emit changed();
}

/// Listens to a timeline, and no longer to the one before.
void ChatSelection::follow(TimelineModel* timeline) {
  if (timeline == m_timeline) return;
  if (m_timeline) disconnect(m_timeline, nullptr, this, nullptr);
  m_timeline = timeline;
  m_begin = m_end = m_caret = {};
  if (!timeline) return;
  connect(timeline, &TimelineModel::messagesChanged, this, &ChatSelection::onMessagesChanged);
  connect(timeline, &TimelineModel::textsChanged, this, &ChatSelection::onTextsChanged);
  connect(timeline, &QObject::destroyed, this, &ChatSelection::changed);
}

void ChatSelection::start(TimelineModel& timeline, const TextPosition& position, TextUnit unit) {
  follow(&timeline);
  m_unit = unit;
  m_anchor = unitRange(position);
  m_caret = m_anchor.end;
  select(m_anchor);
}

void ChatSelection::extend(const TextPosition& position) {
  if (!m_timeline || m_timeline->positionOf(position.message) < 0) return;
  const Range unit = unitRange(position);
  const bool isBackwards = isBefore(unit.begin, m_anchor.begin);
  const Range range{isBackwards ? unit.begin : m_anchor.begin,
                    isBefore(m_anchor.end, unit.end) ? unit.end : m_anchor.end};
  m_caret = isBackwards ? range.begin : range.end;
  select(range);
}

void ChatSelection::moveCaret(const TextPosition& position) {
  if (!m_timeline) return;
  const TextPosition fixed = m_caret == m_begin ? m_end : m_begin;
  m_unit = TextUnit::Character;
  m_anchor = {fixed, fixed};
  extend(position);
}

void ChatSelection::selectAll(TimelineModel* timeline) {
  if (!timeline || timeline->shownMessages().isEmpty()) return;
  const RecordId last = timeline->shownMessages().last();
  const qsizetype numBlocks = timeline->selectableBlocks(last).size();
  start(*timeline, {timeline->shownMessages().first(), 0, 0}, TextUnit::Character);
  extend({last, static_cast<int>(std::max<qsizetype>(numBlocks - 1, 0)), TextPosition::kEnd});
}

void ChatSelection::clear() {
  if (!m_timeline) return;
  follow(nullptr);
  emit changed();
}

/// Another branch may be shown, without the messages of the selection.
void ChatSelection::onMessagesChanged() {
  if (m_timeline->positionOf(m_begin.message) < 0 || m_timeline->positionOf(m_end.message) < 0 ||
      m_timeline->positionOf(m_anchor.begin.message) < 0) {
    clear();
  }
}

void ChatSelection::onTextsChanged(RecordId message) {
  const qsizetype at = m_timeline->positionOf(message);
  const bool isIn =
      at >= m_timeline->positionOf(m_begin.message) && at <= m_timeline->positionOf(m_end.message);
  if (isIn && !isEmpty()) emit changed();
}

std::optional<TextSpan> ChatSelection::spanIn(const TimelineModel* timeline, RecordId message,
                                              int block) const {
  if (isEmpty() || timeline != m_timeline) return std::nullopt;
  const TextPosition first{message, block, 0};
  const TextPosition last{message, block, TextPosition::kEnd};
  if (timeline->positionOf(message) < 0 || isBefore(last, m_begin) || isBefore(m_end, first))
    return std::nullopt;
  const qsizetype from = isBefore(first, m_begin) ? m_begin.offset : 0;
  const qsizetype to = isBefore(m_end, last) ? m_end.offset : TextPosition::kEnd;
  return from < to ? std::optional(TextSpan{from, to - from}) : std::nullopt;
}

/// A user's message is one paragraph, although its rows show it in pieces.
void ChatSelection::appendUserText(RecordId message, QList<MarkdownBlock>& slices) const {
  const QList<MarkdownBlock> pieces = m_timeline->selectableBlocks(message);
  MarkdownBlock whole;
  for (int i = 0; i < pieces.size(); ++i) {
    const auto span = spanIn(m_timeline, message, i);
    if (span)
      whole.markup += slicedBlock(pieces[i], span->begin, span->begin + span->length).markup;
  }
  if (!whole.markup.isEmpty()) slices.append(whole);
}

void ChatSelection::appendSlices(RecordId message, int maxBlocks,
                                 QList<MarkdownBlock>& slices) const {
  constexpr int kGroupsOfMessage = 1 << 16;  // Keeps the groups of two messages apart.
  if (m_timeline->isUserMessage(message)) return appendUserText(message, slices);
  const QList<MarkdownBlock> blocks = m_timeline->selectableBlocks(message);
  const int offset = kGroupsOfMessage * static_cast<int>(m_timeline->positionOf(message) % 1024);
  for (int i = 0; i < blocks.size() && slices.size() < maxBlocks; ++i) {
    const auto span = spanIn(m_timeline, message, i);
    if (!span || (blocks[i].isThought && !m_timeline->showsThought(message))) continue;
    MarkdownBlock slice = slicedBlock(blocks[i], span->begin, span->begin + span->length);
    if (selectableText(slice).isEmpty()) continue;
    slice.isThought = false;
    if (slice.group > 0) slice.group += offset;
    slices.append(slice);
  }
}

QList<MarkdownBlock> ChatSelection::slices(int maxBlocks) const {
  QList<MarkdownBlock> slices;
  if (isEmpty()) return slices;
  const QList<RecordId>& messages = m_timeline->shownMessages();
  const qsizetype last = m_timeline->positionOf(m_end.message);
  qsizetype at = m_timeline->positionOf(m_begin.message);
  for (; at >= 0 && at <= last && slices.size() < maxBlocks; ++at) {
    appendSlices(messages[at], maxBlocks, slices);
  }
  // Words of a single list item are copied without its marker.
  if (slices.size() == 1) slices[0].marker.clear();
  return slices;
}

QString ChatSelection::plainText() const {
  return MessageCopy(slices(kAllBlocks), {}).plain();
}

std::unique_ptr<QMimeData> ChatSelection::mimeData() const {
  return MessageCopy(slices(kAllBlocks), {}).rich();
}

void ChatSelection::copy() const {
  if (!isEmpty()) QGuiApplication::clipboard()->setMimeData(mimeData().release());
}

QString ChatSelection::spokenText() const {
  if (isEmpty()) return {};
  const QString text = MessageCopy(slices(kSpokenBlocks), {}).plain().left(kSpokenCharacters);
  return tr("Selected: %1").arg(text);
}

bool ChatSelection::handleKey(TimelineModel* timeline, int key, int modifiers) {
  const auto held = Qt::KeyboardModifiers(modifiers) & ~Qt::KeypadModifier;
  if (held == Qt::ControlModifier && key == Qt::Key_A) {
    selectAll(timeline);
    return true;
  }
  if (isEmpty()) return false;
  const bool isCopy =
      (held == Qt::ControlModifier && (key == Qt::Key_C || key == Qt::Key_Insert)) ||
      (held == Qt::NoModifier && key == Qt::Key_Copy);
  if (isCopy) copy();
  const bool isEscape = held == Qt::NoModifier && key == Qt::Key_Escape;
  if (isEscape) clear();
  return isCopy || isEscape;
}

}  // namespace quire
