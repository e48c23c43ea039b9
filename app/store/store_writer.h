#pragma once

#include <QHash>
#include <QObject>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/store/conversation_store.h"

namespace quire {

/// Writes to the conversation store, so that the window never waits for the disk. A thread with its
/// own ConversationStore writes what is queued, in order, and maintains the full-text index when
/// the queue is empty.
///
/// Every call returns at once with a ticket; `committed` follows when its data is durable, `failed`
/// with a sentence for the user when it cannot be written. After a failure that may pass, such as a
/// full disk, nothing is dropped: the writer pauses, keeps its queue, and tries again at intervals
/// and on retry(). Only a new turn fails during a pause, because its text can return to the
/// composer.
///
/// A store that was moved, deleted or replaced, or whose disk was removed, is such a failure: the
/// writer waits until it is back at its place.
///
/// Tickets ascend and their signals come in the same order, except for checkpoints and for turns
/// during a pause. A checkpoint replaces an older one of its answer in the queue, and both tickets
/// are committed together; the last job is replaced in the same way by a newer state of the same
/// chat or setting. Checkpoints and ends of answers whose chat was removed are dropped and count as
/// committed.
///
/// Thread: the window's for every call and signal, except flush() and unsaved(), which any thread
/// may call; the writing is done on another.
/// Invariants: before it returns, the destructor writes everything that is queued, or as much as
/// the disk accepts.
class StoreWriter : public QObject {
  Q_OBJECT

 public:
  using Ticket = quint64;
  struct Unsaved {
    int messages = 0;       ///< Answers with new text, and drafts.
    int changes = 0;        ///< All other changes.
    bool isQueued = false;  ///< Some of it is still to be written.
    QString failure;  ///< Why some of the messages will not be tried again; empty if none is lost.

    bool isNothing() const { return messages == 0 && changes == 0; }
  };

  /// `folder` as for ConversationStore::open. The writer's thread opens it for the first job. If it
  /// cannot be written, the writer pauses; if it is damaged or too new, every ticket fails.
  explicit StoreWriter(const QString& folder, QObject* parent = nullptr);
  ~StoreWriter() override;

  /// A call of the store that replaces no other: write(&ConversationStore::putFolder, folder).
  template <typename... Parameters, typename... Arguments>
  Ticket write(Result<void> (ConversationStore::*operation)(Parameters...),
               const Arguments&... arguments) {
    return enqueue(
        {.write = [=](ConversationStore& store) { return (store.*operation)(arguments...); }});
  }
  Ticket beginTurn(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                   const MessageRecord& answer);
  /// The same with several answers to one message.
  Ticket beginAnswers(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                      const QList<MessageRecord>& answers);
  Ticket checkpointAnswer(RecordId messageId, const QString& text, const QList<qint32>& tokens);
  Ticket finishAnswer(const MessageRecord& answer, const std::optional<OriginRecord>& origin = {});
  Ticket putChat(const ChatRecord& chat);
  Ticket putDraft(const ChatRecord& chat, const QList<AttachmentRecord>& files);
  Ticket putDraftToAll(const QList<AttachmentRecord>& files);
  Ticket putEdit(RecordId chatId, const MessageEdit& edit);
  Ticket removeChat(RecordId id);
  Ticket removeMessages(RecordId chatId, const QList<RecordId>& ids);
  Ticket putSetting(const QString& key, const QString& value);

  /// Waits until everything queued is durable, at most `timeoutMs`. False after the timeout, or if
  /// the disk accepts no writes. The signals come later, from the event loop.
  bool flush(int timeoutMs);
  /// Tries to write at once during a pause, because the user has made room.
  void retry();
  /// What is queued and not durable yet, and the answers and drafts whose last write failed.
  Unsaved unsaved();

 signals:
  void committed(quint64 ticket);
  void failed(quint64 ticket, const QString& sentence);
  /// Nothing can be written for now; emitted again when the reason changes.
  void paused(const QString& sentence);
  void resumed();

 private:
  using Clock = std::chrono::steady_clock;
  using Write = std::function<Result<void>(ConversationStore&)>;
  struct Job {
    std::vector<Ticket> tickets = {};  ///< More than one if it replaced other jobs.
    RecordId checkpointOf = 0;         ///< The answer of a checkpoint; 0 for other jobs.
    QString stateOf = {};              ///< The chat or setting that it writes as a whole; or empty.
    QString wordsOf = {};              ///< The answer or draft whose text it writes; or empty.
    RecordId chatId = 0;               ///< The chat of these words; 0 if it is not known.
    bool hasWords = true;              ///< Whether it writes any text of it.
    bool mayBeMissing = false;         ///< kNotFound means that its chat was removed.
    bool isTurn = false;
    RecordId removedChat = 0;
    QStringList removedWords = {};  ///< Words that are not wanted any more when it is written.
    Write write = {};
  };
  /// Words whose last write failed for good.
  struct LostWords {
    RecordId chatId = 0;
    QString failure;
  };
  struct Outcome {
    enum class Kind { Committed, Failed, Paused, Resumed };
    Kind kind = Kind::Committed;
    Ticket ticket = 0;
    QString sentence;
  };

  Ticket enqueue(Job job);
  void run();
  // These need m_mutex; they unlock `lock` while they access the disk.
  Job* joinable(const Job& job);
  bool waitForWork(std::unique_lock<std::mutex>& lock);
  void writeNext(std::unique_lock<std::mutex>& lock);
  void maintain(std::unique_lock<std::mutex>& lock);
  void settle(Job job, const Result<void>& written);
  void forgetLost(const Job& job);
  void keep(Job job, const QString& sentence);
  void resume();
  void report(Outcome outcome);
  void reportAll(const Job& job, Outcome::Kind kind, const QString& sentence = {});

  Result<void> openStore();
  Result<void> perform(const Job& job);
  Q_INVOKABLE void reportOutcomes();

  const QString m_folder;
  std::unique_ptr<ConversationStore> m_store;  ///< Touched by the writer's thread only.
  bool m_isSuspect = false;  ///< Likewise: the last write met a fault of its disk.

  std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  std::deque<Job> m_queue;
  QHash<QString, LostWords> m_lost;  ///< By Job::wordsOf.
  Job m_current;  ///< What is being written, without its `write`, while m_writing.
  std::vector<Outcome> m_outcomes;
  Ticket m_lastTicket = 0;
  bool m_writing = false;
  bool m_stopping = false;
  bool m_retryNow = false;
  std::optional<QString> m_pause;  ///< The reason of a pause; none if there is no pause.
  quint64 m_numPauses = 0;         ///< How often a write failed and was kept.
  std::chrono::milliseconds m_retryDelay{0};
  Clock::time_point m_retryAt;
  std::optional<Clock::time_point> m_maintainAt;  ///< None if there is nothing to maintain.

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
