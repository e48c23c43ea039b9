#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include <functional>

#include "app/chat/chat_model.h"
#include "app/panes/pane_grid.h"
#include "app/role_list_model.h"

namespace quire {

/// The panes of the window, each with a chat. The chat of the focused pane is scheduled first.
///
/// Thread: the window's.
/// Invariants: there is at least one pane after a chat was shown; no chat is in two panes.
class PaneListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count WRITE setCount NOTIFY countChanged)
  Q_PROPERTY(bool isSplit READ isSplit NOTIFY countChanged)
  Q_PROPERTY(bool canSplit READ canSplit NOTIFY countChanged)
  Q_PROPERTY(int focusedPane READ focusedPane WRITE setFocusedPane NOTIFY focusChanged)
  Q_PROPERTY(bool hasTabs READ hasTabs NOTIFY gridChanged)
  Q_PROPERTY(QList<double> columnEdges READ columnEdges NOTIFY gridChanged)
  Q_PROPERTY(QList<double> rowEdges READ rowEdges NOTIFY gridChanged)

 public:
  enum Role {
    kChat = Qt::UserRole + 1,
    kIsFocused,
    kIsShown,  ///< False: the pane does not fit and is opened by its tab.
    kPlace,    ///< A rectangle in fractions of the area.
  };

  explicit PaneListModel(QObject* parent = nullptr);

  int numRows() const override { return count(); }

  int count() const { return static_cast<int>(m_chats.size()); }
  /// New panes show the chats of closed panes, or new chats. The focused pane is never closed.
  void setCount(int count);
  bool isSplit() const { return count() > 1; }
  bool canSplit() const { return count() < PaneGrid::kMaxPanes; }
  int focusedPane() const { return m_focused; }
  void setFocusedPane(int pane);
  ChatModel* chatAt(int pane) const { return m_chats.value(pane); }
  ChatModel* focusedChat() const { return chatAt(m_focused); }
  const QList<ChatModel*>& chats() const { return m_chats; }
  int paneOf(RecordId chatId) const;  ///< -1: it is not shown.

  /// `source` opens the chat with an id, or a new one for 0, and returns null if it cannot.
  void setSource(std::function<ChatModel*(RecordId)> source) { m_source = std::move(source); }

  /// Shows a chat in the focused pane, or goes to the pane that shows it.
  void show(ChatModel* chat);
  /// Shows it in a new pane after the focused one, or in the focused one if no pane can be added.
  void showBeside(ChatModel* chat);
  /// Shows another chat in that pane; the focus does not move.
  void replace(int pane, ChatModel* chat);
  /// Shows a new chat in the pane of this chat, which is about to be destroyed.
  void drop(RecordId chatId);

  Q_INVOKABLE void split();  ///< A new chat beside the focused one.
  Q_INVOKABLE void closePane(int pane);
  Q_INVOKABLE void closeFocusedPane() { closePane(m_focused); }
  Q_INVOKABLE void moveFocus(int columns, int rows);

  bool hasTabs() const { return m_grid.numShown() < count(); }
  QList<double> columnEdges() const { return m_grid.columnEdges(); }
  QList<double> rowEdges() const { return m_grid.rowEdges(); }
  Q_INVOKABLE void setArea(double width, double height);
  Q_INVOKABLE void moveColumnEdge(int edge, double place);
  Q_INVOKABLE void moveRowEdge(int edge, double place);
  Q_INVOKABLE void keepEdges() { emit arrangementChanged(); }

  PaneArrangement arrangement() const;
  void restore(const PaneArrangement& arrangement);

 signals:
  void countChanged();
  /// Another pane has the focus, or the focused one shows another chat.
  void focusChanged();
  void gridChanged();
  /// arrangement() changed.
  void arrangementChanged();
  /// split() made a new chat.
  void chatBegun();
  /// A chat is about to be destroyed.
  void chatDropped(qint64 chatId);
  /// The composer should get the keyboard focus.
  void composerWanted();

 private:
  void insert(int pane, ChatModel* chat);
  void removePane(int pane);
  void applyFocus(ChatModel* before);
  void arrange();

  QList<ChatModel*> m_chats;
  QList<RecordId> m_closed;  ///< Chats of closed panes; the last closed one comes last.
  int m_focused = 0;
  std::function<ChatModel*(RecordId)> m_source;
  PaneGrid m_grid;
  QSizeF m_area;
};

}  // namespace quire
