#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/panes/composer_model.h"
#include "app/panes/pane_list_model.h"
#include "app/session/data_session.h"
#include "app/sidebar/chat_library.h"

namespace quire {

/// What the window shows: its page, the engine's panel beside the chats, and the chats in the
/// panes.
///
/// Thread: the window's.
/// Invariants: after restore() there is always a currentChat().
class Navigation : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatModel* currentChat READ currentChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool isNewChat READ isNewChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool hasListedChat READ hasListedChat NOTIFY currentChatChanged)
  /// Whether the window shows an empty chat that is not in the list yet.
  Q_PROPERTY(bool showsNewChat READ showsNewChat NOTIFY newChatShownChanged)
  Q_PROPERTY(Page page READ page WRITE setPage NOTIFY pageChanged)
  Q_PROPERTY(bool showsPersonas READ showsPersonas NOTIFY pageChanged)
  Q_PROPERTY(bool showsModels READ showsModels NOTIFY pageChanged)
  Q_PROPERTY(bool showsEngine READ showsEngine NOTIFY pageChanged)
  Q_PROPERTY(bool showsSettings READ showsSettings NOTIFY pageChanged)
  Q_PROPERTY(bool showsShortcuts READ showsShortcuts NOTIFY pageChanged)
  Q_PROPERTY(bool isPageOpen READ isPageOpen NOTIFY pageChanged)
  /// Whether the panel is switched on, and whether it is shown: only beside the chats.
  Q_PROPERTY(bool enginePanel READ enginePanel WRITE setEnginePanel NOTIFY enginePanelChanged)
  Q_PROPERTY(bool showsEnginePanel READ showsEnginePanel NOTIFY enginePanelChanged)

 public:
  /// What fills the window beside the sidebar.
  enum class Page { Chats, Personas, Models, Engine, Settings, Shortcuts };
  Q_ENUM(Page)

  Navigation(ChatLibrary& library, PaneListModel& panes, ComposerModel& composer,
             DataSession& session, QObject* parent = nullptr);

  /// Shows the panes and chats as they were saved; the session is open and the chats are loaded.
  void restore();

  ChatModel* currentChat() const { return m_panes.focusedChat(); }
  bool isNewChat() const { return currentChat() && !m_chats.contains(currentChat()->chatId()); }
  /// Whether the current chat is in the list, with a title of its own.
  bool hasListedChat() const { return currentChat() && !isNewChat(); }
  bool showsNewChat() const { return m_page == Page::Chats && isNewChat(); }
  Page page() const { return m_page; }
  void setPage(Page page);
  bool showsPersonas() const { return m_page == Page::Personas; }
  bool showsModels() const { return m_page == Page::Models; }
  bool showsEngine() const { return m_page == Page::Engine; }
  bool showsSettings() const { return m_page == Page::Settings; }
  bool showsShortcuts() const { return m_page == Page::Shortcuts; }
  bool isPageOpen() const { return m_page != Page::Chats; }  ///< A page covers the chats.
  Q_INVOKABLE void closePage();  ///< Back to the chats and their composer.
  bool enginePanel() const { return m_enginePanel; }
  void setEnginePanel(bool wanted);
  bool showsEnginePanel() const { return m_enginePanel && m_page == Page::Chats; }

  Q_INVOKABLE void newChat();
  Q_INVOKABLE void newChatUnder(qint64 personaId);
  /// Shows a chat in the focused pane, on the page of chats.
  Q_INVOKABLE void openChat(qint64 id) { show(m_library.open(id)); }
  Q_INVOKABLE void openChatBeside(qint64 id);         ///< Shows it in a new pane.
  Q_INVOKABLE void openChatIn(qint64 id, int pane);   ///< Or in the pane that shows it already.
  void openMessage(qint64 chatId, qint64 messageId);  ///< Shows its chat and scrolls to it.
  void openNeighbour(int step);  ///< Opens the chat below (1) or above (-1) in the list.
  /// Handles a click on a chat of the list: opens it, or with Ctrl or Shift held changes the
  /// selection.
  Q_INVOKABLE void clickChat(qint64 id);
  /// Handles a key press in the list of chats; returns false if the key has no meaning there.
  Q_INVOKABLE bool pressInList(int key, int modifiers);

 signals:
  void currentChatChanged();
  void newChatShownChanged();
  void pageChanged();
  void enginePanelChanged();

 private:
  void connectPanes();
  void show(ChatModel* chat);
  /// Opens the chat with that id for a pane, or a new one for 0; null if there is none.
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
