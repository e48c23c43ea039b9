#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/panes/composer_model.h"
#include "app/panes/pane_list_model.h"
#include "app/session/data_session.h"
#include "app/sidebar/chat_library.h"

namespace quire {

/// What the window shows: its page, whether the engine's panel is beside the chats, and which chats
/// are in the panes.
///
/// Thread: the window's.
/// Invariants: once restore() was called there is always a currentChat().
class Navigation : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatModel* currentChat READ currentChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool isNewChat READ isNewChat NOTIFY currentChatChanged)
  Q_PROPERTY(Page page READ page WRITE setPage NOTIFY pageChanged)
  /// Whether the panel is switched on, and whether it is shown: only beside the chats.
  Q_PROPERTY(bool enginePanel READ enginePanel WRITE setEnginePanel NOTIFY enginePanelChanged)
  Q_PROPERTY(bool showsEnginePanel READ showsEnginePanel NOTIFY enginePanelChanged)

 public:
  /// What fills the window beside the sidebar.
  enum class Page { Chats, Personas, Models, Engine, Settings, Shortcuts };
  Q_ENUM(Page)

  Navigation(ChatLibrary& library, PaneListModel& panes, ComposerModel& composer,
             DataSession& session, QObject* parent = nullptr);

  /// Shows the panes and chats of the last time; the session is open and the chats are loaded.
  void restore();

  ChatModel* currentChat() const { return m_panes.focusedChat(); }
  bool isNewChat() const { return currentChat() && !m_chats.contains(currentChat()->chatId()); }
  Page page() const { return m_page; }
  void setPage(Page page);
  bool enginePanel() const { return m_enginePanel; }
  void setEnginePanel(bool wanted);
  bool showsEnginePanel() const { return m_enginePanel && m_page == Page::Chats; }

  Q_INVOKABLE void newChat();
  Q_INVOKABLE void newChatUnder(qint64 personaId);
  /// In the focused pane, on the page of chats.
  Q_INVOKABLE void openChat(qint64 id) { show(m_library.open(id)); }
  Q_INVOKABLE void openChatBeside(qint64 id);         ///< In a pane of its own.
  Q_INVOKABLE void openChatIn(qint64 id, int pane);   ///< In that pane, if no other shows it.
  void openMessage(qint64 chatId, qint64 messageId);  ///< And scrolls to it.
  void openNeighbour(int step);  ///< The chat below (1) or above (-1) in the list.
  /// A chat of the list was clicked: opens it, or with Ctrl and Shift held selects.
  Q_INVOKABLE void clickChat(qint64 id);
  /// A key was pressed in the list of chats; false: it means nothing there.
  Q_INVOKABLE bool pressInList(int key, int modifiers);

 signals:
  void currentChatChanged();
  void pageChanged();
  void enginePanelChanged();

 private:
  void connectPanes();
  void show(ChatModel* chat);
  /// For a pane: the chat of that id, a new one for 0; null if there is none.
  ChatModel* chatForPane(RecordId id);
  void onChatTaken(qint64 id, int row);

  ChatLibrary& m_library;
  ChatListModel& m_chats;
  PaneListModel& m_panes;
  ComposerModel& m_composer;
  DataSession& m_session;
  Page m_page = Page::Chats;
  bool m_enginePanel = false;
};

}  // namespace quire
