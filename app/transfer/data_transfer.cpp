#include "app/transfer/data_transfer.h"

#include <QDateTime>

#include <optional>
#include <utility>

#include "app/store/backup/store_rescue.h"
#include "app/store/database.h"
#include "app/store/visible_string.h"
#include "app/transfer/file_dialogs.h"

namespace quire {
namespace {

/// How long a job waits until the end of an answer is on the disk.
constexpr int kSettleMs = 5000;

bool isMarkdownName(const QString& path) {
  return path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive);
}

Result<MergeReport> noReport(const Result<void>& result) {
  if (!result) return result.error();
  return MergeReport();
}

/// `make` is backUpNow or backUpDaily.
auto backUpJob(decltype(quire::backUpNow)* make, const QString& folder) {
  return [=](const Progress& progress) -> Result<MergeReport> {
    const auto made =
        make(folder, {}, QDateTime::currentDateTime(), [&progress] { return !progress(0, 0); });
    if (!made) return made.error();
    MergeReport report;
    report.backedUp = made->has_value();
    return report;
  };
}

/// Qt 6.4's own dialog returns the path of a file to write without a scheme.
QString pathOf(const QUrl& file) {
  return file.scheme().isEmpty() ? file.path() : file.toLocalFile();
}

void addReport(MergeReport& sum, const MergeReport& report) {
  sum.chatsAdded += report.chatsAdded;
  sum.chatsCompleted += report.chatsCompleted;
  sum.chatsKnown += report.chatsKnown;
  sum.chatsDamaged += report.chatsDamaged;
  sum.completed += report.completed;
}

/// Merges a store that a rescue put aside. It is forgotten once it is merged, or if it can never be
/// read.
Result<MergeReport> mergeKeptStore(const QString& folder, const QString& path, IdSource& ids,
                                   const Progress& progress) {
  const auto kept = openFileForReading(path);
  if (!kept && !mayBeReadLater(kept.error())) {
    forgetStoreToMerge(folder, path);
    const QString sentence = DataTransfer::tr(
        "The damaged file \"%1\" is gone or can no longer be read. Its chats were not taken "
        "over.");
    return Error{kept.error().code, sentence.arg(path).toStdString()};
  }
  const auto merged = quire::resumeMerge(folder, path, ids, progress);
  if (merged) {
    forgetStoreToMerge(folder, path);
    return merged;
  }
  const QString sentence = DataTransfer::tr(
      "%1 Chats of the damaged file are still missing; the next start tries again to add them.");
  return Error{merged.error().code,
               sentence.arg(QString::fromStdString(merged.error().message)).toStdString()};
}

}  // namespace

DataTransfer::DataTransfer(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session), m_backups(session.folder()) {
  connect(&m_backupTimer, &QTimer::timeout, this, [this] {
    m_backupTimer.setInterval(m_againMs);
    backUpDaily();
  });
}

void DataTransfer::start(Kind kind, const QString& doing, const QString& name, const Job& job) {
  if (isBusy() || !m_session.isOpen()) return;
  m_kind = kind;
  m_name = name;
  m_doing = doing;
  m_result.clear();
  m_hasFailed = false;
  m_progress = 0.0;
  m_tasks.run(
      [this, job, &writer = m_session.writer()](const std::stop_token& stop) {
        const bool isAllSaved = writer.flush(kSettleMs) && writer.unsaved().failure.isEmpty();
        const auto report = job(
            [this, &stop](qint64 done, qint64 total) { return reportProgress(done, total, stop); });
        return std::pair(report, isAllSaved);
      },
      [this](const std::pair<Result<MergeReport>, bool>& outcome) {
        const auto& [report, isAllSaved] = outcome;
        if (report) return onFinished(*report, isAllSaved);
        end(visibleString(QString::fromStdString(report.error().message)), true);
        if (isMerge()) emit merged({});  // What was merged before stays.
      });
  emit progressChanged();
  emit changed();
}

/// Thread: the worker's.
bool DataTransfer::reportProgress(qint64 done, qint64 total, const std::stop_token& stop) {
  constexpr qint64 kIntervalMs = 50;
  const qint64 now = QDateTime::currentMSecsSinceEpoch();
  if (total > 0 && (now - m_lastProgressMs >= kIntervalMs || done == total)) {
    m_lastProgressMs = now;
    const auto show = [this, share = static_cast<double>(done) / static_cast<double>(total)] {
      m_progress = share;
      emit progressChanged();
    };
    QMetaObject::invokeMethod(this, show, Qt::QueuedConnection);
  }
  return !stop.stop_requested();
}

void DataTransfer::end(const QString& result, bool hasFailed) {
  m_doing.clear();
  m_result = result;
  m_hasFailed = hasFailed;
  emit changed();
  // Errors and the result of a rescue stay until they are dismissed.
  if (hasFailed || result.isEmpty() || isRestore()) return;
  QTimer::singleShot(m_readingMs, this, [this, result] {
    if (result == m_result && !m_hasFailed) dismissResult();
  });
}

QString DataTransfer::newsText() const {
  if (isBusy()) return m_doing;
  return m_hasFailed ? QString() : m_result;
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
  if (path.isEmpty()) return;
  QList<RecordId> ids;
  if (chatId != 0) ids = m_targetsOf ? m_targetsOf(chatId) : QList<RecordId>{chatId};
  const auto write = isMarkdownName(path) ? exportMarkdown : exportJson;
  start(Kind::Export, tr("Exporting…"), path,
        [=, folder = m_session.folder()](const Progress& progress) {
          return noReport(write(folder, ids, path, progress));
        });
}

void DataTransfer::importFrom(const QUrl& file) {
  const QString path = file.toLocalFile();
  if (path.isEmpty() || !m_session.isOpen()) return;
  const auto read = isMarkdownName(path) ? importMarkdown : importJson;
  start(Kind::Import, tr("Importing…"), path,
        [=, folder = m_session.folder(), &ids = m_session.ids()](const Progress& progress) {
          return read(folder, path, ids, progress);
        });
}

void DataTransfer::backUpNow() {
  start(Kind::BackUp, tr("Backing up…"), {}, backUpJob(quire::backUpNow, m_session.folder()));
}

void DataTransfer::backUpDaily() {
  start(Kind::Daily, tr("Backing up…"), {}, backUpJob(quire::backUpDaily, m_session.folder()));
}

void DataTransfer::keepBackingUp(int firstMs, int againMs) {
  m_againMs = againMs;
  m_backupTimer.start(firstMs);
}

void DataTransfer::mergeStore(const QString& path) {
  if (path.isEmpty() || !m_session.isOpen()) return;
  start(Kind::Restore, tr("Restoring missing chats…"), path,
        [=, folder = m_session.folder(), &ids = m_session.ids()](const Progress& progress) {
          return quire::mergeStore(folder, path, ids, progress);
        });
}

void DataTransfer::mergeKept() {
  if (!m_session.isOpen()) return;
  const QStringList kept = storesToMerge(m_session.folder());
  if (kept.isEmpty()) return;
  start(Kind::MergeKept, tr("Restoring missing chats…"), kept.constFirst(),
        [=, folder = m_session.folder(),
         &ids = m_session.ids()](const Progress& progress) -> Result<MergeReport> {
          MergeReport sum;
          std::optional<Error> failed;
          for (const QString& path : kept) {
            const auto merged = mergeKeptStore(folder, path, ids, progress);
            if (merged) addReport(sum, *merged);
            if (!merged && !failed) failed = merged.error();
            // Only one merge can be resumed.
            if (storesToMerge(folder).contains(path)) break;
          }
          if (failed) return *failed;
          return sum;
        });
}

void DataTransfer::cancel() {
  if (!isBusy()) return;
  m_tasks.cancel();
  end(m_kind == Kind::MergeKept ? tr("Cancelled. The next start tries again to add the chats.")
                                : tr("Cancelled."),
      true);
  if (!isMerge()) return;
  m_tasks.post([this] {  // After the cancelled job, whose merged chats and settings stay.
    QMetaObject::invokeMethod(
        this, [this] { emit merged({}); }, Qt::QueuedConnection);
  });
}

void DataTransfer::dismissResult() {
  m_result.clear();
  emit changed();
}

void DataTransfer::onFinished(const MergeReport& report, bool isAllSaved) {
  switch (m_kind) {
    case Kind::Export:
      return end(isAllSaved ? tr("Written to %1.").arg(visibleString(m_name))
                            : tr("Written to %1, without the changes that could not be saved yet. "
                                 "Export again when they are saved.")
                                  .arg(visibleString(m_name)),
                 !isAllSaved);
    case Kind::Daily:
      m_backups.refresh();
      return end({}, false);
    case Kind::BackUp:
      m_backups.refresh();
      if (!isAllSaved) {
        return end(tr("Changes that could not be saved yet are not in the backup. Back up again "
                      "when they are saved."),
                   true);
      }
      return end(report.backedUp
                     ? tr("The backup was made.")
                     : tr("Nothing has changed since the latest backup, so none was made."),
                 false);
    case Kind::Import:
    case Kind::Restore:
    case Kind::MergeKept:
      end(mergeText(report), false);
      emit merged(report.completed);
  }
}

/// "Added 12 chats. Completed 3 chats. You already had 40 chats."
QString DataTransfer::mergeText(const MergeReport& report) const {
  QStringList sentences;
  if (report.chatsAdded > 0) sentences += tr("Added %n chat(s).", nullptr, report.chatsAdded);
  if (report.chatsCompleted > 0)
    sentences += tr("Completed %n chat(s).", nullptr, report.chatsCompleted);
  if (sentences.isEmpty() && report.chatsDamaged > 0) {
    sentences += tr("Nothing could be added.");
  } else if (sentences.isEmpty() && report.chatsKnown > 0) {
    return tr("Nothing new: you already have %n chat(s).", nullptr, report.chatsKnown);
  } else if (sentences.isEmpty()) {
    sentences += tr("Nothing new.");
  } else if (report.chatsKnown > 0) {
    sentences += tr("You already had %n chat(s).", nullptr, report.chatsKnown);
  }
  if (report.chatsDamaged > 0)
    sentences += tr("Damaged, and only partly readable: %1.").arg(report.chatsDamaged);
  return sentences.join(u' ');
}

}  // namespace quire
