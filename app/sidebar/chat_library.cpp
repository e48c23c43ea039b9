#include "app/sidebar/chat_library.h"

#include <QDateTime>

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

namespace quire {
namespace {

constexpr int kReleaseMs = 2000;
constexpr qsizetype kMaxHidden = 8;  ///< Chats that stay open without a pane.

/// The least used colour, so that chats side by side differ; among several, the first from `first`
/// on.
int rarestColor(const QList<int>& used, int first) {
  int rarest = first;
  for (int step = 1; step < kNumChatColors; ++step) {
    const int color = (first + step) % kNumChatColors;
    if (used.count(color) < used.count(rarest)) rarest = color;
  }
  return rarest;
}

Result<ChatContent> readContent(const ConversationStore& store, RecordId id) {
  const auto messages = store.messages(id);
  if (!messages) return messages.error();
  return ChatContent{.messages = *messages,
                     .draftFiles = store.draftFiles(id).value_or(QList<AttachmentRecord>()),
                     .compared = store.comparedAnswers(id).value_or(QList<ComparedAnswer>()),
                     .edit = store.edit(id).value_or(MessageEdit())};
}

Result<ChatContent> readContent(const QString& folder, RecordId id) {
  const auto store = ConversationStore::openForReading(folder);
  return store ? readContent(**store, id) : Result<ChatContent>(store.error());
}

}  // namespace

ChatLibrary::ChatLibrary(ChatBackend& backend, ModelManager& models, DataSession& session,
                         const PersonaListModel& personas, const EngineStatus& engine,
                         const GenerationDefaults& generation, QObject* parent)
    : QObject(parent),
      m_backend(backend),
      m_models(models),
      m_session(session),
      m_personas(personas),
      m_engine(engine),
      m_generation(generation),
      m_eraser(session) {
  m_readers.setMaxThreadCount(1);
  m_releaseTimer.setSingleShot(true);
  m_releaseTimer.setInterval(kReleaseMs);
  connect(&m_releaseTimer, &QTimer::timeout, this, &ChatLibrary::releaseHidden);
  connect(&m_undo, &PendingUndo::changed, this, &ChatLibrary::undoChanged);
  connect(&m_eraser, &BackupEraser::confirmed, &m_undo, &PendingUndo::finish);
  connect(&m_eraser, &BackupEraser::failed, this, &ChatLibrary::failed);
  connect(&m_minuteTimer, &QTimer::timeout, &m_list, &ChatListModel::refreshToday);
  m_minuteTimer.start(60'000);
}

ChatLibrary::~ChatLibrary() {
  m_readers.waitForDone();
  qDeleteAll(m_open);  // Chats refer to the writer, which the session destroys later.
}

/// Adds messages to an open chat that the store has and the chat does not.
Result<void> ChatLibrary::mergeInto(ChatModel& chat) {
  const auto content = readContent(m_session.store(), chat.chatId());
  if (!content) return content.error();
  const auto record = m_session.store().chat(chat.chatId());
  if (!record) return record.error();
  if (*record) chat.merge(**record, *content);
  return {};
}

Result<void> ChatLibrary::load(const QList<RecordId>& completed) {
  for (const RecordId id : completed) {
    ChatModel* const chat = findOpen(id);
    if (!chat || isBeingRemoved(id)) continue;
    if (!chat->isLoaded() || chat->turns()->isGenerating()) {
      m_incomplete.insert(id);
      continue;
    }
    if (auto done = mergeInto(*chat); !done) return done;
  }
  const auto stored = m_session.store().chats();
  if (!stored) return stored.error();
  const auto folders = m_session.store().folders();
  if (!folders) return folders.error();
  QHash<RecordId, ChatRecord> chats;
  for (const ChatRecord& chat : *stored) {
    if (!isBeingRemoved(chat.id)) chats.insert(chat.id, chat);
  }
  for (const ChatModel* chat : std::as_const(m_open)) {
    if (m_list.contains(chat->chatId())) chats.insert(chat->chatId(), chat->record());
  }
  m_folders.setFolders(*folders);
  m_list.setChats(chats.values(), *folders);
  for (const ChatModel* chat : std::as_const(m_open)) {
    m_list.setGenerating(chat->chatId(), chat->turns()->isGenerating());
  }
  finishErasing();
  return {};
}

ChatModel* ChatLibrary::open(RecordId id) {
  ChatModel* chat = findOpen(id);
  if (!chat) {
    const auto record = m_list.find(id);
    if (!record) return nullptr;
    chat = makeModel(*record);
  }
  noteOpened(id);
  if (!chat->isLoaded()) read(id);
  return findOpen(id);
}

void ChatLibrary::read(RecordId id) {
  using Reading = std::packaged_task<Result<ChatContent>()>;
  const auto reading = std::make_shared<Reading>(
      [folder = m_session.folder(), id] { return readContent(folder, id); });
  const std::shared_future<Result<ChatContent>> content = reading->get_future().share();
  m_readers.start([this, id, reading, content] {
    (*reading)();
    QMetaObject::invokeMethod(
        this, [this, id, content] { onRead(id, content.get()); }, Qt::QueuedConnection);
  });
  if (content.wait_for(m_maxReadWait) == std::future_status::ready) onRead(id, content.get());
}

void ChatLibrary::onRead(RecordId id, const Result<ChatContent>& content) {
  ChatModel* const chat = findOpen(id);
  if (!chat || chat->isLoaded()) return;
  if (content) {
    chat->load(*content);
    return mergeIfDelayed(chat);
  }
  const QString sentence = QString::fromStdString(content.error().message);
  if (m_isShown(id)) {
    chat->setNotice(sentence);
  } else {
    release(chat);
  }
  emit failed(sentence);
}

/// Closes chats that are unused and not among the last ones that were opened.
void ChatLibrary::releaseHidden() {
  QList<ChatModel*> hidden;
  for (ChatModel* chat : std::as_const(m_open)) {
    const RecordId id = chat->chatId();
    if (chat->isUnused() && !isBeingRemoved(id) && m_recent.mid(kMaxHidden).contains(id)) {
      hidden.append(chat);
    }
  }
  if (hidden.isEmpty()) return;
  for (ChatModel* chat : hidden) chat->composer()->saveIfChanged();
  // A chat that is not on disk yet could not be read again.
  if (m_session.writer().unsaved().isQueued) return m_releaseTimer.start();
  for (ChatModel* chat : hidden) release(chat);
}

void ChatLibrary::release(ChatModel* chat) {
  m_open.remove(chat->chatId());
  m_recent.removeOne(chat->chatId());
  disconnect(chat, nullptr, this, nullptr);
  disconnect(&m_session.writer(), nullptr, chat->turns(), nullptr);
  chat->deleteLater();
}

ChatModel* ChatLibrary::makeModel(const ChatRecord& record) {
  auto* chat = new ChatModel({m_backend, m_models, m_session.writer(), m_session.ids(), m_personas,
                              m_engine, m_generation, m_clock},
                             record, this);
  connect(chat, &ChatModel::touched, this, [this, chat] { onTouched(chat); });
  connect(chat, &ChatModel::recordChanged, this, [this, chat] { onRecordChanged(chat); });
  connect(chat, &ChatModel::answerEnded, this, [this, chat] { onAnswerEnded(chat); });
  connect(chat, &ChatModel::stateChanged, this,
          [this, chat] { m_list.setGenerating(chat->chatId(), chat->turns()->isGenerating()); });
  connect(chat, &ChatModel::forkWanted, this, [this, chat](qint64 id) { fork(*chat, id); });
  m_open.insert(record.id, chat);
  noteOpened(record.id);
  return chat;
}

ChatModel* ChatLibrary::blank(const std::function<bool(const ChatModel*)>& isFree) {
  for (ChatModel* chat : std::as_const(m_open)) {
    const bool isUnused =
        chat->isBlank() && !m_list.contains(chat->chatId()) && !isBeingRemoved(chat->chatId());
    if (isUnused && (!isFree || isFree(chat))) return chat;
  }
  ChatRecord record;
  record.id = m_session.ids().next();
  QList<int> used;
  for (const ChatModel* chat : std::as_const(m_open)) {
    if (m_isShown(chat->chatId())) used.append(chat->record().color);
  }
  record.color = rarestColor(used, static_cast<int>(record.id % kNumChatColors));
  record.createdMs = QDateTime::currentMSecsSinceEpoch();
  record.activeMs = record.createdMs;
  ChatModel* const chat = makeModel(record);
  chat->load({});
  return chat;
}

ChatModel* ChatLibrary::fork(ChatModel& chat, RecordId messageId) {
  const NewChat made = forkOf(chat.record(), chat.conversation(), messageId, m_session.ids());
  m_session.writer().write(&ConversationStore::createChat, made);
  ChatModel* fork = makeModel(made.chat);
  fork->load({.messages = made.messages});
  m_list.put(made.chat);
  emit chatForked(fork);
  return fork;
}

void ChatLibrary::onTouched(ChatModel* chat) {
  if (isBeingRemoved(chat->chatId())) return;
  // A message in an archived chat unarchives it.
  if (chat->record().archived) chat->changeRecord([](ChatRecord& c) { c.archived = false; });
  m_list.put(chat->record());
  m_list.setGenerating(chat->chatId(), chat->turns()->isGenerating());
  emit chatListed(chat);
}

void ChatLibrary::onRecordChanged(ChatModel* chat) {
  const bool isListed = m_list.contains(chat->chatId());
  if (isBeingRemoved(chat->chatId()) || (!isListed && chat->isBlank())) return;
  m_list.put(chat->record());
  if (!isListed) emit chatListed(chat);
}

/// Adds messages that were imported while the chat was busy.
void ChatLibrary::mergeIfDelayed(ChatModel* chat) {
  if (!m_incomplete.remove(chat->chatId())) return;
  if (auto done = mergeInto(*chat); !done) {
    emit failed(QString::fromStdString(done.error().message));
  }
}

void ChatLibrary::onAnswerEnded(ChatModel* chat) {
  mergeIfDelayed(chat);
  if (!m_isShown(chat->chatId()) && !isBeingRemoved(chat->chatId())) {
    chat->changeRecord([](ChatRecord& c) { c.unread = true; });
  }
  m_releaseTimer.start();
  emit answerEnded(chat);
}

void ChatLibrary::noteOpened(RecordId id) {
  m_recent.removeOne(id);
  m_recent.prepend(id);
  m_releaseTimer.start();
}

void ChatLibrary::setCurrent(RecordId id) {
  noteOpened(id);
  m_list.setCurrent(id);
  const auto chat = m_list.find(id);
  if (chat && chat->unread) change(id, [](ChatRecord& c) { c.unread = false; });
}

}  // namespace quire
