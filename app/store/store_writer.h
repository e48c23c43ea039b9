#pragma once

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

/// Writes to the conversation store without the window ever waiting for the disk: a thread with a
/// ConversationStore of its own takes what is queued, in order, and maintains the full-text index
/// when nothing is.
///
/// Every call returns at once with a ticket; `committed` follows when its data is durable, `failed`
/// with a sentence for the user when it never can be. Where the disk is full, or the file cannot be
/// written for another reason that may pass, nothing is dropped: the writer pauses and says why,
/// keeps what is queued, and tries again now and then, and at once on retry(). Only a new turn
/// fails then, because the text can return to the composer.
///
/// Tickets rise and their signals come in the same order, save for checkpoints and for turns that
/// come during a pause: a checkpoint that finds an older one of its answer still queued takes its
/// place in the queue, and both tickets are committed together (the last thing queued is replaced
/// in the same way by a newer state of the same chat or setting). Checkpoints and ends of answers
/// whose chat has been removed meanwhile are dropped and count as committed: there is nothing left
/// to keep.
///
/// Thread: the window's for every call and signal, save flush(), which any thread may call; the
/// writing is done on another.
/// Invariants: the destructor writes everything that is queued before it returns, or as much as the
/// disk takes.
class StoreWriter : public QObject {
  Q_OBJECT

 public:
  using Ticket = quint64;
  struct Unsaved {
    int messages = 0;  ///< Answers that came further, and messages that wait in a composer.
    int changes = 0;   ///< All else.

    bool isNothing() const { return messages == 0 && changes == 0; }
  };

  /// `folder` as for ConversationStore::open. It is opened on the writer's thread, with the first
  /// thing to write; a folder that cannot be written pauses, one that is damaged or too new fails
  /// every ticket with the reason.
  explicit StoreWriter(const QString& folder, QObject* parent = nullptr);
  ~StoreWriter() override;

  /// A call of the store that joins no other: write(&ConversationStore::putFolder, folder).
  template <typename... Parameters, typename... Arguments>
  Ticket write(Result<void> (ConversationStore::*operation)(Parameters...),
               const Arguments&... arguments) {
    return enqueue(
        {.write = [=](ConversationStore& store) { return (store.*operation)(arguments...); }});
  }
  Ticket beginTurn(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                   const MessageRecord& answer);
  /// The same with several answers to one message, all or none.
  Ticket beginAnswers(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                      const QList<MessageRecord>& answers);
  Ticket checkpointAnswer(RecordId messageId, const QString& text, const QList<qint32>& tokens);
  Ticket finishAnswer(const MessageRecord& answer, const std::optional<OriginRecord>& origin = {});
  Ticket putChat(const ChatRecord& chat);
  Ticket putDraft(const ChatRecord& chat, const QList<AttachmentRecord>& files);
  Ticket putDraftToAll(const QList<AttachmentRecord>& files);
  Ticket putSetting(const QString& key, const QString& value);

  /// Waits until everything queued is durable, at most `timeoutMs`: for leaving the program. False
  /// if time ran out first, or the disk takes no more. The signals come later, from the event loop.
  bool flush(int timeoutMs);
  /// Ends a pause if the reason for it has gone: the user has made room.
  void retry();
  /// What is queued and not durable yet.
  Unsaved unsaved();

 signals:
  void committed(quint64 ticket);
  void failed(quint64 ticket, const QString& sentence);
  /// Nothing can be written for now. Also when the reason changes.
  void paused(const QString& sentence);
  void resumed();

 private:
  using Clock = std::chrono::steady_clock;
  using Write = std::function<Result<void>(ConversationStore&)>;
  struct Job {
    std::vector<Ticket> tickets = {};  ///< More than one where some were joined.
    RecordId checkpointOf = 0;         ///< The answer, for a checkpoint; 0 for all else.
    QString stateOf = {};              ///< What it writes the whole state of; empty: no such thing.
    QString wordsOf = {};              ///< Whose words it holds: an answer's, a draft's; or empty.
    bool mayBeMissing = false;         ///< kNotFound means that its chat was removed.
    bool isTurn = false;
    Write write = {};
  };
  struct Outcome {
    enum class Kind { Committed, Failed, Paused, Resumed };
    Kind kind = Kind::Committed;
    Ticket ticket = 0;
    QString sentence;
  };

  Ticket enqueue(Job job);
  void run();
  // These need m_mutex; `lock` is let go while the disk is waited for.
  Job* joinable(const Job& job);
  bool waitForWork(std::unique_lock<std::mutex>& lock);
  void writeNext(std::unique_lock<std::mutex>& lock);
  void maintain(std::unique_lock<std::mutex>& lock);
  void settle(Job job, const Result<void>& written);
  void keep(Job job, const QString& sentence);
  void resume();
  void report(Outcome outcome);
  void reportAll(const Job& job, Outcome::Kind kind, const QString& sentence = {});

  Result<void> openStore();
  Result<void> perform(const Job& job);
  Q_INVOKABLE void reportOutcomes();

  const QString m_folder;
  std::unique_ptr<ConversationStore> m_store;  ///< Touched by the writer's thread only.

  std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  std::deque<Job> m_queue;
  Job m_current;  ///< What is being written, without its `write`, while m_writing.
  std::vector<Outcome> m_outcomes;
  Ticket m_lastTicket = 0;
  bool m_writing = false;
  bool m_stopping = false;
  bool m_retryNow = false;
  std::optional<QString> m_pause;  ///< Why, while it lasts.
  quint64 m_numPauses = 0;         ///< How often the disk took nothing.
  std::chrono::milliseconds m_retryDelay{0};
  Clock::time_point m_retryAt;
  std::optional<Clock::time_point> m_maintainAt;  ///< None: there is nothing to maintain.

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
