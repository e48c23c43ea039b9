#include "app/transfer/store_rescue.h"

#include <QDir>
#include <QLocale>

namespace quire {

StoreRescue::StoreRescue(const QString& folder, QObject* parent)
    : QObject(parent),
      m_folder(folder),
      m_backups(folder),
      m_viewer(QDir(folder).absoluteFilePath(QStringLiteral("quire.db"))) {}

QString StoreRescue::storePath() const {
  return QDir(m_folder).absoluteFilePath(QStringLiteral("quire.db"));
}

StoreRescue::~StoreRescue() {
  m_isLeaving = true;
  if (m_thread.joinable()) m_thread.join();
}

/// Does the work on a thread, and what it returns on the window's.
void StoreRescue::run(const std::function<std::function<void()>()>& work) {
  if (m_isBusy) return;
  if (m_thread.joinable()) m_thread.join();  // It has ended: it only has to be taken down.
  m_isBusy = true;
  m_error.clear();
  emit changed();
  m_thread = std::thread([this, work] {
    const std::function<void()> then = work();
    QMetaObject::invokeMethod(
        this,
        [this, then] {
          m_isBusy = false;
          then();
          emit changed();
        },
        Qt::QueuedConnection);
  });
}

void StoreRescue::look() {
  run([this, folder = m_folder]() -> std::function<void()> {
    const StoreDiagnosis diagnosis = diagnoseStore(folder, [this] { return m_isLeaving.load(); });
    return [this, diagnosis] {
      m_diagnosis = diagnosis;
      m_backups.setBackups(diagnosis.backups);
    };
  });
}

QString StoreRescue::findings() const {
  if (!canHelp()) return {};
  if (!m_diagnosis.isReadable || m_diagnosis.numChats < 0) {
    return tr("Nothing of it can be read. Whatever you choose, the damaged file is kept.");
  }
  return tr("%1 of its chats can still be listed. Whatever you choose, the damaged file is kept.")
      .arg(QLocale().toString(m_diagnosis.numChats));
}

QString StoreRescue::freshText() const {
  return m_diagnosis.isReadable ? tr("Start afresh with what can be read") : tr("Start afresh");
}

void StoreRescue::restore(int row) {
  const QString backup = m_backups.pathAt(row);
  if (backup.isEmpty()) return;
  run([this, backup, folder = m_folder]() -> std::function<void()> {
    const Result<QString> kept =
        restoreBackup(folder, backup, [this] { return m_isLeaving.load(); });
    return [this, kept] { finish(kept); };
  });
}

void StoreRescue::startAfresh() {
  run([this, folder = m_folder]() -> std::function<void()> {
    const Result<QString> kept = quire::startAfresh(folder);
    return [this, kept] { finish(kept); };
  });
}

/// A backup lacks what was written since: that, too, is taken from the file that is kept.
void StoreRescue::finish(const Result<QString>& kept) {
  if (!kept) {
    m_error = QString::fromStdString(kept.error().message);
    return;
  }
  emit mended(m_diagnosis.isReadable ? *kept : QString());
}

}  // namespace quire
