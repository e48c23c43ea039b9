#include "app/store/transfer/transfer_worker.h"

#include <QDateTime>

#include "app/store/transfer/transfer.h"

namespace quire {
namespace {

Result<MergeReport> nothingCameIn(const Result<void>& result) {
  if (!result) return result.error();
  return MergeReport();
}

}  // namespace

TransferWorker::TransferWorker(const QString& folder, IdSource& ids, QObject* parent)
    : QObject(parent), m_folder(folder), m_ids(ids) {}

TransferWorker::~TransferWorker() {
  m_cancelled = true;
  if (m_thread.joinable()) m_thread.join();
}

bool TransferWorker::exportJson(const QList<RecordId>& chatIds, const QString& path) {
  return start([=, this] {
    return nothingCameIn(quire::exportJson(
        m_folder, chatIds, path, [this](qint64 a, qint64 b) { return onProgress(a, b); }));
  });
}

bool TransferWorker::exportMarkdown(const QList<RecordId>& chatIds, const QString& path) {
  return start([=, this] {
    return nothingCameIn(quire::exportMarkdown(
        m_folder, chatIds, path, [this](qint64 a, qint64 b) { return onProgress(a, b); }));
  });
}

bool TransferWorker::importJson(const QString& path) {
  return start([=, this] {
    return quire::importJson(m_folder, path, m_ids,
                             [this](qint64 a, qint64 b) { return onProgress(a, b); });
  });
}

bool TransferWorker::importMarkdown(const QString& path) {
  return start([=, this] {
    return quire::importMarkdown(m_folder, path, m_ids,
                                 [this](qint64 a, qint64 b) { return onProgress(a, b); });
  });
}

bool TransferWorker::restoreMerging(const QString& backupPath) {
  return start([=, this] {
    return mergeStore(m_folder, backupPath, m_ids,
                      [this](qint64 a, qint64 b) { return onProgress(a, b); });
  });
}

bool TransferWorker::backUp(const BackupPolicy& policy) {
  return start([=, this]() -> Result<MergeReport> {
    const auto made = backUpDaily(m_folder, policy, QDateTime::currentDateTime(),
                                  [this] { return m_cancelled.load(); });
    if (!made) return made.error();
    return MergeReport();
  });
}

bool TransferWorker::backUpNow(const BackupPolicy& policy) {
  return start([=, this]() -> Result<MergeReport> {
    const auto made = quire::backUpNow(m_folder, policy, QDateTime::currentDateTime(),
                                       [this] { return m_cancelled.load(); });
    if (!made) return made.error();
    MergeReport report;
    report.backedUp = made->has_value();
    return report;
  });
}

void TransferWorker::cancel() {
  m_cancelled = true;
}

bool TransferWorker::start(Work work) {
  if (m_isBusy) return false;
  if (m_thread.joinable()) m_thread.join();
  m_isBusy = true;
  m_cancelled = false;
  m_thread = std::thread([this, work = std::move(work)] {
    if (m_settle) m_settle();
    auto result = work();
    QMetaObject::invokeMethod(
        this, [this, result = std::move(result)] { onDone(result); }, Qt::QueuedConnection);
  });
  return true;
}

/// On the working thread.
bool TransferWorker::onProgress(qint64 done, qint64 total) {
  constexpr qint64 kIntervalMs = 50;
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  if (total > 0 && (now - m_lastProgressMs >= kIntervalMs || done == total)) {
    m_lastProgressMs = now;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    QMetaObject::invokeMethod(
        this, [this, share] { emit progressed(share); }, Qt::QueuedConnection);
  }
  return !m_cancelled;
}

void TransferWorker::onDone(const Result<MergeReport>& result) {
  m_isBusy = false;
  if (result) {
    emit finished(*result);
  } else {
    emit failed(QString::fromStdString(result.error().message));
  }
}

}  // namespace quire
