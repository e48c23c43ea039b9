#include "app/engine_page/block_legend.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quire {

int BlockCounts::used() const {
  return std::accumulate(chats.begin(), chats.end(), shared + nobody);
}

BlockLook lookOf(const ChatLabels& labels, qint64 chatId) {
  const auto label = labels && chatId != 0 ? labels(chatId) : std::nullopt;
  if (!label) return BlockLook::Nobody;
  const int color = std::abs(label->color) % kNumChatColors;
  return static_cast<BlockLook>(static_cast<int>(BlockLook::FirstChat) + color);
}

BlockLegend::BlockLegend(ChatLabels labels, QObject* parent)
    : RoleListModel(parent), m_labels(std::move(labels)), m_rows(rowsOf({})) {
  setRoles({{kLook, "look", [this](int row) { return static_cast<int>(m_rows[row].look); }},
            {kLabel, "label", [this](int row) { return labelOf(m_rows[row]); }},
            {kCount, "countText", [this](int row) { return countText(m_rows[row].count); }}});
}

QString BlockLegend::labelOf(const Row& row) const {
  if (row.chatId != 0) return titleOf(m_labels, row.chatId);
  if (row.numChats > 0) return tr("other chats");
  switch (row.look) {
    case BlockLook::Free:
      return tr("free");
    case BlockLook::Kept:
      return tr("kept for later");
    case BlockLook::Stored:
      return tr("kept, on disk too");
    case BlockLook::Shared:
      return tr("shared by chats");
    default:
      return tr("of no chat");
  }
}

QList<BlockLegend::Row> BlockLegend::rowsOf(const BlockCounts& counts) const {
  QList<Row> chats;
  for (auto it = counts.chats.begin(); it != counts.chats.end(); ++it) {
    chats.append({.look = lookOf(m_labels, it.key()), .chatId = it.key(), .count = it.value()});
  }
  std::ranges::sort(chats, [](const Row& a, const Row& b) {
    return std::pair(-a.count, a.chatId) < std::pair(-b.count, b.chatId);
  });
  int others = counts.nobody, numOthers = 0;
  for (qsizetype i = kMaxChats; i < chats.size(); ++i, ++numOthers) others += chats[i].count;
  chats.resize(std::min<qsizetype>(chats.size(), kMaxChats));
  std::ranges::sort(chats, {}, &Row::chatId);  // For a stable order of the rows.
  QList<Row> rows = {{.look = BlockLook::Shared, .count = counts.shared}};
  rows += chats;
  if (others > 0) rows.append({.look = BlockLook::Nobody, .count = others, .numChats = numOthers});
  rows.append({.look = BlockLook::Kept, .count = counts.kept});
  rows.append({.look = BlockLook::Stored, .count = counts.stored});
  rows.append({.look = BlockLook::Free, .count = counts.free});
  return rows;
}

void BlockLegend::setCounts(const BlockCounts& counts) {
  const QList<Row> rows = rowsOf(counts);
  const bool isSame =
      std::ranges::equal(rows, m_rows, [](const Row& a, const Row& b) { return a.isSameAs(b); });
  if (isSame) {
    m_rows = rows;
    announceRows();
    return;
  }
  beginResetModel();
  m_rows = rows;
  endResetModel();
}

}  // namespace quire
