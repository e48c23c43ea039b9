// Folding of long code, long messages and reasoning in a timeline.
#include <limits>

#include "app/chat/timeline_model.h"
#include "app/richtext/message_copy.h"

namespace quire {
namespace {

constexpr int kLongCode = 200;    ///< Code with more lines is folded.
constexpr int kFoldedLines = 40;  ///< Lines of folded code that are shown.

int linesOf(const QString& text) {
  return static_cast<int>(text.count(u'\n')) + 1;
}

/// The first block of the group that `at` is a part of.
qsizetype groupBegin(const QList<MarkdownBlock>& blocks, qsizetype at) {
  return at - blocks[at].part;
}

/// Lines of the code that the block `at` is a part of; counts until there are more than `limit`.
int linesOfGroup(const QList<MarkdownBlock>& blocks, qsizetype at, int limit) {
  int lines = 0;
  for (qsizetype i = groupBegin(blocks, at); i < blocks.size() && lines <= limit; ++i) {
    if (blocks[i].group != blocks[at].group) break;
    lines += linesOf(blocks[i].text) - (blocks[i].isLineJoined ? 1 : 0);
  }
  return lines;
}

}  // namespace

/// Whether the code that this block is a part of is folded: it is long, was complete when the chat
/// was opened, and the user has not unfolded it.
bool TimelineModel::isFolded(const Parsed& parsed, qsizetype block) const {
  const QList<MarkdownBlock>& blocks = parsed.blocks.blocks();
  if (!parsed.isFoldable || block >= blocks.size()) return false;
  if (parsed.unfolded.contains(blocks[block].group)) return false;
  return linesOfGroup(blocks, block, kLongCode) > kLongCode;
}

QString TimelineModel::textOf(const Row& row) const {
  if (row.kind == RowKind::Formula || row.kind == RowKind::User) return row.block.text;
  if (row.kind == RowKind::Code) {
    if (row.block.part > 0 || !isFoldedRow(row)) return row.block.text;
    return row.block.text.section(u'\n', 0, kFoldedLines - 1);
  }
  const Parsed* parsed = findParsed(row.message);
  if (row.kind != RowKind::Thought || !parsed) return {};
  // While reasoning is folded, only its last line is shown.
  const MessageBlocks& blocks = parsed->blocks;
  if (!blocks.isThinking() || blocks.isFinished() || blocks.blocks().isEmpty()) return {};
  return plainText(blocks.blocks().last()).trimmed().section(u'\n', -1).right(200);
}

QString TimelineModel::foldText(const Row& row) const {
  const Parsed* parsed = findParsed(row.message);
  if (!parsed) return {};
  const bool isFirstOfCode = row.kind == RowKind::Code && row.block.part == 0;
  if (!row.block.isLastPart && !isFirstOfCode) return {};
  if (row.kind == RowKind::User) {
    const MessageRecord* message = m_conversation.find(row.message);
    if (parsed->unfolded.contains(0)) return tr("Show less");
    if (!row.block.isJoined || !message) return {};
    return tr("Show all %L1 lines, %L2 characters")
        .arg(linesOf(message->text()))
        .arg(message->text().size());
  }
  if (row.kind != RowKind::Code) return {};
  if (!isFolded(*parsed, row.blockIndex)) {
    const bool wasFolded = parsed->unfolded.contains(row.block.group);
    return wasFolded && row.block.isLastPart ? tr("Show less") : QString();
  }
  return tr("Show all %L1 lines").arg(stateOf(row)->lineCount());
}

QString TimelineModel::thoughtText(const Row& row) const {
  const MessageRecord* message = m_conversation.find(row.message);
  const Parsed* parsed = findParsed(row.message);
  if (row.kind != RowKind::Thought || !message || !parsed) return {};
  const MessageBlocks& blocks = parsed->blocks;
  bool hasEnded = !blocks.isThinking();
  for (qsizetype i = row.blockIndex; i < blocks.blocks().size() && !hasEnded; ++i)
    hasEnded = !blocks.blocks()[i].isThought;
  if (!hasEnded)
    return blocks.isFinished() ? tr("Thought, stopped before an answer") : tr("Thinking…");
  if (const auto seconds = m_thoughts.seconds(row.message))
    return ThoughtClock::text(*seconds, false);
  return ThoughtClock::text(ThoughtClock::estimate(*message, blocks.thoughtLength()), true);
}

BlockDisplay* TimelineModel::stateOf(const Row& row) const {
  if (row.kind != RowKind::Code && row.kind != RowKind::Table) return nullptr;
  Parsed* parsed = findParsed(row.message);
  if (!parsed) return nullptr;
  BlockDisplay*& state = parsed->states[row.block.group];
  const QList<MarkdownBlock>& blocks = parsed->blocks.blocks();
  if (state || row.blockIndex >= blocks.size()) return state;
  state = new BlockDisplay(const_cast<TimelineModel*>(this));
  if (row.kind == RowKind::Code) {
    state->setLineCount(linesOfGroup(blocks, row.blockIndex, std::numeric_limits<int>::max()));
    return state;
  }
  qsizetype at = groupBegin(blocks, row.blockIndex);
  for (; at < blocks.size() && blocks[at].group == row.block.group; ++at)
    state->noteCells(blocks[at].cells, blocks[at].part == 0);
  return state;
}

void TimelineModel::toggleFold(int row) {
  if (row < 0 || row >= m_rows.size()) return;
  const Row& at = m_rows[row];
  Parsed& parsed = parsedOf(at.message);
  if (at.kind == RowKind::Thought) {
    parsed.isThoughtOpen = !parsed.isThoughtOpen;
  } else {
    const int group = at.kind == RowKind::User ? 0 : at.block.group;
    if (!parsed.unfolded.remove(group)) parsed.unfolded.insert(group);
  }
  const RecordId message = at.message;
  syncBlocks(message, 0);
  const int first = firstRowOf(message);
  const int last = lastRowOf(message);
  emit dataChanged(index(first), index(last), {kIsFolded, kFoldText, kText});
}

}  // namespace quire
