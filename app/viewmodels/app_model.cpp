#include "app/viewmodels/app_model.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QGuiApplication>
#include <QUrl>

#include "app/store/data_folder.h"

namespace quire {
namespace {

constexpr int kUndoMs = 8000;
constexpr int kFlushMs = 5000;
constexpr int kNumChatColors = 4;
const QString kThemeKey = QStringLiteral("window.theme");
const QString kSizeKey = QStringLiteral("window.size");
const QString kLastChatKey = QStringLiteral("window.lastChat");

QSize sizeFrom(const QString& text) {
  const QStringList parts = text.split(u'x');
  return parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
}

}  // namespace

AppModel::AppModel(ChatBackend& backend, const QString& dataFolder, const QByteArray& presets,
                   QObject* parent)
    : QObject(parent),
      m_backend(backend),
      m_dataFolder(dataFolder),
      m_presets(presets),
      m_engine(backend) {
  m_deleteTimer.setSingleShot(true);
  m_deleteTimer.setInterval(kUndoMs);
  connect(&m_deleteTimer, &QTimer::timeout, this, &AppModel::finishDelete);
  connect(&m_minuteTimer, &QTimer::timeout, &m_chats, &ChatListModel::refreshToday);
  m_minuteTimer.start(60'000);
}

AppModel::~AppModel() {
  close();
  qDeleteAll(m_open);  // Before the writer that they refer to.
}

void AppModel::open() {
  if (storeOpen()) return;
  const Result<void> loaded = load();
  m_storeError = loaded ? QString() : QString::fromStdString(loaded.error().message);
  if (!loaded) m_store.reset();
  emit storeChanged();
}

/// One program for one folder, the store, what is in it; the last chat is shown.
Result<void> AppModel::load() {
  if (const Result<void> folder = ensureDataFolder(m_dataFolder); !folder) return folder.error();
  m_lock = std::make_unique<QLockFile>(QDir(m_dataFolder).filePath(QStringLiteral("quire.lock")));
  m_lock->setStaleLockTime(0);
  if (!m_lock->tryLock() && m_lock->error() == QLockFile::LockFailedError) {
    return Error{ErrorCode::kIo, tr("Quire is already running with this folder. Use its window, or "
                                    "start Quire with --data and another folder.")
                                     .toStdString()};
  }
  auto store = ConversationStore::open(m_dataFolder);
  if (!store) return store.error();
  m_store = std::move(store).value();
  const auto highest = m_store->highestId();
  if (!highest) return highest.error();
  const auto chats = m_store->chats();
  if (!chats) return chats.error();
  m_ids = std::make_unique<IdSource>(*highest);
  m_writer = std::make_unique<StoreWriter>(m_dataFolder);
  connect(m_writer.get(), &StoreWriter::failed, this,
          [this](quint64, const QString& sentence) { setWriteError(sentence); });
  if (const Result<void> personas = loadPersonas(m_presets); !personas) return personas;
  m_chats.setChats(*chats);
  readSettings();
  return {};
}

Result<void> AppModel::loadPersonas(const QByteArray& presets) {
  auto stored = m_store->personas();
  if (!stored) return stored.error();
  QList<PersonaRecord> personas = *stored;
  if (personas.isEmpty() && !presets.isEmpty()) {
    auto parsed = parsePersonaPresets(presets);
    if (!parsed) return parsed.error();
    personas = *parsed;
    for (PersonaRecord& persona : personas) {
      persona.id = m_ids->next();
      persona.createdMs = QDateTime::currentMSecsSinceEpoch();
      m_writer->putPersona(persona);
    }
  }
  m_personas.setPersonas(personas);
  return {};
}

void AppModel::readSettings() {
  if (const QString theme = setting(kThemeKey); !theme.isEmpty()) m_themeChoice = theme;
  m_windowSize = sizeFrom(setting(kSizeKey));
  const auto last = m_chats.find(setting(kLastChatKey).toLongLong());
  if (last) {
    openChat(last->id);
  } else {
    newChat();
  }
  emit themeChoiceChanged();
}

QString AppModel::setting(const QString& key) const {
  if (!m_store) return {};
  return m_store->setting(key).value_or(std::nullopt).value_or(QString());
}

ChatModel* AppModel::modelOf(const ChatRecord& record, bool isNew) {
  if (ChatModel* open = m_open.value(record.id)) return open;
  QList<MessageRecord> messages;
  if (!isNew) {
    auto read = m_store->messages(record.id);
    if (!read) {
      setWriteError(QString::fromStdString(read.error().message));
      return nullptr;
    }
    messages = *read;
  }
  auto* chat =
      new ChatModel({m_backend, *m_writer, *m_ids, m_personas, m_engine}, record, messages, this);
  connect(chat, &ChatModel::touched, this, [this, chat] { onTouched(chat); });
  connect(chat, &ChatModel::recordChanged, this, [this, chat] { onRecordChanged(chat); });
  connect(chat, &ChatModel::answerEnded, this, [this, chat] { onAnswerEnded(chat); });
  connect(chat, &ChatModel::sendStateChanged, this,
          [this, chat] { m_chats.setGenerating(chat->chatId(), chat->isGenerating()); });
  m_open.insert(record.id, chat);
  return chat;
}

bool AppModel::isNewChat() const {
  return m_current && m_chats.rowOf(m_current->chatId()) < 0;
}

void AppModel::newChat() {
  if (!storeOpen()) return;
  for (ChatModel* chat : std::as_const(m_open)) {
    const bool deleted = m_deleted && m_deleted->id == chat->chatId();
    if (!deleted && chat->isEmpty() && chat->draft().isEmpty() &&
        m_chats.rowOf(chat->chatId()) < 0) {
      show(chat);
      return;
    }
  }
  ChatRecord record;
  record.id = m_ids->next();
  record.color = m_chats.count() % kNumChatColors;
  record.createdMs = QDateTime::currentMSecsSinceEpoch();
  record.activeMs = record.createdMs;
  show(modelOf(record, true));
}

void AppModel::openChat(qint64 id) {
  if (const auto record = m_chats.find(id)) show(modelOf(*record, false));
}

void AppModel::openNeighbour(int step) {
  const int row = m_chats.currentRow();
  const RecordId id = m_chats.idAt(row < 0 ? (step > 0 ? 0 : -1) : row + step);
  if (id != 0) openChat(id);
}

void AppModel::show(ChatModel* chat) {
  if (!chat || chat == m_current) return;
  if (m_current) m_current->setFocused(false);
  m_current = chat;
  m_current->setFocused(true);
  m_chats.setCurrent(chat->chatId());
  putSetting(kLastChatKey, QString::number(chat->chatId()));
  emit currentChatChanged();
}

void AppModel::onTouched(ChatModel* chat) {
  m_chats.put(chat->record());
  m_chats.setGenerating(chat->chatId(), chat->isGenerating());
  emit currentChatChanged();
}

void AppModel::onRecordChanged(ChatModel* chat) {
  const bool listed = m_chats.rowOf(chat->chatId()) >= 0;
  const bool deleted = m_deleted && m_deleted->id == chat->chatId();
  if (deleted || (!listed && chat->isEmpty() && chat->draft().isEmpty())) return;
  m_chats.put(chat->record());
  if (!listed) emit currentChatChanged();
}

void AppModel::onAnswerEnded(ChatModel* chat) {
  if (chat != m_current) m_chats.setUnread(chat->chatId(), true);
}

void AppModel::renameChat(qint64 id, const QString& title) {
  const auto record = m_chats.find(id);
  if (!record) return;
  if (ChatModel* chat = modelOf(*record, false)) chat->rename(title);
}

/// Out of the list at once, off the disk when there is no way back any more.
void AppModel::deleteChat(qint64 id) {
  finishDelete();
  const int row = m_chats.rowOf(id);
  m_deleted = m_chats.take(id);
  if (!m_deleted) return;
  m_deleteTimer.start();
  if (m_current && m_current->chatId() == id) {
    const RecordId next = m_chats.idAt(std::min(row, m_chats.count() - 1));
    if (next != 0) {
      openChat(next);
    } else {
      newChat();
    }
  }
  emit undoChanged();
}

void AppModel::undoDelete() {
  if (!m_deleted) return;
  m_deleteTimer.stop();
  const ChatRecord chat = *std::exchange(m_deleted, std::nullopt);
  const ChatModel* open = m_open.value(chat.id);  // It may have gone on meanwhile.
  m_chats.put(open ? open->record() : chat);
  if (open) m_chats.setGenerating(chat.id, open->isGenerating());
  openChat(chat.id);
  emit undoChanged();
}

void AppModel::finishDelete() {
  if (!m_deleted) return;
  m_deleteTimer.stop();
  const RecordId id = std::exchange(m_deleted, std::nullopt)->id;
  if (ChatModel* chat = m_open.take(id)) {
    chat->close();
    chat->deleteLater();
  }
  m_writer->removeChat(id);
  emit chatRemoved(id);
  emit undoChanged();
}

QString AppModel::undoText() const {
  if (!m_deleted) return {};
  const QString title = m_deleted->title.isEmpty() ? tr("New chat") : m_deleted->title;
  return tr("“%1” was deleted.").arg(title);
}

void AppModel::setThemeChoice(const QString& choice) {
  if (choice == m_themeChoice) return;
  m_themeChoice = choice;
  putSetting(kThemeKey, choice);
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
  putSetting(kSizeKey, QStringLiteral("%1x%2").arg(width).arg(height));
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

void AppModel::putSetting(const QString& key, const QString& value) {
  if (m_writer) m_writer->putSetting(key, value);
}

void AppModel::dismissWriteError() {
  setWriteError({});
}

void AppModel::setWriteError(const QString& error) {
  if (error == m_writeError) return;
  m_writeError = error;
  emit writeErrorChanged();
}

void AppModel::close() {
  if (!m_writer) return;
  finishDelete();
  for (ChatModel* chat : std::as_const(m_open)) chat->close();
  m_writer->flush(kFlushMs);
}

}  // namespace quire
