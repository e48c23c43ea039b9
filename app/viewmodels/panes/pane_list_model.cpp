#include "app/viewmodels/panes/pane_list_model.h"

namespace quire {

int PaneListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> PaneListModel::roleNames() const {
  return {{kChat, "chat"}, {kIsFocused, "isFocused"}};
}

QVariant PaneListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  if (role == kChat) return QVariant::fromValue(m_chats[index.row()]);
  return role == kIsFocused ? QVariant(index.row() == m_focused) : QVariant();
}

int PaneListModel::paneOf(RecordId chatId) const {
  for (int pane = 0; pane < count(); ++pane) {
    if (m_chats[pane]->chatId() == chatId) return pane;
  }
  return -1;
}

void PaneListModel::setFocusedPane(int pane) {
  if (pane == m_focused || pane < 0 || pane >= count()) return;
  ChatModel* before = focusedChat();
  m_focused = pane;
  applyFocus(before);
}

void PaneListModel::show(ChatModel* chat) {
  if (!chat || chat == focusedChat()) return;
  if (const int pane = paneOf(chat->chatId()); pane >= 0) return setFocusedPane(pane);
  ChatModel* before = focusedChat();
  if (m_chats.isEmpty()) {
    beginInsertRows({}, 0, 0);
    m_chats.append(chat);
    endInsertRows();
    emit countChanged();
  } else {
    m_chats[m_focused] = chat;
    emit dataChanged(index(m_focused), index(m_focused), {kChat});
  }
  applyFocus(before);
}

void PaneListModel::applyFocus(ChatModel* before) {
  if (before) before->setFocused(false);
  focusedChat()->setFocused(true);
  emit dataChanged(index(0), index(count() - 1), {kIsFocused});
  emit focusChanged();
}

}  // namespace quire
