#include "app/panes/pane_slots.h"

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr int kRemoveMs = 16;  ///< Between two removals, so that a frame is drawn.

}  // namespace

PaneSlots::PaneSlots(QObject* parent) : RoleListModel(parent) {
  setRoles(
      {{kChat, "chat", [this](int row) { return QVariant::fromValue(m_slots[row].chat.data()); }},
       {kIsFocused, "isFocused", [this](int row) { return isIn(row, kIsFocused); }},
       {kIsShown, "isShown", [this](int row) { return isIn(row, kIsShown); }},
       {kPlace, "place", [this](int row) { return m_slots[row].place; }},
       {kPane, "pane", [this](int row) { return m_slots[row].pane; }},
       {kIsKept, "isKept",
        [this](int row) { return m_slots[row].pane < 0 && !m_slots[row].isLeaving; }},
       {kIsLeaving, "isLeaving", [this](int row) { return m_slots[row].isLeaving; }}});
  m_removing.setSingleShot(true);
  m_removing.setInterval(kRemoveMs);
  connect(&m_removing, &QTimer::timeout, this, &PaneSlots::removeNext);
}

PaneSlots::~PaneSlots() {
  for (const Slot& slot : std::exchange(m_slots, {})) {
    if (slot.pane < 0) letChatGo(slot.chat);
  }
}

bool PaneSlots::isIn(int row, int role) const {
  const int pane = m_slots[row].pane;
  return m_panes && pane >= 0 && m_panes->data(m_panes->index(pane), role).toBool();
}

void PaneSlots::setPanes(PaneListModel* panes) {
  if (m_panes || !panes) return;
  m_panes = panes;
  connect(panes, &PaneListModel::rowsInserted, this,
          [this](const QModelIndex&, int first, int last) { onInserted(first, last); });
  connect(panes, &PaneListModel::rowsRemoved, this,
          [this](const QModelIndex&, int first, int last) { onRemoved(first, last); });
  connect(panes, &PaneListModel::dataChanged, this,
          [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
            onChanged(roles);
          });
  connect(panes, &PaneListModel::chatDropped, this, &PaneSlots::onChatDropped);
  if (panes->count() > 0) onInserted(0, panes->count() - 1);
  emit panesChanged();
}

int PaneSlots::rowOf(int pane) const {
  const auto found = std::ranges::find(m_slots, pane, &Slot::pane);
  return pane < 0 || found == m_slots.cend() ? -1 : static_cast<int>(found - m_slots.cbegin());
}

/// A closed slot, that of this chat if there is one; -1: none is closed.
int PaneSlots::closedRow(const ChatModel* chat) const {
  int found = -1;
  for (int row = 0; row < numRows(); ++row) {
    const Slot& slot = m_slots[row];
    if (slot.pane >= 0 || slot.isEmpty) continue;
    if (slot.chat == chat) return row;
    if (found < 0) found = row;
  }
  return found;
}

void PaneSlots::onInserted(int first, int last) {
  for (int pane = first; pane <= last; ++pane) {
    for (Slot& slot : m_slots) {
      if (slot.pane >= pane) ++slot.pane;
    }
    open(pane);
  }
  announceRows();
}

void PaneSlots::open(int pane) {
  ChatModel* chat = m_panes->chatAt(pane);
  const int row = rowOf(pane - 1) + 1;
  const int closed = closedRow(chat);
  if (closed < 0) {
    beginInsertRows({}, row, row);
    m_slots.insert(row, Slot{.pane = pane, .chat = chat});
    endInsertRows();
    return;
  }
  Slot& slot = m_slots[moveSlot(closed, row)];
  ChatModel* before = slot.chat;
  slot = Slot{.pane = pane, .chat = chat, .place = slot.place};
  if (before != chat) letChatGo(before);
  m_removing.start();  // It may have been the one that was being removed.
}

/// Moves a slot before that of the row `to`; returns its row afterwards.
int PaneSlots::moveSlot(int from, int to) {
  if (to == from || to == from + 1) return from;
  const int row = to > from ? to - 1 : to;
  beginMoveRows({}, from, from, {}, to);
  m_slots.move(from, row);
  endMoveRows();
  return row;
}

void PaneSlots::onRemoved(int first, int last) {
  for (Slot& slot : m_slots) {
    if (slot.pane > last) {
      slot.pane -= last - first + 1;
    } else if (slot.pane >= first) {
      slot.pane = -1;
      if (slot.chat) slot.chat->setShown(true);  // Not to be closed under its pane.
    }
  }
  announceRows({kPane, kIsFocused, kIsShown, kIsKept});
  m_removing.start();
}

void PaneSlots::onChanged(const QList<int>& roles) {
  for (int row = 0; row < numRows(); ++row) {
    Slot& slot = m_slots[row];
    if (slot.pane < 0) {
      if (slot.chat) slot.chat->setShown(true);  // A pane may have had it, and has another now.
      continue;
    }
    slot.chat = m_panes->chatAt(slot.pane);
    if (isIn(row, kIsShown))
      slot.place = m_panes->data(m_panes->index(slot.pane), kPlace).toRectF();
  }
  announceRows(roles);
}

/// The chat is about to be destroyed: its pane cannot stay.
void PaneSlots::onChatDropped(RecordId chat) {
  for (int row = numRows() - 1; row >= 0; --row) {
    const Slot& slot = m_slots[row];
    if (slot.pane < 0 && slot.chat && slot.chat->chatId() == chat) removeSlot(row);
  }
  m_removing.start();
}

void PaneSlots::release(int row) {
  if (row < 0 || row >= numRows() || !m_slots[row].isLeaving) return;
  m_slots[row].isEmpty = true;
  m_removing.start();
}

/// Removes what is empty, or begins with the next slot that was closed.
void PaneSlots::removeNext() {
  const auto released = std::ranges::find_if(m_slots, &Slot::isEmpty);
  if (released != m_slots.end()) removeSlot(static_cast<int>(released - m_slots.begin()));
  if (std::ranges::any_of(m_slots, &Slot::isLeaving)) return;
  const auto closed = std::ranges::find(m_slots, -1, &Slot::pane);
  if (closed == m_slots.end()) return;
  closed->isLeaving = true;
  announceRows({kIsKept, kIsLeaving});
}

void PaneSlots::removeSlot(int row) {
  ChatModel* chat = m_slots[row].chat;
  beginRemoveRows({}, row, row);
  m_slots.removeAt(row);
  endRemoveRows();
  letChatGo(chat);
}

void PaneSlots::letChatGo(ChatModel* chat) const {
  if (!chat || !m_panes || m_panes->paneOf(chat->chatId()) >= 0) return;
  const bool isKept =
      std::ranges::any_of(m_slots, [&](const Slot& slot) { return slot.chat == chat; });
  if (!isKept) chat->setShown(false);
}

}  // namespace quire
