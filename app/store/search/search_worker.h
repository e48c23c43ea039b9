#pragma once

#include <QObject>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/store/search/search_query.h"
#include "kernels/base/result.h"

namespace quire {

class Database;

/// Searches without the window ever waiting: a thread with a connection of its own that only reads.
/// The newest question wins: an older one that is waiting or being answered is given up, and its
/// answer never comes.
///
/// Thread: the window's for every call and signal.
/// Invariants: `found` or `failed` comes for the last question, once, unless it was cancelled.
class SearchWorker : public QObject {
  Q_OBJECT

 public:
  /// `folder` as for ConversationStore::open, which must have made or migrated the file before the
  /// first question.
  explicit SearchWorker(const QString& folder, QObject* parent = nullptr);
  ~SearchWorker() override;

  /// A number that rises; the answer bears it.
  quint64 ask(const SearchQuestion& question);
  void cancel();

 signals:
  void found(quint64 number, const SearchAnswer& answer);
  void failed(quint64 number, const QString& sentence);

 private:
  struct Outcome {
    quint64 number = 0;
    Result<SearchAnswer> answer;
  };

  void run();
  Result<SearchAnswer> answer(const SearchQuestion& question, quint64 number);
  Q_INVOKABLE void reportOutcome();

  const QString m_folder;
  std::unique_ptr<Database> m_database;  ///< Touched by the worker's thread only.

  std::atomic<quint64> m_number = 0;  ///< Of the newest question; also read while one is answered.
  std::mutex m_mutex;                 ///< Guards everything below.
  std::condition_variable m_changed;
  std::optional<SearchQuestion> m_question;
  std::optional<Outcome> m_outcome;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
