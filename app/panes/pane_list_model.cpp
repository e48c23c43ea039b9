#include "app/panes/pane_list_model.h"

#include <QGuiApplication>

#include <algorithm>

namespace quire {

PaneListModel::PaneListModel(QObject* parent) : RoleListModel(parent) {
  setRoles({{kChat, "chat", [this](int row) { return QVariant::fromValue(m_chats[row]); }},
            {kIsFocused, "isFocused", [this](int row) { return row == m_focused; }},
            {kIsShown, "isShown", [this](int row) { return m_grid.isShown(row); }},
            {kPlace, "place",
             [this](int row) { return m_grid.isShown(row) ? m_grid.placeOf(row) : QRectF(); }}});
}

int PaneListModel::paneOf(RecordId chatId) const {
  const auto found = std::ranges::find(m_chats, chatId, &ChatModel::chatId);
  return found == m_chats.cend() ? -1 : static_cast<int>(found - m_chats.cbegin());
}

void PaneListModel::setFocusedPane(int pane) {
  if (pane == m_focused || pane < 0 || pane >= count()) return;
  ChatModel* before = focusedChat();
  m_focused = pane;
  applyFocus(before);
}

void PaneListModel::setCount(int wanted) {
  wanted = std::clamp(wanted, 1, PaneGrid::kMaxPanes);
  if (m_chats.isEmpty() || wanted == count()) return;
  while (count() > wanted) removePane(m_focused == count() - 1 ? count() - 2 : count() - 1);
  while (count() < wanted && m_source) {
    ChatModel* chat = nullptr;
    while (!m_closed.isEmpty() && !chat) {
      const RecordId id = m_closed.takeLast();
      if (paneOf(id) < 0) chat = m_source(id);
    }
    if (!chat) chat = m_source(0);
    if (!chat) break;
    insert(count(), chat);
  }
  emit composerWanted();
}

void PaneListModel::insert(int pane, ChatModel* chat) {
  beginInsertRows({}, pane, pane);
  m_chats.insert(pane, chat);
  chat->setShown(true);
  if (count() > 1 && pane <= m_focused) ++m_focused;
  endInsertRows();
  arrange();
  emit countChanged();
  emit arrangementChanged();
}

void PaneListModel::removePane(int pane) {
  ChatModel* before = focusedChat();
  m_closed.append(m_chats[pane]->chatId());
  m_chats[pane]->setShown(false);
  beginRemoveRows({}, pane, pane);
  m_chats.removeAt(pane);
  if (pane < m_focused || m_focused == count()) --m_focused;
  endRemoveRows();
  arrange();
  emit countChanged();
  if (focusedChat() != before) return applyFocus(before);
  announceRows({kIsFocused});
  emit focusChanged();
}

void PaneListModel::show(ChatModel* chat) {
  if (!chat) return;
  if (chat == focusedChat()) return emit composerWanted();
  if (const int pane = paneOf(chat->chatId()); pane >= 0) {
    setFocusedPane(pane);
  } else if (m_chats.isEmpty()) {
    insert(0, chat);
    applyFocus(nullptr);
  } else {
    replace(m_focused, chat);
  }
  emit composerWanted();
}

void PaneListModel::showBeside(ChatModel* chat) {
  if (!chat) return;
  if (m_chats.isEmpty() || !canSplit() || paneOf(chat->chatId()) >= 0) return show(chat);
  insert(m_focused + 1, chat);
  setFocusedPane(m_focused + 1);
  emit composerWanted();
}

void PaneListModel::replace(int pane, ChatModel* chat) {
  if (!chat || pane < 0 || pane >= count() || paneOf(chat->chatId()) >= 0) return;
  ChatModel* before = m_chats[pane];
  m_chats[pane] = chat;
  before->setShown(false);
  chat->setShown(true);
  emit dataChanged(index(pane), index(pane), {kChat});
  if (pane == m_focused) return applyFocus(before);
  emit arrangementChanged();
}

void PaneListModel::drop(RecordId chatId) {
  emit chatDropped(chatId);
  const int pane = paneOf(chatId);
  if (pane >= 0 && m_source) replace(pane, m_source(0));
}

void PaneListModel::split() {
  if (!canSplit() || !m_source) return;
  showBeside(m_source(0));
  emit chatBegun();
}

void PaneListModel::closePane(int pane) {
  if (!isSplit() || pane < 0 || pane >= count()) return;
  removePane(pane);
  emit composerWanted();
}

void PaneListModel::moveFocus(int columns, int rows) {
  // The first column is the rightmost one of a window from right to left.
  const int later = QGuiApplication::isRightToLeft() ? -columns : columns;
  const int wanted = m_grid.neighbour(m_focused, later, rows, count());
  if (wanted < 0) return;
  setFocusedPane(wanted);
  emit composerWanted();
}

void PaneListModel::applyFocus(ChatModel* before) {
  if (before) before->setFocused(false);
  focusedChat()->setFocused(true);
  arrange();
  announceRows({kIsFocused});
  emit focusChanged();
  emit arrangementChanged();
}

void PaneListModel::arrange() {
  m_grid.arrange(count(), m_focused, m_area);
  announceRows({kIsShown, kPlace});
  emit gridChanged();
}

void PaneListModel::setArea(double width, double height) {
  const QSizeF area(width, height);
  if (area == m_area) return;
  m_area = area;
  arrange();
}

void PaneListModel::moveColumnEdge(int edge, double place) {
  m_grid.moveColumnEdge(edge, place);
  arrange();
}

void PaneListModel::moveRowEdge(int edge, double place) {
  m_grid.moveRowEdge(edge, place);
  arrange();
}

PaneArrangement PaneListModel::arrangement() const {
  PaneArrangement arrangement = {
      .focused = m_focused, .columns = m_grid.rememberedColumns(), .rows = m_grid.rememberedRows()};
  for (const ChatModel* chat : m_chats) arrangement.chats.append(chat->chatId());
  return arrangement;
}

void PaneListModel::restore(const PaneArrangement& arrangement) {
  m_grid.remember(arrangement.columns, arrangement.rows);
  for (const RecordId id : arrangement.chats) {
    ChatModel* chat = m_source(id);
    if (!chat) chat = m_source(0);
    if (chat && paneOf(chat->chatId()) < 0) insert(count(), chat);
  }
  if (m_chats.isEmpty()) return;
  m_focused = std::min(arrangement.focused, count() - 1);
  applyFocus(nullptr);
}

}  // namespace quire
