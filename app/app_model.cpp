#include "app/app_model.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QTimer>
#include <QUrl>

#include "app/commands/app_commands.h"
#include "app/store/data_folder.h"

namespace quire {
namespace {

constexpr int kFlushMs = 5000;
constexpr int kBackupDelayMs = 20'000;  ///< After the start, which is not to wait for it.
const QString kThemeKey = QStringLiteral("window.theme");
const QString kEnginePanelKey = QStringLiteral("window.enginePanel");
const QString kSizeKey = QStringLiteral("window.size");
const QString kLanguageKey = QStringLiteral("window.language");
const QString kLastChatKey = QStringLiteral("window.lastChat");
const QString kPanesKey = QStringLiteral("window.panes");

QSize sizeFrom(const QString& text) {
  const QStringList parts = text.split(u'x');
  return parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
}

}  // namespace

AppModel::AppModel(EngineInterfaces engine, const QString& dataFolder, const QByteArray& presets,
                   QObject* parent)
    : QObject(parent),
      m_presets(presets),
      m_session(dataFolder),
      m_engine(engine.models),
      m_generation(engine.models, m_session),
      m_models(engine.models, m_session, m_generation),
      m_library(engine.chat, engine.models, m_session, m_personas, m_engine, m_generation),
      m_monitor(engine.inspector, [this](qint64 id) { return labelOf(id); }),
      m_personaLibrary(engine.inspector, engine.models, m_session, m_generation, m_personas,
                       [this] { return chats()->numUnderPersonas(); }),
      m_settings(engine.models, m_session, m_generation, m_language),
      m_chatSettings(m_generation, m_personas),
      m_composer(engine.chat, engine.models, m_panes, m_personas, m_engine, m_session),
      m_writePause(m_session),
      m_transfer(m_session),
      m_quitGuard(m_session, [this] { queueEverything(); }),
      m_rescue(dataFolder),
      m_pause(engine.models),
      m_sidebar(m_session),
      m_shortcuts(m_commands),
      m_quickOpen(m_commands, *m_library.list(), m_session),
      m_firstRun(engine.models, m_session, m_personas),
      m_spokenAnswer(m_panes) {
  addAppCommands(*this);
  connect(&m_quickOpen, &QuickOpen::chatChosen, this, &AppModel::openChat);
  connect(&m_quickOpen, &QuickOpen::messageChosen, this, &AppModel::openMessage);
  connect(&m_session, &DataSession::writeFailed, this, &AppModel::setWriteError);
  connect(&m_library, &ChatLibrary::failed, this, &AppModel::setWriteError);
  connect(&m_library, &ChatLibrary::chatListed, this, &AppModel::currentChatChanged);
  connect(&m_library, &ChatLibrary::chatTaken, this, &AppModel::onChatTaken);
  connect(&m_library, &ChatLibrary::chatRestored, this, &AppModel::openChat);
  connect(&m_personaLibrary, &PersonaLibrary::personaRemoved, &m_library,
          &ChatLibrary::forgetPersona);
  connect(&m_language, &InterfaceLanguage::changed, &m_personaLibrary,
          [this] { m_personaLibrary.setLanguage(m_language.code()); });
  m_library.setShown([this](RecordId id) { return m_panes.paneOf(id) >= 0; });
  connect(&m_library, &ChatLibrary::chatForked, &m_panes, &PaneListModel::showBeside);
  connectPanes();
  connectTransfer();
  connectImportOffer();
  connectFirstRun();
}

void AppModel::connectFirstRun() {
  connect(&m_firstRun, &FirstRun::startWanted, this, &AppModel::startWith);
  connect(&m_firstRun, &FirstRun::modelsWanted, this, [this] { setPage(Page::Models); });
  connect(m_models.list(), &ModelListModel::countChanged, this, &AppModel::countModels);
  connect(&m_engine, &EngineStatus::changed, this, &AppModel::countModels);
}

void AppModel::countModels() {
  if (!m_firstRun.isShown()) return;
  int count = 0;
  for (int row = 0; row < m_models.list()->count(); ++row) {
    count += m_models.list()->cardAt(row)->isDemonstration() ? 0 : 1;
  }
  m_firstRun.setModelsFound(count);
}

void AppModel::greet() {
  if (storeOpen()) m_firstRun.offer(chats()->rowCount() == 0);
}

/// A pane for each of them, and a first message to all that only has to be sent.
void AppModel::startWith(const QList<qint64>& personaIds) {
  m_panes.setCount(static_cast<int>(personaIds.size()));
  for (int pane = 0; pane < m_panes.count(); ++pane) {
    m_panes.chatAt(pane)->setPersona(personaIds[pane]);
  }
  m_panes.setFocusedPane(0);
  m_composer.setToAll(personaIds.size() > 1);
  m_composer.offerDraft(examplePrompts().constFirst());
}

void AppModel::connectTransfer() {
  m_transfer.setTargets([this](RecordId id) { return chats()->targetsOf(id); });
  const auto takeIn = [this](const QList<RecordId>& completed) {
    const Result<void> personas = m_personaLibrary.load(m_presets, m_language.code());
    const Result<void> chats = personas ? m_library.takeIn(completed) : personas;
    m_models.shelf().takeIn();
    if (!chats) setWriteError(QString::fromStdString(chats.error().message));
    emit currentChatChanged();
  };
  connect(&m_transfer, &DataTransfer::broughtIn, this, takeIn);
  connect(&m_transfer, &DataTransfer::changed, this, [this] {
    const bool hasFailed = m_transfer.hasFailed() && !m_transfer.result().isEmpty();
    if (hasFailed && isDamageNoted(m_rescue.storePath())) setWriteError(m_transfer.result());
  });
  connect(&m_rescue, &StoreRescue::mended, this, [this](const QString& keptPath) {
    open();
    if (storeOpen()) m_transfer.bringIn(keptPath);
  });
}

void AppModel::connectImportOffer() {
  connect(&m_importOffer, &ImportOffer::importWanted, &m_transfer, &DataTransfer::importFrom);
  connect(&m_importOffer, &ImportOffer::attachWanted, this, [this](const QUrl& file) {
    if (AttachmentList* files = m_composer.files()) files->add({file});
  });
  connect(&m_importOffer, &ImportOffer::refused, this, [this](const QString& sentence) {
    setPage(Page::Chats);
    setWriteError(sentence);
  });
}

void AppModel::takeFile(const QUrl& file) {
  m_importOffer.look(file, m_page == Page::Chats && m_composer.files() != nullptr);
}

void AppModel::connectPanes() {
  m_panes.setSource([this](RecordId id) { return chatForPane(id); });
  connect(&m_library, &ChatLibrary::chatRemoved, &m_panes, &PaneListModel::drop);
  connect(&m_panes, &PaneListModel::focusChanged, this, [this] {
    m_library.setCurrent(currentChat()->chatId());
    m_session.putSetting(kLastChatKey, QString::number(currentChat()->chatId()));
    emit currentChatChanged();
  });
  connect(&m_panes, &PaneListModel::chatBegun, this, [this] { m_composer.plan()->setCount(1); });
  connect(&m_panes, &PaneListModel::arrangementChanged, this,
          [this] { m_session.putSetting(kPanesKey, m_panes.arrangement().toText()); });
}

std::optional<ChatLabel> AppModel::labelOf(RecordId id) const {
  const auto chat = m_library.list()->find(id);
  return chat ? std::optional(ChatLabel{chat->title, chat->color}) : std::nullopt;
}

AppModel::~AppModel() {
  close();
}

void AppModel::open() {
  if (storeOpen()) return;
  const Result<void> loaded = load();
  m_isOpen = loaded.has_value();
  m_storeError = loaded ? QString() : QString::fromStdString(loaded.error().message);
  if (m_isOpen) {
    readSettings();
    m_transfer.keepBackingUp(kBackupDelayMs);
  } else {
    m_rescue.look();
  }
  emit storeChanged();
}

Result<void> AppModel::load() {
  if (const Result<void> opened = m_session.open(); !opened) return opened;
  m_language.setChoice(m_session.setting(kLanguageKey));
  if (const auto loaded = m_personaLibrary.load(m_presets, m_language.code()); !loaded) {
    return loaded;
  }
  m_models.load();
  return m_library.load();
}

void AppModel::readSettings() {
  m_settings.load();
  connect(&m_language, &InterfaceLanguage::changed, this,
          [this] { m_session.putSetting(kLanguageKey, m_language.choice()); });
  m_raise = std::make_unique<RaiseRequest>(m_session.folder());
  connect(m_raise.get(), &RaiseRequest::requested, this, &AppModel::raiseRequested);
  if (const QString theme = m_session.setting(kThemeKey); !theme.isEmpty()) m_themeChoice = theme;
  m_sidebar.load();
  m_enginePanel = m_session.setting(kEnginePanelKey) == QLatin1String("1");
  emit enginePanelChanged();
  m_windowSize = sizeFrom(m_session.setting(kSizeKey));
  restorePanes();
  emit themeChoiceChanged();
}

void AppModel::restorePanes() {
  const auto arrangement = PaneArrangement::fromText(m_session.setting(kPanesKey));
  const RecordId last = m_session.setting(kLastChatKey).toLongLong();
  m_panes.restore(arrangement);
  if (m_panes.count() == 0) show(chatForPane(last));
  if (m_panes.count() == 0) newChat();
}

ChatModel* AppModel::chatForPane(RecordId id) {
  if (id != 0) return chats()->find(id) ? m_library.open(id) : nullptr;
  return m_library.blank(
      [this](const ChatModel* chat) { return m_panes.paneOf(chat->chatId()) < 0; });
}

bool AppModel::isNewChat() const {
  return currentChat() && !m_library.list()->contains(currentChat()->chatId());
}

void AppModel::setPage(Page page) {
  if (page == m_page) return;
  m_page = page;
  emit pageChanged();
  emit enginePanelChanged();
}

void AppModel::setEnginePanel(bool wanted) {
  if (wanted == m_enginePanel) return;
  m_enginePanel = wanted;
  m_session.putSetting(kEnginePanelKey, wanted ? QStringLiteral("1") : QString());
  emit enginePanelChanged();
}

void AppModel::newChat() {
  if (!storeOpen()) return;
  show(m_library.blank([this](const ChatModel* chat) {
    return chat == currentChat() || m_panes.paneOf(chat->chatId()) < 0;
  }));
  m_composer.plan()->setCount(1);
}

void AppModel::newChatUnder(qint64 personaId) {
  newChat();
  if (currentChat()) currentChat()->setPersona(personaId);
}

void AppModel::openChat(qint64 id) {
  show(m_library.open(id));
}

void AppModel::openMessage(qint64 chatId, qint64 messageId) {
  openChat(chatId);
  if (ChatModel* chat = m_library.findOpen(chatId)) chat->reveal(messageId);
}

void AppModel::openChatBeside(qint64 id) {
  ChatModel* chat = m_library.open(id);
  if (!chat) return;
  setPage(Page::Chats);
  m_panes.showBeside(chat);
}

void AppModel::openChatIn(qint64 id, int pane) {
  ChatModel* chat = m_library.open(id);
  if (!chat) return;
  if (m_panes.paneOf(id) < 0) m_panes.replace(pane, chat);
  m_panes.setFocusedPane(m_panes.paneOf(id));
}

void AppModel::clickChat(qint64 id) {
  const Qt::KeyboardModifiers held = QGuiApplication::keyboardModifiers();
  if (held.testFlag(Qt::ShiftModifier)) return chats()->selectTo(id);
  if (held.testFlag(Qt::ControlModifier)) return chats()->toggleSelected(id);
  chats()->clearSelection();
  openChat(id);
}

bool AppModel::pressInList(int key, int modifiers) {
  const bool isShift = (modifiers & Qt::ShiftModifier) != 0;
  const int step = key == Qt::Key_Down ? 1 : -1;
  switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (isShift) {
        chats()->extendSelection(step);
      } else {
        chats()->clearSelection();
        openNeighbour(step);
      }
      return true;
    case Qt::Key_Delete:
      m_library.remove(chats()->selectedCount() > 0 ? chats()->firstSelected()
                                                    : currentChat()->chatId());
      return true;
    case Qt::Key_Escape:
      chats()->clearSelection();
      return true;
    case Qt::Key_A:
      if ((modifiers & Qt::ControlModifier) != 0) chats()->selectAll();
      return (modifiers & Qt::ControlModifier) != 0;
    default:
      return false;
  }
}

void AppModel::openNeighbour(int step) {
  const RecordId id = chats()->neighbourOf(currentChat()->chatId(), step);
  if (id != 0) openChat(id);
}

void AppModel::show(ChatModel* chat) {
  if (!chat) return;
  setPage(Page::Chats);
  m_panes.show(chat);
}

/// A chat that is deleted gives its pane to the next one in the list that no pane shows yet, or to
/// a new one where that cannot be read.
void AppModel::onChatTaken(qint64 id, int row) {
  const int pane = m_panes.paneOf(id);
  if (pane < 0) return;
  const RecordId next =
      chats()->chatNear(row, [this](RecordId candidate) { return m_panes.paneOf(candidate) < 0; });
  ChatModel* const chat = chatForPane(next);
  m_panes.replace(pane, chat ? chat : chatForPane(0));
}

void AppModel::openModels(const QList<QUrl>& urls) {
  setPage(Page::Models);
  m_models.open(urls);
}

void AppModel::setThemeChoice(const QString& choice) {
  if (choice == m_themeChoice) return;
  m_themeChoice = choice;
  m_session.putSetting(kThemeKey, choice);
  emit themeChoiceChanged();
}

QStringList AppModel::examplePrompts() const {
  return {tr("What is the capital of France?"), tr("Tell me a short story about a fox"),
          tr("What is Quire?"), tr("Make a list of five fruits")};
}

QString AppModel::themeText() const {
  if (m_themeChoice == QLatin1String("light")) return tr("Theme: light. Press for dark.");
  if (m_themeChoice == QLatin1String("dark")) return tr("Theme: dark. Press to follow the system.");
  return tr("Theme: follows the system. Press for light.");
}

void AppModel::cycleTheme() {
  const QStringList choices = {QStringLiteral("system"), QStringLiteral("light"),
                               QStringLiteral("dark")};
  setThemeChoice(choices[(choices.indexOf(m_themeChoice) + 1) % choices.size()]);
}

void AppModel::saveWindowSize(int width, int height) {
  const QSize size(width, height);
  if (size == m_windowSize || size.isEmpty()) return;
  m_windowSize = size;
  m_session.putSetting(kSizeKey, QStringLiteral("%1x%2").arg(width).arg(height));
}

bool AppModel::mayClose(int width, int height) {
  saveWindowSize(width, height);
  return m_quitGuard.mayClose();
}

void AppModel::copyText(const QString& text) const {
  QGuiApplication::clipboard()->setText(text);
}

void AppModel::openLink(const QString& url) const {
  const QUrl target(url, QUrl::StrictMode);
  const bool allowed = target.scheme() == QLatin1String("https") ||
                       target.scheme() == QLatin1String("http") ||
                       target.scheme() == QLatin1String("mailto");
  if (allowed) QDesktopServices::openUrl(target);
}

void AppModel::dismissWriteError() {
  setWriteError({});
}

void AppModel::setWriteError(const QString& error) {
  if (error == m_writeError) return;
  m_writeError = error;
  m_canRescue = !error.isEmpty() && isDamageNoted(m_rescue.storePath());
  emit writeErrorChanged();
}

void AppModel::seeRescue() {
  m_isReopenWanted = true;
  emit closeWanted();
}

void AppModel::queueEverything() {
  m_composer.saveDraftNow();
  m_personaLibrary.close();
  m_library.close();
  m_models.close();
}

void AppModel::close() {
  if (!m_session.isOpen()) return;
  queueEverything();
  m_session.flush(kFlushMs);
}

}  // namespace quire
