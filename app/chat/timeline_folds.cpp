// What of a timeline is folded, and what is said about it.
#include "app/chat/timeline_model.h"
#include "app/richtext/message_copy.h"

namespace quire {
namespace {

constexpr int kLongCode = 200;  ///< Lines of code that are more than are shown at once.
constexpr int kFoldedLines = 40;

int linesOf(const QString& text) {
  return static_cast<int>(text.count(u'\n')) + 1;
}

/// The first block of the group that `at` is a part of.
qsizetype groupBegin(const QList<MarkdownBlock>& blocks, qsizetype at) {
  return at - blocks[at].part;
}

}  // namespace

/// Long code that was there when the chat was opened shows its beginning only.
bool TimelineModel::isFolded(const Parsed& parsed, qsizetype block) const {
  const QList<MarkdownBlock>& blocks = parsed.blocks.blocks();
  if (!parsed.isFoldable || block >= blocks.size()) return false;
  if (parsed.unfolded.contains(blocks[block].group)) return false;
  int lines = 0;
  for (qsizetype i = groupBegin(blocks, block); i < blocks.size(); ++i) {
    if (blocks[i].group != blocks[block].group) break;
    lines += linesOf(blocks[i].text) - (blocks[i].isLineJoined ? 1 : 0);
    if (lines > kLongCode) return true;
  }
  return false;
}

QString TimelineModel::textOf(const Row& row) const {
  if (row.kind == RowKind::Formula || row.kind == RowKind::User) return row.block.text;
  const auto parsed = m_parsed.constFind(row.message);
  if (row.kind == RowKind::Code) {
    if (row.block.part > 0 || parsed == m_parsed.cend() || !isFolded(**parsed, row.blockIndex))
      return row.block.text;
    return row.block.text.section(u'\n', 0, kFoldedLines - 1);
  }
  if (row.kind != RowKind::Thought || parsed == m_parsed.cend()) return {};
  // The last line of what is being thought: all that is seen of it while it is folded.
  const MessageBlocks& blocks = (*parsed)->blocks;
  if (!blocks.isThinking() || blocks.isFinished() || blocks.blocks().isEmpty()) return {};
  return plainText(blocks.blocks().last()).trimmed().section(u'\n', -1).right(200);
}

QString TimelineModel::foldText(const Row& row) const {
  const auto parsed = m_parsed.constFind(row.message);
  if (parsed == m_parsed.cend() || !row.block.isLastPart) {
    if (row.kind != RowKind::Code || row.block.part > 0 || parsed == m_parsed.cend()) return {};
  }
  if (row.kind == RowKind::User) {
    const MessageRecord* message = m_conversation.find(row.message);
    if ((*parsed)->unfolded.contains(0)) return tr("Show less");
    if (!row.block.isJoined || !message) return {};
    return tr("Show all %L1 lines, %L2 characters")
        .arg(linesOf(message->text()))
        .arg(message->text().size());
  }
  if (row.kind != RowKind::Code) return {};
  if (!isFolded(**parsed, row.blockIndex)) {
    const bool wasFolded = (*parsed)->unfolded.contains(row.block.group);
    return wasFolded && row.block.isLastPart ? tr("Show less") : QString();
  }
  return tr("Show all %L1 lines").arg(stateOf(row)->lineCount());
}

QString TimelineModel::thoughtText(const Row& row) const {
  const MessageRecord* message = m_conversation.find(row.message);
  const auto parsed = m_parsed.constFind(row.message);
  if (row.kind != RowKind::Thought || !message || parsed == m_parsed.cend()) return {};
  const MessageBlocks& blocks = (*parsed)->blocks;
  bool ended = !blocks.isThinking();
  for (qsizetype i = row.blockIndex; i < blocks.blocks().size() && !ended; ++i)
    ended = !blocks.blocks()[i].isThought;
  if (!ended)
    return blocks.isFinished() ? tr("Thought, stopped before an answer") : tr("Thinking…");
  if (const auto seconds = m_thoughts.seconds(row.message))
    return ThoughtClock::text(*seconds, false);
  return ThoughtClock::text(ThoughtClock::estimate(*message, blocks.thoughtLength()), true);
}

BlockDisplay* TimelineModel::stateOf(const Row& row) const {
  if (row.kind != RowKind::Code && row.kind != RowKind::Table) return nullptr;
  const auto parsed = m_parsed.constFind(row.message);
  if (parsed == m_parsed.cend()) return nullptr;
  BlockDisplay*& state = (*parsed)->states[row.block.group];
  const QList<MarkdownBlock>& blocks = (*parsed)->blocks.blocks();
  if (state || row.blockIndex >= blocks.size()) return state;
  state = new BlockDisplay(const_cast<TimelineModel*>(this));
  int lines = 0;
  for (qsizetype i = groupBegin(blocks, row.blockIndex); i < blocks.size(); ++i) {
    if (blocks[i].group != row.block.group) break;
    if (blocks[i].kind == BlockKind::Table) state->noteCells(blocks[i].cells, blocks[i].part == 0);
    lines += linesOf(blocks[i].text) - (blocks[i].isLineJoined ? 1 : 0);
  }
  if (row.kind == RowKind::Code) state->setLineCount(lines);
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
