#include "app/store/store_writer.h"

#include <QSet>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/store/database.h"

namespace quire {
namespace {

using std::chrono::milliseconds;

QString answerWords(RecordId id) {
  return QStringLiteral("answer %1").arg(id);
}

QString draftWords(const ChatRecord& chat) {
  return QStringLiteral("draft %1").arg(chat.id);
}

constexpr milliseconds kFirstRetry{1000};
constexpr milliseconds kLastRetry{30'000};
constexpr milliseconds kIdleBeforeMaintenance{300};
constexpr milliseconds kBetweenSlices{5};

}  // namespace

StoreWriter::StoreWriter(const QString& folder, QObject* parent)
    : QObject(parent),
      m_folder(folder),
      m_maintainAt(Clock::now() + kIdleBeforeMaintenance),
      m_thread([this] { run(); }) {}

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
                                           const MessageRecord& answer) {
  return beginAnswers(chat, userMessage, {answer});
}

StoreWriter::Ticket StoreWriter::beginAnswers(const ChatRecord& chat,
                                              const std::optional<MessageRecord>& userMessage,
                                              const QList<MessageRecord>& answers) {
  return enqueue({.isTurn = true, .write = [=](ConversationStore& store) {
                    return store.beginAnswers(chat, userMessage, answers);
                  }});
}

StoreWriter::Ticket StoreWriter::checkpointAnswer(RecordId messageId, const QString& text,
                                                  const QList<qint32>& tokens) {
  return enqueue({.checkpointOf = messageId,
                  .wordsOf = answerWords(messageId),
                  .mayBeMissing = true,
                  .write = [=](ConversationStore& store) {
                    return store.checkpointAnswer(messageId, text, tokens);
                  }});
}

StoreWriter::Ticket StoreWriter::finishAnswer(const MessageRecord& answer,
                                              const std::optional<OriginRecord>& origin) {
  return enqueue(
      {.wordsOf = answerWords(answer.id),
       .chatId = answer.chatId,
       .mayBeMissing = true,
       .write = [=](ConversationStore& store) { return store.finishAnswer(answer, origin); }});
}

StoreWriter::Ticket StoreWriter::putChat(const ChatRecord& chat) {
  return enqueue({.stateOf = QStringLiteral("chat %1").arg(chat.id),
                  .wordsOf = draftWords(chat),
                  .chatId = chat.id,
                  .hasWords = !chat.draft.isEmpty(),
                  .write = [=](ConversationStore& store) { return store.putChat(chat); }});
}

StoreWriter::Ticket StoreWriter::putDraft(const ChatRecord& chat,
                                          const QList<AttachmentRecord>& files) {
  return enqueue({.stateOf = draftWords(chat),
                  .wordsOf = draftWords(chat),
                  .chatId = chat.id,
                  .hasWords = !chat.draft.isEmpty() || !files.isEmpty(),
                  .write = [=](ConversationStore& store) { return store.putDraft(chat, files); }});
}

StoreWriter::Ticket StoreWriter::putDraftToAll(const QList<AttachmentRecord>& files) {
  return enqueue({.stateOf = QStringLiteral("draft to all"),
                  .wordsOf = QStringLiteral("draft to all"),
                  .hasWords = !files.isEmpty(),
                  .write = [=](ConversationStore& store) { return store.putDraftToAll(files); }});
}

StoreWriter::Ticket StoreWriter::putEdit(RecordId chatId, const MessageEdit& edit) {
  const QString name = QStringLiteral("edit %1").arg(chatId);
  return enqueue({.stateOf = name,
                  .wordsOf = name,
                  .chatId = chatId,
                  .hasWords = edit.messageId != 0,
                  .write = [=](ConversationStore& store) { return store.putEdit(chatId, edit); }});
}

StoreWriter::Ticket StoreWriter::removeChat(RecordId id) {
  return enqueue(
      {.removedChat = id, .write = [=](ConversationStore& store) { return store.removeChat(id); }});
}

StoreWriter::Ticket StoreWriter::removeMessages(RecordId chatId, const QList<RecordId>& ids) {
  QStringList words;
  for (const RecordId id : ids) words.append(answerWords(id));
  return enqueue({.removedWords = words, .write = [=](ConversationStore& store) {
                    return store.removeMessages(chatId, ids);
                  }});
}

StoreWriter::Ticket StoreWriter::putSetting(const QString& key, const QString& value) {
  return enqueue({.stateOf = QStringLiteral("setting ") + key,
                  .write = [=](ConversationStore& store) { return store.putSetting(key, value); }});
}

StoreWriter::Ticket StoreWriter::enqueue(Job job) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(m_mutex);
    ticket = ++m_lastTicket;
    job.tickets.push_back(ticket);
    if (m_pause && job.isTurn) {
      reportAll(job, Outcome::Kind::Failed, *m_pause);
      return ticket;
    }
    if (Job* older = joinable(job)) {
      older->tickets.push_back(ticket);
      older->write = std::move(job.write);
      older->wordsOf = std::move(job.wordsOf);
      older->hasWords = job.hasWords;
    } else {
      m_queue.push_back(std::move(job));
    }
  }
  m_changed.notify_all();
  return ticket;
}

/// The queued job that this one may replace.
StoreWriter::Job* StoreWriter::joinable(const Job& job) {
  // A checkpoint keeps its place: at the end of a busy queue it could starve.
  if (job.checkpointOf != 0) {
    const auto found = std::find_if(m_queue.begin(), m_queue.end(), [&](const Job& queued) {
      return queued.checkpointOf == job.checkpointOf;
    });
    return found == m_queue.end() ? nullptr : &*found;
  }
  // A whole state replaces only the last job, because it may refer to what later jobs write.
  if (m_queue.empty() || job.stateOf.isEmpty()) return nullptr;
  return m_queue.back().stateOf == job.stateOf ? &m_queue.back() : nullptr;
}

bool StoreWriter::flush(int timeoutMs) {
  std::unique_lock lock(m_mutex);
  const quint64 pausesBefore = m_numPauses;
  m_retryNow = true;
  m_changed.notify_all();
  const auto isDone = [this] { return m_queue.empty() && !m_writing; };
  m_changed.wait_for(lock, milliseconds(timeoutMs),
                     [&] { return isDone() || m_numPauses != pausesBefore; });
  return isDone();
}

StoreWriter::Unsaved StoreWriter::unsaved() {
  const std::lock_guard lock(m_mutex);
  QSet<QString> words;
  Unsaved unsaved;
  const auto count = [&](const Job& job) {
    if (job.wordsOf.isEmpty() || !job.hasWords) {
      ++unsaved.changes;
    } else {
      words.insert(job.wordsOf);
    }
  };
  for (auto lost = m_lost.cbegin(); lost != m_lost.cend(); ++lost) {
    words.insert(lost.key());
    unsaved.failure = lost->failure;
  }
  unsaved.isQueued = !m_queue.empty() || m_writing;
  for (const Job& job : m_queue) count(job);
  if (m_writing) count(m_current);
  unsaved.messages = static_cast<int>(words.size());
  return unsaved;
}

void StoreWriter::retry() {
  {
    const std::lock_guard lock(m_mutex);
    m_retryNow = true;
  }
  m_changed.notify_all();
}

void StoreWriter::run() {
  std::unique_lock lock(m_mutex);
  while (waitForWork(lock)) {
    if (m_queue.empty()) {
      maintain(lock);
      continue;
    }
    writeNext(lock);
    if (m_stopping && m_pause) break;  // The last attempt failed.
  }
  m_store.reset();
}

/// False if the writer stops and nothing is left to write.
bool StoreWriter::waitForWork(std::unique_lock<std::mutex>& lock) {
  while (true) {
    if (m_stopping) return !m_queue.empty();
    if (m_queue.empty()) m_retryNow = false;
    const auto now = Clock::now();
    const bool mayWrite = !m_pause || m_retryNow || now >= m_retryAt;
    if (!m_queue.empty() && mayWrite) return true;
    if (m_queue.empty() && m_maintainAt && now >= *m_maintainAt) return true;
    if (!m_queue.empty()) {
      m_changed.wait_until(lock, m_retryAt);
    } else if (m_maintainAt) {
      m_changed.wait_until(lock, *m_maintainAt);
    } else {
      m_changed.wait(lock);
    }
  }
}

void StoreWriter::writeNext(std::unique_lock<std::mutex>& lock) {
  Job job = std::move(m_queue.front());
  m_queue.pop_front();
  m_writing = true;
  m_current.wordsOf = job.wordsOf;
  m_current.hasWords = job.hasWords;
  m_retryNow = false;
  lock.unlock();
  const auto written = perform(job);
  lock.lock();
  m_writing = false;
  m_maintainAt = Clock::now() + kIdleBeforeMaintenance;
  settle(std::move(job), written);
  m_changed.notify_all();
}

/// Runs a slice for the full-text index, which is short because the queue waits for it.
void StoreWriter::maintain(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  Result<bool> more = false;
  if (openStore()) more = m_store->maintain();
  lock.lock();
  // An error is not reported: the next write will fail with it.
  const bool goesOn = more && *more;
  m_maintainAt = goesOn ? std::optional(Clock::now() + kBetweenSlices) : std::nullopt;
}

void StoreWriter::settle(Job job, const Result<void>& written) {
  if (written || (job.mayBeMissing && written.error().code == ErrorCode::kNotFound)) {
    if (m_pause) resume();
    forgetLost(job);
    return reportAll(job, Outcome::Kind::Committed);
  }
  const QString sentence = QString::fromStdString(written.error().message);
  // A full disk or memory may recover; other errors would come again.
  const bool mayPass =
      written.error().code == ErrorCode::kIo || written.error().code == ErrorCode::kOutOfMemory;
  if (mayPass && !job.isTurn) return keep(std::move(job), sentence);
  if (m_pause && !mayPass) resume();  // The disk was reached.
  if (!job.wordsOf.isEmpty() && job.hasWords) m_lost.insert(job.wordsOf, {job.chatId, sentence});
  reportAll(job, Outcome::Kind::Failed, sentence);
}

/// Forgets the lost words that `job` wrote or removed.
void StoreWriter::forgetLost(const Job& job) {
  m_lost.remove(job.wordsOf);
  for (const QString& words : job.removedWords) m_lost.remove(words);
  if (job.removedChat == 0) return;
  m_lost.removeIf([&](const auto& lost) { return lost.value().chatId == job.removedChat; });
}

void StoreWriter::keep(Job job, const QString& sentence) {
  ++m_numPauses;
  m_retryDelay = m_pause ? std::min(2 * m_retryDelay, kLastRetry) : kFirstRetry;
  m_retryAt = Clock::now() + m_retryDelay;
  Job* const newer = job.checkpointOf == 0 ? nullptr : joinable(job);
  if (newer != nullptr) {
    newer->tickets.insert(newer->tickets.begin(), job.tickets.begin(), job.tickets.end());
  } else {
    m_queue.push_front(std::move(job));
  }
  if (m_pause == sentence) return;
  m_pause = sentence;
  report({.kind = Outcome::Kind::Paused, .sentence = sentence});
}

void StoreWriter::resume() {
  m_pause.reset();
  report({.kind = Outcome::Kind::Resumed});
}

void StoreWriter::reportAll(const Job& job, Outcome::Kind kind, const QString& sentence) {
  for (const Ticket ticket : job.tickets) report({kind, ticket, sentence});
}

void StoreWriter::report(Outcome outcome) {
  const bool isFirst = m_outcomes.empty();
  m_outcomes.push_back(std::move(outcome));
  if (isFirst) QMetaObject::invokeMethod(this, "reportOutcomes", Qt::QueuedConnection);
}

/// Again after an error of the disk: the handles of a disk that was removed stay dead when it is
/// back. Only the file that was open: another one, or a new one, would lack what was saved before.
Result<void> StoreWriter::openStore() {
  if (m_store) {
    const auto there = checkPlace(m_store->database());
    m_isSuspect = m_isSuspect || !there;
    if (!there || !m_isSuspect) return there;
  }
  auto opened = ConversationStore::open(m_folder, /*recover=*/false);
  if (!opened && !m_store) return opened.error();
  m_isSuspect = m_isSuspect && !opened;
  if (!opened) return {};  // The store that was open tells what is wrong.
  if (m_store) {
    // The disk that is there now may be another, with a file of the same number.
    setLogIsTrusted(m_store->database(), false);
    (*opened)->assumeStaleLog();
  }
  m_store = std::move(*opened);
  return {};
}

Result<void> StoreWriter::perform(const Job& job) {
  if (auto opened = openStore(); !opened) return opened;
  const auto written = job.write(*m_store);
  m_isSuspect = !written && written.error().code == ErrorCode::kIo;
  return written;
}

void StoreWriter::reportOutcomes() {
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(m_mutex);
    outcomes.swap(m_outcomes);
  }
  for (const Outcome& outcome : outcomes) {
    switch (outcome.kind) {
      case Outcome::Kind::Committed:
        emit committed(outcome.ticket);
        break;
      case Outcome::Kind::Failed:
        emit failed(outcome.ticket, outcome.sentence);
        break;
      case Outcome::Kind::Paused:
        emit paused(outcome.sentence);
        break;
      case Outcome::Kind::Resumed:
        emit resumed();
        break;
    }
  }
}

}  // namespace quire
