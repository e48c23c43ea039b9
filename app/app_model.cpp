#include "app/app_model.h"

#include <utility>

namespace quire {
namespace {

constexpr int kFlushMs = 5000;
constexpr int kBackupDelayMs = 20'000;  ///< After the start, which is not to wait for it.

}  // namespace

AppModel::AppModel(EngineInterfaces engine, const QString& dataFolder, const QByteArray& presets,
                   QObject* parent)
    : QObject(parent),
      m_presets(presets),
      m_session(dataFolder),
      m_engine(engine.models),
      m_generation(engine.models, m_session),
      m_models(engine.models, m_session, m_generation),
      m_getModels(m_session),
      m_library(engine.chat, engine.models, m_session, m_personas, m_engine, m_generation),
      m_monitor(engine.inspector,
                [this](RecordId id) -> std::optional<ChatLabel> {
                  const auto chat = m_library.list()->find(id);
                  if (!chat) return std::nullopt;
                  return ChatLabel{chat->title, chat->color};
                }),
      m_bench(engine.chat, engine.models),
      m_personaLibrary(engine.inspector, engine.models, m_session, m_generation, m_personas,
                       [this] { return chats()->numUnderPersonas(); }),
      m_appearance(m_session, m_language),
      m_settings(engine.models, m_session, m_generation),
      m_chatSettings(m_generation, m_personas),
      m_server(m_session),
      m_composer(engine.chat, engine.models, m_panes, m_personas, m_engine, m_session),
      m_navigation(m_library, m_panes, m_composer, m_session),
      m_transfer(m_session),
      m_quitGuard(
          m_session, [this] { m_composer.saveDraftNow(); }, [this] { endAll(); }),
      m_rescue(m_session),
      m_pause(engine.models),
      m_sidebar(m_session),
      m_shortcuts(m_commands),
      m_quickOpen(m_commands, *m_library.list(), m_session),
      m_firstRun(engine.models, m_session, m_personas),
      m_spokenAnswer(m_panes),
      m_spokenDownloads(m_getModels),
      m_notifier(m_library, m_session),
      m_store(m_session, [this] { return load(); }) {
  addAppCommands(*this);
  connect(&m_personaLibrary, &PersonaLibrary::personaRemoved, &m_library,
          &ChatLibrary::forgetPersona);
  connect(&m_language, &InterfaceLanguage::changed, &m_personaLibrary,
          [this] { m_personaLibrary.setLanguage(m_language.code()); });
  connectStore();
  connectTransfer();
  connectPages();
  connectGetModels();
  connectFirstRun();
  connectNotifier();
}

AppModel::~AppModel() {
  close();
}

void AppModel::connectStore() {
  connect(&m_library, &ChatLibrary::failed, &m_store, &StoreStatus::setWriteError);
  connect(&m_store, &StoreStatus::failed, &m_rescue, &StoreRescue::diagnose);
  connect(&m_store, &StoreStatus::closeWanted, &m_quitGuard, &QuitGuard::closeWanted);
  connect(&m_quitGuard, &QuitGuard::keptOpen, &m_store, &StoreStatus::cancelRescue);
  connect(&m_rescue, &StoreRescue::mended, &m_store, &StoreStatus::open);
  connect(&m_store, &StoreStatus::opened, this, [this] {
    m_transfer.keepBackingUp(kBackupDelayMs);
    m_transfer.mergeKept();
  });
}

void AppModel::connectTransfer() {
  m_transfer.setTargets([this](RecordId id) { return chats()->targetsOf(id); });
  connect(&m_transfer, &DataTransfer::merged, this, &AppModel::addFromOutside);
  connect(&m_transfer, &DataTransfer::changed, this, [this] {
    const bool hasFailed = m_transfer.hasFailed() && !m_transfer.result().isEmpty();
    if (hasFailed && m_store.isDamaged()) m_store.setWriteError(m_transfer.result());
  });
  m_importOffer.setAttachable([this] {
    return m_navigation.page() == Navigation::Page::Chats && m_composer.files() != nullptr;
  });
  connect(&m_importOffer, &ImportOffer::importWanted, &m_transfer, &DataTransfer::importFrom);
  connect(&m_importOffer, &ImportOffer::attachWanted, this, [this](const QUrl& file) {
    if (AttachmentList* files = m_composer.files()) files->add({file});
  });
  connect(&m_importOffer, &ImportOffer::refused, this, [this](const QString& sentence) {
    m_navigation.setPage(Navigation::Page::Chats);
    m_store.setWriteError(sentence);
  });
}

void AppModel::connectPages() {
  const auto showSections = [this] {
    m_settingsSearch.setAvailable(SettingsSection::kServer, m_server.isAvailable());
    m_settingsSearch.setAvailable(SettingsSection::kNotifications, m_notifier.isPossible());
  };
  showSections();
  connect(&m_server, &ServerModel::changed, this, showSections);
  connect(&m_notifier, &AnswerNotifier::changed, this, showSections);
  const auto showModels = [this] { m_navigation.setPage(Navigation::Page::Models); };
  connect(&m_models, &ModelLibrary::opening, this, showModels);
  connect(&m_firstRun, &FirstRun::modelsWanted, this, showModels);
  connect(&m_bench, &MachineBench::changed, this,
          [this] { m_monitor.setMeasuring(m_bench.isRunning()); });
  connect(m_models.remote(), &RemoteModels::chatWanted, this, [this](const QString& modelPath) {
    m_navigation.newChat();
    if (ChatModel* const chat = currentChat()) chat->setOwnModel(modelPath);
  });
  connect(&m_models, &ModelLibrary::modelMoved, &m_library, &ChatLibrary::moveModel);
  m_bench.setDescribe([this](const QString& path) { return m_models.describe(path); });
  m_models.files()->removal()->setChatsUsing(
      [this](const QString& path) { return m_library.titlesUsing(path); });
  connect(&m_quickOpen, &QuickOpen::chatChosen, &m_navigation, &Navigation::openChat);
  connect(&m_quickOpen, &QuickOpen::messageChosen, &m_navigation, &Navigation::openMessage);
}

void AppModel::connectGetModels() {
  const auto placeOffers = [this] { m_getModels.setOffersElsewhere(m_models.hasNoneOfOwn()); };
  placeOffers();
  connect(&m_models, &ModelLibrary::scanChanged, this, placeOffers);
  connect(&m_getModels, &GetModels::downloaded, &m_models, &ModelLibrary::addDownloaded);
  connect(&m_getModels, &GetModels::loadWanted, &m_models, [this](const QString& path) {
    m_getModels.close();
    m_models.loadDownloaded(path);
  });
  connect(m_getModels.offers(), &ModelOffers::chatWanted, this, &AppModel::chatWithDownloaded);
}

void AppModel::connectFirstRun() {
  connect(&m_firstRun, &FirstRun::startWanted, this, &AppModel::startWith);
  connect(&m_firstRun, &FirstRun::loadWanted, &m_models, &ModelLibrary::loadDownloaded);
  connect(&m_models, &ModelLibrary::opening, this, [this] {
    if (m_firstRun.isShown()) m_firstRun.chooseModel();  // A file was dropped on the page.
  });
  connect(&m_models.cards().devices(), &ComputeDevices::changed, this, &AppModel::countModels);
  connect(m_models.list(), &ModelListModel::countChanged, this, &AppModel::countModels);
  connect(&m_engine, &EngineStatus::changed, this, &AppModel::countModels);
}

void AppModel::connectNotifier() {
  connect(&m_notifier, &AnswerNotifier::chatWanted, this, [this](qint64 id, const QString& token) {
    if (id != 0) m_navigation.openChat(id);
    emit raiseRequested(token);
  });
}

void AppModel::countModels() {
  if (!m_firstRun.isShown()) return;
  int count = 0;
  for (int row = 0; row < m_models.list()->count(); ++row) {
    count += m_models.list()->cardAt(row)->isDemonstration() ? 0 : 1;
  }
  const ModelCard* const best = m_models.bestOfOwn();
  m_firstRun.setFound(count, best ? best->path() : QString(), best ? best->name() : QString());
}

/// Loads the model while the first message is written.
void AppModel::chatWithDownloaded(const QString& path) {
  m_getModels.close();
  m_models.loadDownloaded(path);
  if (m_firstRun.isShown()) return m_firstRun.begin();
  m_navigation.newChat();
  m_navigation.setPage(Navigation::Page::Chats);
}

void AppModel::greet() {
  if (!m_store.isOpen()) return;
  m_firstRun.offer(chats()->rowCount() == 0);
  if (m_firstRun.isShown()) m_models.prepare();
}

/// A pane for each of them, and a first message to all that only has to be sent.
void AppModel::startWith(const QList<qint64>& personaIds) {
  if (!m_firstRun.isShown()) m_navigation.newChat();
  m_panes.setCount(1);  // Panes that are opened again would show older chats.
  while (m_panes.count() < personaIds.size()) m_panes.split();
  for (int pane = 0; pane < m_panes.count(); ++pane) {
    m_panes.chatAt(pane)->setPersona(personaIds[pane]);
  }
  m_panes.setFocusedPane(0);
  m_composer.setToAll(personaIds.size() > 1);
  m_composer.offerDraft(m_firstRun.examplePrompts().constFirst());
}

void AppModel::addFromOutside(const QList<RecordId>& completed) {
  m_session.addStoredSettings();
  const Result<void> personas = m_personaLibrary.load(m_presets, m_language.code());
  const Result<void> chats = personas ? m_library.load(completed) : personas;
  m_models.cards().addStored();
  if (!chats) m_store.setWriteError(QString::fromStdString(chats.error().message));
  emit m_navigation.currentChatChanged();
}

Result<void> AppModel::load() {
  m_appearance.loadLanguage();
  if (const auto loaded = m_personaLibrary.load(m_presets, m_language.code()); !loaded) {
    return loaded;
  }
  m_models.load();
  m_getModels.load();
  if (const auto loaded = m_library.load(); !loaded) return loaded;
  m_appearance.load();
  m_settings.load();
  m_notifier.load();
  m_sidebar.load();
  m_navigation.restore();
  m_raise = std::make_unique<RaiseRequest>(m_session.folder());
  connect(m_raise.get(), &RaiseRequest::requested, this, &AppModel::raiseRequested);
  connect(m_raise.get(), &RaiseRequest::modelRequested, this,
          [this](const QString& path) { m_models.open({QUrl::fromLocalFile(path)}); });
  return {};
}

bool AppModel::mayClose(int width, int height) {
  m_appearance.saveWindowSize({width, height});
  return m_quitGuard.mayClose();
}

void AppModel::endAll() {
  m_server.stop();
  m_personaLibrary.close();
  m_library.close();
  m_models.close();
}

void AppModel::close() {
  if (!m_session.isOpen() || std::exchange(m_isClosed, true)) return;
  m_composer.saveDraftNow();
  endAll();
  m_session.flush(kFlushMs);
}

}  // namespace quire
