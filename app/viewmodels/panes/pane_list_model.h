#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>
#include <QPointer>

#include "app/viewmodels/chat/chat_model.h"

namespace quire {

/// The panes of the window, side by side, each with a chat; one of them has the focus, and its chat
/// is computed first.
///
/// Thread: the window's.
/// Invariants: there is at least one pane once a chat was shown; no chat is in two panes.
class PaneListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int focusedPane READ focusedPane WRITE setFocusedPane NOTIFY focusChanged)

 public:
  enum Role { kChat = Qt::UserRole + 1, kIsFocused };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  int count() const { return static_cast<int>(m_chats.size()); }
  int focusedPane() const { return m_focused; }
  void setFocusedPane(int pane);
  ChatModel* chatAt(int pane) const { return m_chats.value(pane); }
  ChatModel* focusedChat() const { return chatAt(m_focused); }
  int paneOf(RecordId chatId) const;  ///< -1: it is not shown.

  /// Shows a chat in the focused pane, or goes to the pane that shows it.
  void show(ChatModel* chat);

 signals:
  void countChanged();
  /// Another pane has the focus, or the focused one shows another chat.
  void focusChanged();

 private:
  void applyFocus(ChatModel* before);

  QList<ChatModel*> m_chats;
  int m_focused = 0;
};

}  // namespace quire
