#include "app/transfer/store_rescue.h"

#include <algorithm>

#include "app/store/database.h"
#include "app/store/visible_string.h"

namespace quire {

StoreRescue::StoreRescue(DataSession& session, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_backups(session.folder()),
      m_viewer(storePath(session.folder())) {}

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

void StoreRescue::diagnose(ErrorCode openingError) {
  if (isBusy()) return;
  m_openingError = openingError;
  m_diagnosis = {};
  // The store of a Quire that is running is neither damaged nor ours to replace.
  if (!m_session.isLocked()) return emit changed();
  run([folder =
           m_session.folder()](const GivenUp& givenUp) { return diagnoseStore(folder, givenUp); },
      [this](const StoreDiagnosis& diagnosis) {
        m_diagnosis = diagnosis;
        m_backups.setBackups(diagnosis.backups);
      });
}

// Before the diagnosis there is no path.
bool StoreRescue::canStartFresh() const {
  if (m_diagnosis.path.isEmpty()) return false;
  return m_diagnosis.state == StoreState::Damaged || m_openingError == ErrorCode::kCorruptFile;
}

bool StoreRescue::canHelp() const {
  const bool isUnreadable =
      m_diagnosis.state == StoreState::Unusable && m_openingError == ErrorCode::kIo;
  if (canStartFresh()) return true;
  if (!isUnreadable && m_diagnosis.state != StoreState::NotOurs) return false;
  const auto& backups = m_diagnosis.backups;
  return std::any_of(backups.cbegin(), backups.cend(),
                     [](const Backup& backup) { return backup.numChats >= 0; });
}

QString StoreRescue::findings() const {
  if (!canHelp()) return {};
  if (!canStartFresh()) {
    return tr("A backup can take its place. The file is then kept under another name.");
  }
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
  if (backup.isEmpty() || !canHelp()) return;
  run([folder = m_session.folder(),
       backup](const GivenUp& givenUp) { return restoreBackup(folder, backup, givenUp); },
      [this](const Result<QString>& kept) { finish(kept); });
}

void StoreRescue::startFresh() {
  if (!canStartFresh()) return;
  run([folder = m_session.folder()](const GivenUp&) { return startAfresh(folder); },
      [this](const Result<QString>& kept) { finish(kept); });
}

void StoreRescue::finish(const Result<QString>& kept) {
  if (!kept) {
    m_error = visibleString(QString::fromStdString(kept.error().message));
    return;
  }
  m_diagnosis = {};  // It was the old store's.
  emit mended();
}

}  // namespace quire
