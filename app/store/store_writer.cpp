#include "app/store/store_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace quire {

StoreWriter::StoreWriter(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder), m_thread([this] { run(); }) {}

StoreWriter::~StoreWriter() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  m_thread.join();
}

StoreWriter::Ticket StoreWriter::beginTurn(const ChatRecord& chat,
                                           const std::optional<MessageRecord>& userMessage,
                                           const MessageRecord& answer,
                                           const QList<AttachmentRecord>& attachments) {
  return enqueue({.write = [=](ConversationStore& store) {
    return store.beginTurn(chat, userMessage, answer, attachments);
  }});
}

StoreWriter::Ticket StoreWriter::checkpointAnswer(RecordId messageId, const QString& text,
                                                  const QList<qint32>& tokens) {
  return enqueue(
      {.checkpointOf = messageId, .mayBeMissing = true, .write = [=](ConversationStore& store) {
         return store.checkpointAnswer(messageId, text, tokens);
       }});
}

StoreWriter::Ticket StoreWriter::finishAnswer(const MessageRecord& answer,
                                              const std::optional<OriginRecord>& origin) {
  return enqueue({.mayBeMissing = true, .write = [=](ConversationStore& store) {
                    return store.finishAnswer(answer, origin);
                  }});
}

StoreWriter::Ticket StoreWriter::putChat(const ChatRecord& chat) {
  return enqueue({.write = [=](ConversationStore& store) { return store.putChat(chat); }});
}

StoreWriter::Ticket StoreWriter::removeChat(RecordId id) {
  return enqueue({.write = [=](ConversationStore& store) { return store.removeChat(id); }});
}

StoreWriter::Ticket StoreWriter::putPersona(const PersonaRecord& persona) {
  return enqueue({.write = [=](ConversationStore& store) { return store.putPersona(persona); }});
}

StoreWriter::Ticket StoreWriter::removePersona(RecordId id) {
  return enqueue({.write = [=](ConversationStore& store) { return store.removePersona(id); }});
}

StoreWriter::Ticket StoreWriter::putFolder(const FolderRecord& folder) {
  return enqueue({.write = [=](ConversationStore& store) { return store.putFolder(folder); }});
}

StoreWriter::Ticket StoreWriter::removeFolder(RecordId id) {
  return enqueue({.write = [=](ConversationStore& store) { return store.removeFolder(id); }});
}

StoreWriter::Ticket StoreWriter::createChat(const NewChat& chat) {
  return enqueue({.write = [=](ConversationStore& store) { return store.createChat(chat); }});
}

StoreWriter::Ticket StoreWriter::removeMessages(RecordId chatId, const QList<RecordId>& ids) {
  return enqueue(
      {.write = [=](ConversationStore& store) { return store.removeMessages(chatId, ids); }});
}

StoreWriter::Ticket StoreWriter::putModelSettings(const ModelSettings& settings) {
  return enqueue(
      {.write = [=](ConversationStore& store) { return store.putModelSettings(settings); }});
}

StoreWriter::Ticket StoreWriter::putSetting(const QString& key, const QString& value) {
  return enqueue({.write = [=](ConversationStore& store) { return store.putSetting(key, value); }});
}

StoreWriter::Ticket StoreWriter::enqueue(Job job) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(m_mutex);
    ticket = ++m_lastTicket;
    job.tickets.push_back(ticket);
    // In the older one's place: at the end, a busy queue could put it off for ever.
    Job* older = queuedCheckpoint(job.checkpointOf);
    if (older != nullptr) {
      older->tickets.push_back(ticket);
      older->write = std::move(job.write);
    } else {
      m_queue.push_back(std::move(job));
    }
  }
  m_changed.notify_all();
  return ticket;
}

StoreWriter::Job* StoreWriter::queuedCheckpoint(RecordId messageId) {
  if (messageId == 0) return nullptr;
  const auto found = std::find_if(m_queue.begin(), m_queue.end(), [&](const Job& queued) {
    return queued.checkpointOf == messageId;
  });
  return found == m_queue.end() ? nullptr : &*found;
}

bool StoreWriter::flush(int timeoutMs) {
  std::unique_lock lock(m_mutex);
  return m_changed.wait_for(lock, std::chrono::milliseconds(timeoutMs),
                            [this] { return m_queue.empty() && !m_writing; });
}

void StoreWriter::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [this] { return m_stopping || !m_queue.empty(); });
    if (m_queue.empty()) break;  // Stopping, and all is written.
    const Job job = std::move(m_queue.front());
    m_queue.pop_front();
    m_writing = true;
    lock.unlock();
    const QString error = perform(job);
    lock.lock();
    m_writing = false;
    const bool reported = !m_outcomes.empty();
    for (const Ticket ticket : job.tickets) m_outcomes.push_back({ticket, error});
    if (!reported) QMetaObject::invokeMethod(this, "reportOutcomes", Qt::QueuedConnection);
    m_changed.notify_all();
  }
  m_store.reset();
}

QString StoreWriter::perform(const Job& job) {
  if (!m_store) {
    auto opened = ConversationStore::open(m_folder, /*recover=*/false);
    if (!opened) return QString::fromStdString(opened.error().message);
    m_store = std::move(*opened);
  }
  const auto written = job.write(*m_store);
  if (written) return {};
  if (job.mayBeMissing && written.error().code == ErrorCode::kNotFound) return {};
  return QString::fromStdString(written.error().message);
}

void StoreWriter::reportOutcomes() {
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(m_mutex);
    outcomes.swap(m_outcomes);
  }
  for (const Outcome& outcome : outcomes) {
    if (outcome.error.isEmpty()) {
      emit committed(outcome.ticket);
    } else {
      emit failed(outcome.ticket, outcome.error);
    }
  }
}

}  // namespace quire
