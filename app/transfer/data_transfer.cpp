#include "app/transfer/data_transfer.h"

#include <QFileInfo>
#include <QTimer>

#include <utility>

#include "app/transfer/file_dialogs.h"

namespace quire {
namespace {

/// How long an export waits for the end of an answer that is still on its way to the disk.
constexpr int kSettleMs = 5000;

bool isMarkdownName(const QString& path) {
  return path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
}

/// Qt 6.4's own dialog gives the path of a file to be written without a scheme.
QString pathOf(const QUrl& file) {
  return file.scheme().isEmpty() ? file.path() : file.toLocalFile();
}

}  // namespace

DataTransfer::DataTransfer(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session), m_backups(session.folder()) {
  connect(&m_backupTimer, &QTimer::timeout, this, [this] {
    m_backupTimer.setInterval(m_againMs);
    backUpDaily();
  });
}

DataTransfer::~DataTransfer() = default;

bool DataTransfer::begin(Kind kind, const QString& doing, const QString& name) {
  if (isBusy() || !m_session.isOpen()) return false;
  if (!m_worker) {
    m_worker = std::make_unique<TransferWorker>(m_session.folder(), m_session.ids());
    m_worker->setSettle([&writer = m_session.writer()] { writer.flush(kSettleMs); });
    connect(m_worker.get(), &TransferWorker::progressed, this, [this](double share) {
      m_progress = share;
      emit progressChanged();
    });
    connect(m_worker.get(), &TransferWorker::finished, this, &DataTransfer::onFinished);
    connect(m_worker.get(), &TransferWorker::failed, this, [this](const QString& sentence) {
      end(std::exchange(m_isCancelled, false) ? tr("Cancelled.") : sentence, true);
    });
  }
  m_kind = kind;
  m_name = name;
  m_doing = doing;
  m_result.clear();
  m_progress = 0.0;
  m_isCancelled = false;
  emit progressChanged();
  emit changed();
  return true;
}

void DataTransfer::end(const QString& result, bool hasFailed) {
  m_doing.clear();
  m_result = result;
  m_hasFailed = hasFailed;
  emit changed();
  // What went wrong, and how a rescue ended, stay until they are put away.
  if (hasFailed || result.isEmpty() || m_kind == Kind::Restore) return;
  QTimer::singleShot(m_readingMs, this, [this, result] {
    if (result == m_result && !m_hasFailed) dismissResult();
  });
}

bool DataTransfer::mayAsk() {
  const QString fault = fileDialogFault();
  if (fault.isEmpty() || isBusy()) return fault.isEmpty();
  m_kind = Kind::Export;
  end(fault, true);
  return false;
}

void DataTransfer::exportTo(qint64 chatId, const QUrl& file) {
  const QString path = pathOf(file);
  if (path.isEmpty() || !begin(Kind::Export, tr("Exporting…"), path)) return;
  QList<RecordId> ids;
  if (chatId != 0) ids = m_targetsOf ? m_targetsOf(chatId) : QList<RecordId>{chatId};
  if (isMarkdownName(path)) {
    m_worker->exportMarkdown(ids, path);
  } else {
    m_worker->exportJson(ids, path);
  }
}

void DataTransfer::importFrom(const QUrl& file) {
  const QString path = file.toLocalFile();
  if (path.isEmpty() || !begin(Kind::Import, tr("Importing…"), path)) return;
  if (isMarkdownName(path)) {
    m_worker->importMarkdown(path);
  } else {
    m_worker->importJson(path);
  }
}

void DataTransfer::backUpNow() {
  if (begin(Kind::BackUp, tr("Backing up…"), {})) m_worker->backUpNow(BackupPolicy());
}

void DataTransfer::backUpDaily() {
  if (begin(Kind::Daily, tr("Backing up…"), {})) m_worker->backUp(BackupPolicy());
}

void DataTransfer::keepBackingUp(int firstMs, int againMs) {
  m_againMs = againMs;
  m_backupTimer.start(firstMs);
}

void DataTransfer::restore(int row) {
  bringIn(m_backups.pathAt(row));
}

void DataTransfer::bringIn(const QString& storePath) {
  if (storePath.isEmpty()) return;
  if (!begin(Kind::Restore, tr("Bringing back what is missing…"), storePath)) return;
  m_worker->restoreMerging(storePath);
}

void DataTransfer::cancel() {
  if (!isBusy()) return;
  m_isCancelled = true;
  m_worker->cancel();
}

void DataTransfer::dismissResult() {
  m_result.clear();
  emit changed();
}

void DataTransfer::onFinished(const MergeReport& report) {
  switch (m_kind) {
    case Kind::Export:
      return end(tr("Written to %1.").arg(m_name), false);
    case Kind::Daily:
      m_backups.refresh();
      return end({}, false);  // It stands in the list of backups, if there was anything to keep.
    case Kind::BackUp:
      m_backups.refresh();
      return end(report.backedUp ? tr("A backup of this moment was made.")
                                 : tr("Nothing has changed since the latest backup, so no other "
                                      "was made."),
                 false);
    case Kind::Import:
    case Kind::Restore:
      end(mergeText(report), false);
      emit broughtIn(report.completed);
  }
}

/// "12 chats came in, 3 got what they lacked. 40 were here already."
QString DataTransfer::mergeText(const MergeReport& report) const {
  QStringList sentences;
  const int numNew = report.chatsAdded + report.chatsCompleted;
  if (numNew == 0 && report.chatsDamaged > 0) {
    sentences.append(tr("Nothing could be taken over."));
  } else if (numNew == 0) {
    sentences.append(tr("Nothing was missing here."));
  } else if (report.chatsCompleted == 0) {
    sentences.append(numNew == 1 ? tr("1 chat came in.") : tr("%1 chats came in.").arg(numNew));
  } else {
    sentences.append(tr("%1 chats came in, and %2 got what they lacked.")
                         .arg(report.chatsAdded)
                         .arg(report.chatsCompleted));
  }
  if (report.chatsKnown > 0) {
    sentences.append(tr("Here already, and left as they are: %1.").arg(report.chatsKnown));
  }
  if (report.chatsDamaged > 0) {
    sentences.append(
        tr("Damaged, and readable only in part or not at all: %1.").arg(report.chatsDamaged));
  }
  return sentences.join(u' ');
}

}  // namespace quire
