#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/chat/spoken_answer.h"
#include "app/commands/command_list.h"
#include "app/commands/shortcut_list_model.h"
#include "app/engine/engine_inspector.h"
#include "app/engine_page/engine_monitor.h"
#include "app/engine_page/engine_status.h"
#include "app/engine_page/machine_bench.h"
#include "app/get_models/get_models.h"
#include "app/get_models/spoken_downloads.h"
#include "app/models/model_library.h"
#include "app/panes/composer_model.h"
#include "app/panes/navigation.h"
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
#include "app/session/store_status.h"
#include "app/settings/appearance.h"
#include "app/settings/chat_settings.h"
#include "app/settings/server_model.h"
#include "app/settings/settings_model.h"
#include "app/settings/settings_search.h"
#include "app/sidebar/answer_notifier.h"
#include "app/sidebar/chat_library.h"
#include "app/sidebar/sidebar_state.h"
#include "app/transfer/data_transfer.h"
#include "app/transfer/import_offer.h"
#include "app/transfer/store_rescue.h"

namespace quire {

/// The composition root of the window: makes the objects that the window binds to and connects
/// them. It has no state of its own.
///
/// Thread: the window's.
class AppModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatLibrary* library READ library CONSTANT)
  Q_PROPERTY(quire::ChatListModel* chats READ chats CONSTANT)
  Q_PROPERTY(quire::DataTransfer* transfer READ transfer CONSTANT)
  Q_PROPERTY(quire::ImportOffer* importOffer READ importOffer CONSTANT)
  Q_PROPERTY(quire::QuitGuard* quitGuard READ quitGuard CONSTANT)
  Q_PROPERTY(quire::StoreRescue* rescue READ rescue CONSTANT)
  Q_PROPERTY(quire::StoreStatus* store READ store CONSTANT)
  Q_PROPERTY(quire::SidebarState* sidebar READ sidebar CONSTANT)
  Q_PROPERTY(quire::CommandList* commands READ commands CONSTANT)
  Q_PROPERTY(quire::ShortcutListModel* shortcuts READ shortcuts CONSTANT)
  Q_PROPERTY(quire::FirstRun* firstRun READ firstRun CONSTANT)
  Q_PROPERTY(quire::SpokenAnswer* spokenAnswer READ spokenAnswer CONSTANT)
  Q_PROPERTY(quire::SpokenDownloads* spokenDownloads READ spokenDownloads CONSTANT)
  Q_PROPERTY(quire::AnswerNotifier* notifier READ notifier CONSTANT)
  Q_PROPERTY(quire::QuickOpen* quickOpen READ quickOpen CONSTANT)
  Q_PROPERTY(quire::PaneListModel* panes READ panes CONSTANT)
  Q_PROPERTY(quire::ComposerModel* composer READ composer CONSTANT)
  Q_PROPERTY(quire::Navigation* navigation READ navigation CONSTANT)
  Q_PROPERTY(quire::PauseControl* pause READ pause CONSTANT)
  Q_PROPERTY(quire::PersonaListModel* personas READ personas CONSTANT)
  Q_PROPERTY(quire::ModelLibrary* models READ models CONSTANT)
  Q_PROPERTY(quire::GetModels* getModels READ getModels CONSTANT)
  Q_PROPERTY(quire::PersonaLibrary* personaLibrary READ personaLibrary CONSTANT)
  Q_PROPERTY(quire::Appearance* appearance READ appearance CONSTANT)
  Q_PROPERTY(quire::SettingsModel* settings READ settings CONSTANT)
  Q_PROPERTY(quire::SettingsSearch* settingsSearch READ settingsSearch CONSTANT)
  Q_PROPERTY(quire::ChatSettings* chatSettings READ chatSettings CONSTANT)
  Q_PROPERTY(quire::ServerModel* server READ server CONSTANT)
  Q_PROPERTY(quire::EngineStatus* engine READ engine CONSTANT)
  Q_PROPERTY(quire::EngineMonitor* monitor READ monitor CONSTANT)
  Q_PROPERTY(quire::MachineBench* bench READ bench CONSTANT)

 public:
  /// `presets`: the JSON of the persona presets, made into personas when the store has none yet.
  AppModel(EngineInterfaces engine, const QString& dataFolder, const QByteArray& presets,
           QObject* parent = nullptr);
  ~AppModel() override;

  DataSession& session() { return m_session; }
  ChatLibrary* library() { return &m_library; }
  ChatListModel* chats() { return m_library.list(); }
  DataTransfer* transfer() { return &m_transfer; }
  ImportOffer* importOffer() { return &m_importOffer; }
  QuitGuard* quitGuard() { return &m_quitGuard; }
  StoreRescue* rescue() { return &m_rescue; }
  StoreStatus* store() { return &m_store; }
  SidebarState* sidebar() { return &m_sidebar; }
  CommandList* commands() { return &m_commands; }
  ShortcutListModel* shortcuts() { return &m_shortcuts; }
  FirstRun* firstRun() { return &m_firstRun; }
  SpokenAnswer* spokenAnswer() { return &m_spokenAnswer; }
  SpokenDownloads* spokenDownloads() { return &m_spokenDownloads; }
  AnswerNotifier* notifier() { return &m_notifier; }
  QuickOpen* quickOpen() { return &m_quickOpen; }
  PaneListModel* panes() { return &m_panes; }
  ComposerModel* composer() { return &m_composer; }
  Navigation* navigation() { return &m_navigation; }
  PauseControl* pause() { return &m_pause; }
  PersonaListModel* personas() { return &m_personas; }
  ModelLibrary* models() { return &m_models; }
  GetModels* getModels() { return &m_getModels; }
  PersonaLibrary* personaLibrary() { return &m_personaLibrary; }
  Appearance* appearance() { return &m_appearance; }
  SettingsModel* settings() { return &m_settings; }
  SettingsSearch* settingsSearch() { return &m_settingsSearch; }
  ChatSettings* chatSettings() { return &m_chatSettings; }
  ServerModel* server() { return &m_server; }
  EngineStatus* engine() { return &m_engine; }
  EngineMonitor* monitor() { return &m_monitor; }
  MachineBench* bench() { return &m_bench; }
  InterfaceLanguage* language() { return &m_language; }
  ChatModel* currentChat() const { return m_navigation.currentChat(); }

  /// Opens the user's data before it returns.
  void open() { m_store.openNow(); }
  /// Shows the first screen if nobody has written anything here yet.
  void greet();
  /// The window of this size is to close: false where that has to wait, or to be asked.
  Q_INVOKABLE bool mayClose(int width, int height);
  /// Ends all answers, saves everything and waits for the disk; the program is about to end.
  void close();

 signals:
  /// Another start of the program wants this window.
  void raiseRequested(const QString& token);

 private:
  Result<void> load();
  void connectStore();
  void connectTransfer();
  void connectPages();
  void connectGetModels();
  void connectFirstRun();
  void connectNotifier();
  void startWith(const QList<qint64>& personaIds);
  void countModels();
  void chatWithDownloaded(const QString& path);
  void addFromOutside(const QList<RecordId>& completed);
  void endAll();

  bool m_isClosed = false;
  const QByteArray m_presets;
  InterfaceLanguage m_language;
  DataSession m_session;
  EngineStatus m_engine;
  GenerationDefaults m_generation;
  ModelLibrary m_models;
  GetModels m_getModels;
  PersonaListModel m_personas;
  ChatLibrary m_library;
  EngineMonitor m_monitor;
  MachineBench m_bench;
  PersonaLibrary m_personaLibrary;
  Appearance m_appearance;
  SettingsModel m_settings;
  SettingsSearch m_settingsSearch;
  ChatSettings m_chatSettings;
  ServerModel m_server;
  PaneListModel m_panes;
  ComposerModel m_composer;
  Navigation m_navigation;
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
  SpokenDownloads m_spokenDownloads;
  AnswerNotifier m_notifier;
  StoreStatus m_store;
  std::unique_ptr<RaiseRequest> m_raise;
};

}  // namespace quire
