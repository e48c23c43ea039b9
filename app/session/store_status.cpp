#include "app/session/store_status.h"

#include <QEventLoop>
#include <QTimer>

#include <utility>

#include "app/store/data_folder.h"
#include "app/store/database.h"

namespace quire {

StoreStatus::StoreStatus(DataSession& session, std::function<Result<void>()> load, QObject* parent)
    : QObject(parent), m_session(session), m_load(std::move(load)) {
  connect(&session, &DataSession::writeFailed, this, &StoreStatus::setWriteError);
  connect(&session, &DataSession::writePaused, this, &StoreStatus::setPauseReason);
  connect(&session, &DataSession::writeResumed, this, [this] { setPauseReason({}); });
}

void StoreStatus::open() {
  if (m_isOpen || isOpening()) return;
  if (m_session.isOpen()) return openNow();
  m_tasks.run([folder = m_session.folder(), lock = m_session.lock()](
                  std::stop_token) { return DataSession::prepare(folder, lock); },
              [this](Result<DataSession::Prepared> prepared) {
                finish(prepared ? m_session.open(std::move(*prepared)) : prepared.error());
              });
  emit changed();
}

void StoreStatus::wait(int timeoutMs) {
  if (!isOpening()) return;
  QEventLoop loop;
  connect(this, &StoreStatus::changed, &loop, &QEventLoop::quit);
  QTimer::singleShot(timeoutMs, &loop, &QEventLoop::quit);
  loop.exec();
}

void StoreStatus::openNow() {
  if (!m_isOpen && !isOpening()) finish(m_session.open());
}

void StoreStatus::finish(const Result<void>& result) {
  const Result<void> loaded = result ? m_load() : result;
  m_isOpen = loaded.has_value();
  m_error = loaded ? QString() : QString::fromStdString(loaded.error().message);
  if (result && !loaded) m_session.close();  // The store may have to be replaced.
  // First those who decide what the window shows: it would begin with the chats where a welcome is
  // due.
  if (m_isOpen) emit opened();
  emit changed();
  if (!m_isOpen) emit failed(loaded.error().code);
}

bool StoreStatus::isDamaged() const {
  return isDamageNoted(storePath(m_session.folder()));
}

void StoreStatus::setWriteError(const QString& error) {
  if (error == m_writeError) return;
  m_writeError = error;
  m_canRescue = !error.isEmpty() && isDamaged();
  emit writeErrorChanged();
}

void StoreStatus::setPauseReason(const QString& reason) {
  if (reason == m_pauseReason) return;
  m_pauseReason = reason;
  emit pauseChanged();
}

void StoreStatus::startRescue() {
  m_isReopenWanted = true;
  emit closeWanted();
}

}  // namespace quire
