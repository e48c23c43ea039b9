#include "app/transfer/store_rescue.h"

#include "app/store/database.h"
#include "app/store/visible_string.h"

namespace quire {

StoreRescue::StoreRescue(const QString& folder, QObject* parent)
    : QObject(parent), m_folder(folder), m_backups(folder), m_viewer(storePath(folder)) {}

/// Runs the job on the worker thread, then `then` with its result on the window's thread.
template <typename Job, typename Then>
void StoreRescue::run(const Job& job, const Then& then) {
  if (isBusy()) return;
  m_error.clear();
  m_tasks.run([job](std::stop_token stop) { return job([stop] { return stop.stop_requested(); }); },
              [this, then](const auto& result) {
                then(result);
                emit changed();
              });
  emit changed();
}

void StoreRescue::diagnose() {
  run([folder = m_folder](const GivenUp& givenUp) { return diagnoseStore(folder, givenUp); },
      [this](const StoreDiagnosis& diagnosis) {
        m_diagnosis = diagnosis;
        m_backups.setBackups(diagnosis.backups);
      });
}

QString StoreRescue::findings() const {
  if (!canHelp()) return {};
  if (!m_diagnosis.isReadable || m_diagnosis.numChats < 0) {
    return tr("Nothing in it can be read. Whatever you choose, the damaged file is kept.");
  }
  return tr("%n chat(s) can still be listed. Whatever you choose, the damaged file is kept.",
            nullptr, m_diagnosis.numChats);
}

QString StoreRescue::freshText() const {
  return m_diagnosis.isReadable ? tr("Start fresh with what can be read") : tr("Start fresh");
}

void StoreRescue::restore(int row) {
  const QString backup = m_backups.pathAt(row);
  if (backup.isEmpty()) return;
  run([folder = m_folder,
       backup](const GivenUp& givenUp) { return restoreBackup(folder, backup, givenUp); },
      [this](const Result<QString>& kept) { finish(kept); });
}

void StoreRescue::startFresh() {
  run([folder = m_folder](const GivenUp&) { return startAfresh(folder); },
      [this](const Result<QString>& kept) { finish(kept); });
}

/// The receiver of mended() merges the readable chats of the damaged file into the new store.
void StoreRescue::finish(const Result<QString>& kept) {
  if (!kept) {
    m_error = visibleString(QString::fromStdString(kept.error().message));
    return;
  }
  emit mended(m_diagnosis.isReadable ? *kept : QString());
}

}  // namespace quire
