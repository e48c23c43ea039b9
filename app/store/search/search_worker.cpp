#include "app/store/search/search_worker.h"

#include <utility>

#include "app/store/database.h"

namespace quire {

SearchWorker::SearchWorker(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder), m_thread([this] { run(); }) {}

SearchWorker::~SearchWorker() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    ++m_number;
  }
  m_changed.notify_all();
  m_thread.join();
}

quint64 SearchWorker::ask(const SearchQuestion& question) {
  quint64 number = 0;
  {
    const std::lock_guard lock(m_mutex);
    number = ++m_number;
    m_question = question;
    m_outcome.reset();
  }
  m_changed.notify_all();
  return number;
}

void SearchWorker::cancel() {
  const std::lock_guard lock(m_mutex);
  ++m_number;
  m_question.reset();
  m_outcome.reset();
}

void SearchWorker::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [this] { return m_stopping || m_question; });
    if (m_stopping) break;
    const SearchQuestion question = *std::exchange(m_question, std::nullopt);
    const quint64 number = m_number;
    lock.unlock();
    auto result = answer(question, number);
    lock.lock();
    if (number != m_number) continue;
    m_outcome = Outcome{number, std::move(result)};
    QMetaObject::invokeMethod(this, "reportOutcome", Qt::QueuedConnection);
  }
  m_database.reset();
}

Result<SearchAnswer> SearchWorker::answer(const SearchQuestion& question, quint64 number) {
  if (!m_database) {
    auto opened = openStoreForReading(m_folder);
    if (!opened) return opened.error();
    m_database = std::move(*opened);
  }
  const auto cancelled = [this, number] { return m_number.load() != number; };
  const auto watch = m_database->interruptWhen(cancelled);
  auto result = askIndex(*m_database, question, cancelled);
  // After a restore there may be another file in its place.
  if (!result && !cancelled()) m_database.reset();
  return result;
}

void SearchWorker::reportOutcome() {
  std::optional<Outcome> outcome;
  {
    const std::lock_guard lock(m_mutex);
    outcome.swap(m_outcome);
  }
  if (!outcome) return;
  if (outcome->answer) {
    emit found(outcome->number, *outcome->answer);
  } else {
    emit failed(outcome->number, QString::fromStdString(outcome->answer.error().message));
  }
}

}  // namespace quire
