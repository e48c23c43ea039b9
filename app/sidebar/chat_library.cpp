#include "app/sidebar/chat_library.h"

#include <QDateTime>

#include <utility>

#include "app/chat/chat_fork.h"

namespace quire {
namespace {

constexpr int kChatUndoMs = 8000;

/// The colour that the fewest of these have, so that chats side by side are told apart by it; of
/// several, the next from `first` on.
int rarestColor(const QList<int>& used, int first) {
  int rarest = first;
  for (int step = 1; step < kNumChatColors; ++step) {
    const int color = (first + step) % kNumChatColors;
    if (used.count(color) < used.count(rarest)) rarest = color;
  }
  return rarest;
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
      m_generation(generation) {
  m_undoTimer.setSingleShot(true);
  m_undoTimer.setInterval(kChatUndoMs);
  connect(&m_undoTimer, &QTimer::timeout, this, &ChatLibrary::finishUndo);
  connect(&m_minuteTimer, &QTimer::timeout, &m_list, &ChatListModel::refreshToday);
  m_minuteTimer.start(60'000);
}

ChatLibrary::~ChatLibrary() {
  qDeleteAll(m_open);  // Before the writer that they refer to.
}

Result<void> ChatLibrary::load() {
  const auto chats = m_session.store().chats();
  if (!chats) return chats.error();
  const auto folders = m_session.store().folders();
  if (!folders) return folders.error();
  m_folders.setFolders(*folders);
  m_list.setChats(*chats, *folders);
  return {};
}

/// What the store has of an open chat and the chat does not.
Result<void> ChatLibrary::completeOpen(ChatModel& chat) {
  const auto messages = m_session.store().messages(chat.chatId());
  if (!messages) return messages.error();
  const auto record = m_session.store().chat(chat.chatId());
  if (!record) return record.error();
  if (*record) chat.takeIn(**record, *messages);
  return {};
}

Result<void> ChatLibrary::takeIn(const QList<RecordId>& completed) {
  for (const RecordId id : completed) {
    ChatModel* const chat = findOpen(id);
    if (!chat || isBeingRemoved(id)) continue;
    if (chat->isGenerating()) {
      m_incomplete.insert(id);
      continue;
    }
    if (auto done = completeOpen(*chat); !done) return done;
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
    m_list.setGenerating(chat->chatId(), chat->isGenerating());
  }
  return {};
}

ChatModel* ChatLibrary::open(RecordId id) {
  if (ChatModel* chat = m_open.value(id)) return chat;
  const auto record = m_list.find(id);
  if (!record) return nullptr;
  const auto messages = m_session.store().messages(id);
  if (messages) {
    ChatModel* const chat = makeModel(*record, *messages);
    const auto draftFiles = m_session.store().draftFiles(id);
    const auto compared = m_session.store().comparedAnswers(id);
    chat->restore(draftFiles.value_or(QList<AttachmentRecord>()),
                  compared.value_or(QList<ComparedAnswer>()));
    return chat;
  }
  emit failed(QString::fromStdString(messages.error().message));
  return nullptr;
}

ChatModel* ChatLibrary::makeModel(const ChatRecord& record, const QList<MessageRecord>& messages) {
  auto* chat = new ChatModel({m_backend, m_models, m_session.writer(), m_session.ids(), m_personas,
                              m_engine, m_generation, m_clock},
                             record, messages, this);
  connect(chat, &ChatModel::touched, this, [this, chat] { onTouched(chat); });
  connect(chat, &ChatModel::recordChanged, this, [this, chat] { onRecordChanged(chat); });
  connect(chat, &ChatModel::answerEnded, this, [this, chat] { onAnswerEnded(chat); });
  connect(chat, &ChatModel::sendStateChanged, this,
          [this, chat] { m_list.setGenerating(chat->chatId(), chat->isGenerating()); });
  connect(chat, &ChatModel::forkWanted, this, [this, chat](qint64 id) { fork(*chat, id); });
  m_open.insert(record.id, chat);
  emit chatOpened(chat);
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
    if (m_isShown && m_isShown(chat->chatId())) used.append(chat->record().color);
  }
  record.color = rarestColor(used, static_cast<int>(record.id % kNumChatColors));
  record.createdMs = QDateTime::currentMSecsSinceEpoch();
  record.activeMs = record.createdMs;
  return makeModel(record, {});
}

ChatModel* ChatLibrary::fork(ChatModel& chat, RecordId messageId) {
  const NewChat made = forkOf(chat.record(), chat.conversation(), messageId, m_session.ids());
  m_session.writer().createChat(made);
  ChatModel* fork = makeModel(made.chat, made.messages);
  m_list.put(made.chat);
  emit chatForked(fork);
  return fork;
}

void ChatLibrary::onTouched(ChatModel* chat) {
  if (isBeingRemoved(chat->chatId())) return;  // Its answer came to nothing meanwhile.
  // Whoever writes in an archived chat works with it again.
  if (chat->record().archived) chat->changeRecord([](ChatRecord& c) { c.archived = false; });
  m_list.put(chat->record());
  m_list.setGenerating(chat->chatId(), chat->isGenerating());
  emit chatListed(chat);
}

void ChatLibrary::onRecordChanged(ChatModel* chat) {
  const bool isListed = m_list.contains(chat->chatId());
  if (isBeingRemoved(chat->chatId())) return;
  if (!isListed && chat->isBlank()) return;
  m_list.put(chat->record());
  if (!isListed) emit chatListed(chat);
}

void ChatLibrary::onAnswerEnded(ChatModel* chat) {
  if (m_incomplete.remove(chat->chatId())) {
    if (auto done = completeOpen(*chat); !done) {
      emit failed(QString::fromStdString(done.error().message));
    }
  }
  const bool isSeen = m_isShown && m_isShown(chat->chatId());
  if (!isSeen && !isBeingRemoved(chat->chatId())) {
    chat->changeRecord([](ChatRecord& c) { c.unread = true; });
  }
}

void ChatLibrary::setCurrent(RecordId id) {
  m_list.setCurrent(id);
  const auto chat = m_list.find(id);
  if (chat && chat->unread) change(id, [](ChatRecord& c) { c.unread = false; });
}

}  // namespace quire
