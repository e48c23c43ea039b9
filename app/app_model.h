#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSize>
#include <QUrl>

#include "app/chat/spoken_answer.h"
#include "app/commands/command_list.h"
#include "app/commands/shortcut_list_model.h"
#include "app/engine/engine_inspector.h"
#include "app/engine_page/engine_monitor.h"
#include "app/engine_page/engine_status.h"
#include "app/models/model_library.h"
#include "app/panes/composer_model.h"
#include "app/panes/pane_list_model.h"
#include "app/panes/pause_control.h"
#include "app/personas/persona_library.h"
#include "app/personas/persona_list_model.h"
#include "app/search/quick_open.h"
#include "app/session/data_session.h"
#include "app/session/first_run.h"
#include "app/session/interface_language.h"
#include "app/session/quit_guard.h"
#include "app/session/raise_request.h"
#include "app/session/write_pause.h"
#include "app/settings/chat_settings.h"
#include "app/settings/settings_model.h"
#include "app/sidebar/chat_library.h"
#include "app/sidebar/sidebar_state.h"
#include "app/transfer/data_transfer.h"
#include "app/transfer/import_offer.h"
#include "app/transfer/store_rescue.h"

namespace quire {

/// The root of what the window binds to: which page is shown, the panes and their chats, and what
/// there is to say when the user's data cannot be opened or written. Everything else is in rooms of
/// its own, which this makes and connects.
///
/// Thread: the window's.
/// Invariants: while storeOpen() there is always a currentChat().
class AppModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatLibrary* library READ library CONSTANT)
  Q_PROPERTY(quire::ChatListModel* chats READ chats CONSTANT)
  Q_PROPERTY(quire::WritePause* writePause READ writePause CONSTANT)
  Q_PROPERTY(quire::DataTransfer* transfer READ transfer CONSTANT)
  Q_PROPERTY(quire::ImportOffer* importOffer READ importOffer CONSTANT)
  Q_PROPERTY(quire::QuitGuard* quitGuard READ quitGuard CONSTANT)
  Q_PROPERTY(quire::StoreRescue* rescue READ rescue CONSTANT)
  Q_PROPERTY(quire::SidebarState* sidebar READ sidebar CONSTANT)
  Q_PROPERTY(quire::CommandList* commands READ commands CONSTANT)
  Q_PROPERTY(quire::ShortcutListModel* shortcuts READ shortcuts CONSTANT)
  Q_PROPERTY(quire::FirstRun* firstRun READ firstRun CONSTANT)
  Q_PROPERTY(quire::SpokenAnswer* spokenAnswer READ spokenAnswer CONSTANT)
  Q_PROPERTY(quire::QuickOpen* quickOpen READ quickOpen CONSTANT)
  Q_PROPERTY(quire::PaneListModel* panes READ panes CONSTANT)
  Q_PROPERTY(quire::ComposerModel* composer READ composer CONSTANT)
  Q_PROPERTY(quire::PauseControl* pause READ pause CONSTANT)
  Q_PROPERTY(quire::PersonaListModel* personas READ personas CONSTANT)
  Q_PROPERTY(quire::ModelLibrary* models READ models CONSTANT)
  Q_PROPERTY(quire::PersonaLibrary* personaLibrary READ personaLibrary CONSTANT)
  Q_PROPERTY(quire::SettingsModel* settings READ settings CONSTANT)
  Q_PROPERTY(quire::ChatSettings* chatSettings READ chatSettings CONSTANT)
  Q_PROPERTY(quire::EngineStatus* engine READ engine CONSTANT)
  Q_PROPERTY(quire::EngineMonitor* monitor READ monitor CONSTANT)
  Q_PROPERTY(quire::InterfaceLanguage* language READ language CONSTANT)
  Q_PROPERTY(quire::ChatModel* currentChat READ currentChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool isNewChat READ isNewChat NOTIFY currentChatChanged)
  Q_PROPERTY(Page page READ page WRITE setPage NOTIFY pageChanged)
  /// The engine's panel beside the chats: whether it is wanted, and whether it is its turn.
  Q_PROPERTY(bool enginePanel READ enginePanel WRITE setEnginePanel NOTIFY enginePanelChanged)
  Q_PROPERTY(bool showsEnginePanel READ showsEnginePanel NOTIFY enginePanelChanged)
  Q_PROPERTY(bool storeOpen READ storeOpen NOTIFY storeChanged)
  Q_PROPERTY(QString storeError READ storeError NOTIFY storeChanged)
  Q_PROPERTY(QString writeError READ writeError NOTIFY writeErrorChanged)
  Q_PROPERTY(bool canRescue READ canRescue NOTIFY writeErrorChanged)
  Q_PROPERTY(QString themeChoice READ themeChoice WRITE setThemeChoice NOTIFY themeChoiceChanged)
  Q_PROPERTY(QStringList examplePrompts READ examplePrompts CONSTANT)
  Q_PROPERTY(QString themeText READ themeText NOTIFY themeChoiceChanged)

 public:
  /// What fills the window beside the sidebar.
  enum class Page { Chats, Personas, Models, Engine, Settings, Shortcuts };
  Q_ENUM(Page)

  /// `presets`: the JSON of the persona presets, made into personas when the store has none yet.
  AppModel(EngineInterfaces engine, const QString& dataFolder, const QByteArray& presets,
           QObject* parent = nullptr);
  ~AppModel() override;

  DataSession& session() { return m_session; }
  ChatLibrary* library() { return &m_library; }
  ChatListModel* chats() { return m_library.list(); }
  WritePause* writePause() { return &m_writePause; }
  DataTransfer* transfer() { return &m_transfer; }
  ImportOffer* importOffer() { return &m_importOffer; }
  QuitGuard* quitGuard() { return &m_quitGuard; }
  StoreRescue* rescue() { return &m_rescue; }
  SidebarState* sidebar() { return &m_sidebar; }
  CommandList* commands() { return &m_commands; }
  ShortcutListModel* shortcuts() { return &m_shortcuts; }
  FirstRun* firstRun() { return &m_firstRun; }
  SpokenAnswer* spokenAnswer() { return &m_spokenAnswer; }
  QuickOpen* quickOpen() { return &m_quickOpen; }
  PaneListModel* panes() { return &m_panes; }
  ComposerModel* composer() { return &m_composer; }
  PauseControl* pause() { return &m_pause; }
  PersonaListModel* personas() { return &m_personas; }
  ModelLibrary* models() { return &m_models; }
  PersonaLibrary* personaLibrary() { return &m_personaLibrary; }
  SettingsModel* settings() { return &m_settings; }
  ChatSettings* chatSettings() { return &m_chatSettings; }
  EngineStatus* engine() { return &m_engine; }
  EngineMonitor* monitor() { return &m_monitor; }
  InterfaceLanguage* language() { return &m_language; }
  ChatModel* currentChat() const { return m_panes.focusedChat(); }
  bool isNewChat() const;
  Page page() const { return m_page; }
  void setPage(Page page);
  bool enginePanel() const { return m_enginePanel; }
  void setEnginePanel(bool wanted);
  bool showsEnginePanel() const { return m_enginePanel && m_page == Page::Chats; }
  bool storeOpen() const { return m_isOpen; }
  QString storeError() const { return m_storeError; }
  QString writeError() const { return m_writeError; }
  /// The error comes from a damaged store: seeRescue() leads to what can be done about it.
  bool canRescue() const { return m_canRescue; }
  bool isReopenWanted() const { return m_isReopenWanted; }
  QString themeChoice() const { return m_themeChoice; }
  void setThemeChoice(const QString& choice);
  QString themeText() const;
  QStringList examplePrompts() const;  ///< What the bundled model answers well.
  int windowWidth() const { return m_windowSize.width(); }  ///< As it was left; 0 at first.
  int windowHeight() const { return m_windowSize.height(); }

  /// Opens the user's data; once more if that failed before.
  Q_INVOKABLE void open();
  /// Shows the first screen if nobody has written anything here yet.
  void greet();
  Q_INVOKABLE void newChat();
  Q_INVOKABLE void newChatUnder(qint64 personaId);
  /// What could not be written is not tried again, so the sentence stays until it was read.
  Q_INVOKABLE void dismissWriteError();
  /// Ends this window, as quitting does, for one that begins with the rescue of the chats: nobody
  /// may have a store open that is to be replaced.
  Q_INVOKABLE void seeRescue();
  Q_INVOKABLE void openChat(qint64 id);  ///< In the focused pane, on the page of chats.
  void openMessage(qint64 chatId, qint64 messageId);  ///< And brings it into sight.
  Q_INVOKABLE void openChatBeside(qint64 id);         ///< In a pane of its own.
  Q_INVOKABLE void openChatIn(qint64 id, int pane);   ///< In that pane, if no other shows it.
  /// A file was dropped that is chats to import, or else goes with the message.
  Q_INVOKABLE void takeFile(const QUrl& file);
  Q_INVOKABLE void openNeighbour(int step);  ///< The chat below (1) or above (-1) in the list.
  /// A chat of the list was clicked: opens it, or with Ctrl and Shift held selects.
  Q_INVOKABLE void clickChat(qint64 id);
  /// A key was pressed in the list of chats; false: it means nothing there.
  Q_INVOKABLE bool pressInList(int key, int modifiers);
  /// Files or folders that were dropped onto the window: loaded, on the page of models.
  Q_INVOKABLE void openModels(const QList<QUrl>& urls);
  Q_INVOKABLE void saveWindowSize(int width, int height);
  /// The window of this size is to close: false where that has to wait, or to be asked.
  Q_INVOKABLE bool mayClose(int width, int height);
  Q_INVOKABLE void cycleTheme();
  Q_INVOKABLE void copyText(const QString& text) const;
  Q_INVOKABLE void openLink(const QString& url) const;
  /// Keeps everything and waits for the disk; the program is about to end.
  Q_INVOKABLE void close();

 signals:
  void currentChatChanged();
  void pageChanged();
  void enginePanelChanged();
  void storeChanged();
  void writeErrorChanged();
  void closeWanted();
  void themeChoiceChanged();
  /// Another start of the program wants this window.
  void raiseRequested(const QString& token);

 private:
  std::optional<ChatLabel> labelOf(RecordId id) const;
  Result<void> load();
  void connectTransfer();
  void connectImportOffer();
  void queueEverything();
  void readSettings();
  void show(ChatModel* chat);
  void connectPanes();
  void connectFirstRun();
  void startWith(const QList<qint64>& personaIds);
  void restorePanes();
  /// For a pane: the chat of that id, a new one for 0; null if there is none.
  ChatModel* chatForPane(RecordId id);
  void onChatTaken(qint64 id, int row);
  void setWriteError(const QString& error);
  void countModels();

  const QByteArray m_presets;
  InterfaceLanguage m_language;
  DataSession m_session;
  EngineStatus m_engine;
  GenerationDefaults m_generation;
  ModelLibrary m_models;
  PersonaListModel m_personas;
  ChatLibrary m_library;
  EngineMonitor m_monitor;
  PersonaLibrary m_personaLibrary;
  SettingsModel m_settings;
  ChatSettings m_chatSettings;
  PaneListModel m_panes;
  ComposerModel m_composer;
  WritePause m_writePause;
  DataTransfer m_transfer;
  ImportOffer m_importOffer;
  QuitGuard m_quitGuard;
  StoreRescue m_rescue;
  PauseControl m_pause;
  SidebarState m_sidebar;
  CommandList m_commands;
  ShortcutListModel m_shortcuts;
  QuickOpen m_quickOpen;
  FirstRun m_firstRun;
  SpokenAnswer m_spokenAnswer;

  std::unique_ptr<RaiseRequest> m_raise;
  bool m_isOpen = false;
  Page m_page = Page::Chats;
  bool m_enginePanel = false;
  QString m_storeError;
  QString m_writeError;
  bool m_canRescue = false;
  bool m_isReopenWanted = false;
  QString m_themeChoice = QStringLiteral("system");
  QSize m_windowSize;
};

}  // namespace quire
