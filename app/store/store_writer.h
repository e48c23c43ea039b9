#pragma once

#include <QObject>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/store/conversation_store.h"

namespace quire {

/// Writes to the conversation store without the window ever waiting for the disk: a thread with a
/// ConversationStore of its own takes what is queued, in order.
///
/// Every call returns at once with a ticket; `committed` follows when its data is durable, `failed`
/// with a sentence for the user when it is not. Tickets rise and their signals come in the same
/// order, save for checkpoints: one that finds an older one of its answer still queued takes its
/// place in the queue, and both tickets are committed together. Checkpoints and ends of answers
/// whose chat has been removed meanwhile are dropped and count as committed: there is nothing left
/// to keep.
///
/// Thread: the window's for every call and signal; the writing is done on another.
/// Invariants: the destructor writes everything that is queued before it returns.
class StoreWriter : public QObject {
  Q_OBJECT

 public:
  using Ticket = quint64;

  /// `folder` as for ConversationStore::open. It is opened on the writer's thread, with the first
  /// thing to write; where that fails each ticket fails with the reason and the next one tries
  /// again.
  explicit StoreWriter(const QString& folder, QObject* parent = nullptr);
  ~StoreWriter() override;

  Ticket beginTurn(const ChatRecord& chat, const std::optional<MessageRecord>& userMessage,
                   const MessageRecord& answer, const QList<AttachmentRecord>& attachments = {});
  Ticket checkpointAnswer(RecordId messageId, const QString& text, const QList<qint32>& tokens);
  Ticket finishAnswer(const MessageRecord& answer, const std::optional<OriginRecord>& origin = {});
  Ticket putChat(const ChatRecord& chat);
  Ticket removeChat(RecordId id);
  Ticket putPersona(const PersonaRecord& persona);
  Ticket removePersona(RecordId id);
  Ticket putFolder(const FolderRecord& folder);
  Ticket removeFolder(RecordId id);
  Ticket createChat(const NewChat& chat);
  Ticket removeMessages(RecordId chatId, const QList<RecordId>& ids);
  Ticket putModelSettings(const ModelSettings& settings);
  Ticket putSetting(const QString& key, const QString& value);

  /// Waits until everything queued has been tried, at most `timeoutMs`: for leaving the program.
  /// False if time ran out first. The signals come later, from the event loop.
  bool flush(int timeoutMs);

 signals:
  void committed(quint64 ticket);
  void failed(quint64 ticket, const QString& sentence);

 private:
  using Write = std::function<Result<void>(ConversationStore&)>;
  struct Job {
    std::vector<Ticket> tickets = {};  ///< More than one where checkpoints were joined.
    RecordId checkpointOf = 0;         ///< The answer, for a checkpoint; 0 for all else.
    bool mayBeMissing = false;         ///< kNotFound means that its chat was removed.
    Write write = {};
  };
  struct Outcome {
    Ticket ticket = 0;
    QString error;  ///< Empty: committed.
  };

  Ticket enqueue(Job job);
  void run();
  Job* queuedCheckpoint(RecordId messageId);  ///< Null for none, and for id 0. Needs m_mutex.
  QString perform(const Job& job);
  Q_INVOKABLE void reportOutcomes();

  const QString m_folder;
  std::unique_ptr<ConversationStore> m_store;  ///< Touched by the writer's thread only.

  std::mutex m_mutex;  ///< Guards everything below.
  std::condition_variable m_changed;
  std::deque<Job> m_queue;
  std::vector<Outcome> m_outcomes;
  Ticket m_lastTicket = 0;
  bool m_writing = false;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
