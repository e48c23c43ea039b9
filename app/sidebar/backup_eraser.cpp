#include "app/sidebar/backup_eraser.h"

#include <QSet>

#include "app/store/setting_keys.h"

namespace quire {
namespace {

constexpr int kFlushMs = 200;
constexpr int kRetryMs = 2000;
constexpr int kLastShownMs = 4000;

}  // namespace

BackupEraser::BackupEraser(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session) {
  m_worker.setMaxThreadCount(1);
  m_lastShown.setSingleShot(true);
  m_lastShown.setInterval(kLastShownMs);
  connect(&m_lastShown, &QTimer::timeout, this, [this] { say({}); });
}

BackupEraser::~BackupEraser() {
  m_stop.release();
  m_worker.waitForDone();
}

void BackupEraser::offer(const QString& name, const QList<ErasedChat>& chats) {
  m_isAsking = false;
  m_name = name;
  m_chats = chats;
  endOffer();
  m_listing.run(
      [folder = m_session.folder()](const std::stop_token&) {
        return !listBackups(folder, /*count=*/false).isEmpty();
      },
      [this](bool isAny) {
        m_isOffered = isAny;
        emit changed();
      });
}

void BackupEraser::endOffer() {
  m_listing.cancel();
  m_isOffered = false;
  emit changed();
}

void BackupEraser::cancel() {
  m_isAsking = false;
  endOffer();
}

void BackupEraser::ask() {
  if (!m_isOffered) return;
  m_isAsking = true;
  emit changed();
}

void BackupEraser::dismiss() {
  m_isAsking = false;
  emit changed();
}

// Noted before the chats leave the store, so that the next start makes good a kill between the two.
void BackupEraser::erase() {
  if (!m_isAsking) return;
  cancel();
  m_pending.append(m_chats);
  storePending();
  emit confirmed();
  begin();
}

QList<ErasedChat> BackupEraser::resume() {
  if (!m_pending.isEmpty()) return {};  // Chats were imported; this run has work of its own.
  m_pending = erasedChats(m_session.setting(setting_keys::kErasing));
  const QSet<ErasedChat> failed(m_failed.cbegin(), m_failed.cend());
  m_pending.removeIf([&](const ErasedChat& chat) { return failed.contains(chat); });
  if (!m_pending.isEmpty()) {
    // After the caller has deleted the chats.
    QMetaObject::invokeMethod(this, &BackupEraser::begin, Qt::QueuedConnection);
  }
  return m_pending;
}

bool BackupEraser::waitOrStop(int ms) {
  if (!m_stop.tryAcquire(1, ms)) return false;
  m_stop.release();
  return true;
}

// The newest last: of very many the reader keeps the last.
void BackupEraser::storePending() {
  m_session.putSetting(setting_keys::kErasing, erasedChatsText(m_failed + m_pending));
}

void BackupEraser::showProgress(int done, int total) {
  constexpr int kShownAfterMs = 400;
  if (m_since.elapsed() < kShownAfterMs) return;
  say(tr("Deleting from backup %1 of %2…").arg(done + 1).arg(total));
}

void BackupEraser::say(const QString& text) {
  m_lastShown.stop();
  m_progressText = text;
  emit progressChanged();
}

void BackupEraser::begin() {
  m_since.start();
  m_worker.start([this, chats = m_pending, writer = &m_session.writer()] {
    // A backup that is made before the chats have left the store would hold them again.
    while (!writer->flush(kFlushMs)) {
      if (waitOrStop(kRetryMs)) return;
    }
    const auto erased = eraseNow(chats);
    if (isStopping()) return;
    QMetaObject::invokeMethod(
        this, [this, chats, erased] { settle(chats, erased); }, Qt::QueuedConnection);
  });
}

/// Thread: the worker's.
Result<int> BackupEraser::eraseNow(const QList<ErasedChat>& chats) {
  const auto progress = [this](int done, int total) {
    QMetaObject::invokeMethod(
        this, [this, done, total] { showProgress(done, total); }, Qt::QueuedConnection);
  };
  return removeFromBackups(
      m_session.folder(), chats, [this] { return isStopping(); }, progress);
}

void BackupEraser::settle(const QList<ErasedChat>& chats, const Result<int>& erased) {
  const QSet<ErasedChat> tried(chats.cbegin(), chats.cend());
  const auto isTried = [&](const ErasedChat& chat) { return tried.contains(chat); };
  m_pending.removeIf(isTried);
  m_failed.removeIf(isTried);
  if (!erased) m_failed.append(chats);
  storePending();
  say(erased ? tr("Deleted from the backups too.") : QString());
  if (erased) return m_lastShown.start();
  emit failed(QString::fromStdString(erased.error().message));
}

}  // namespace quire
