#include "app/session/quit_guard.h"

#include <utility>

namespace quire {
namespace {

constexpr int kQuitCheckMs = 20;
constexpr int kPatienceMs = 4000;  ///< How long to wait for a slow disk before asking the user.

}  // namespace

QuitGuard::QuitGuard(DataSession& session, const Step& saveDrafts, const Step& endAll,
                     QObject* parent)
    : QObject(parent), m_session(session), m_saveDrafts(saveDrafts), m_endAll(endAll) {
  m_timer.setInterval(kQuitCheckMs);
  connect(&m_timer, &QTimer::timeout, this, &QuitGuard::check);
  connect(&session, &DataSession::writePaused, this, [this](const QString& sentence) {
    m_pause = sentence;
    if (m_timer.isActive()) ask();
  });
  connect(&session, &DataSession::writeResumed, this, [this] { m_pause.clear(); });
}

bool QuitGuard::mayClose() {
  if (m_mayQuit || !m_session.isOpen()) return true;
  m_saveDrafts();
  if (isAllSaved()) return true;
  m_session.retryWriting();
  m_waiting.start();
  m_timer.start();
  return false;
}

bool QuitGuard::isAllSaved() {
  m_unsaved = m_session.writer().unsaved();
  // Lost words are not waited for: they would keep the answers from being ended for ever.
  if (m_unsaved.isQueued || std::exchange(m_isEnded, true)) return m_unsaved.isNothing();
  m_endAll();
  m_unsaved = m_session.writer().unsaved();
  return m_unsaved.isNothing();
}

void QuitGuard::check() {
  if (isAllSaved()) return leave();
  const bool isHopeless = !m_pause.isEmpty() || !m_unsaved.isQueued;
  if (isHopeless || m_waiting.elapsed() > kPatienceMs) ask();
}

void QuitGuard::ask() {
  m_unsaved = m_session.writer().unsaved();
  m_isAsking = true;
  emit changed();
}

QString QuitGuard::title() const {
  return m_unsaved.messages > 0 ? tr("%n message(s) not saved yet", nullptr, m_unsaved.messages)
                                : tr("The latest changes are not saved yet");
}

QString QuitGuard::words() const {
  if (!m_unsaved.failure.isEmpty()) return m_unsaved.failure;
  const QString reason = m_pause.isEmpty() ? tr("The disk is slow.") : m_pause;
  return reason + u' ' + tr("Quire keeps trying and closes once everything is saved.");
}

QString QuitGuard::loseText() const {
  return m_unsaved.messages > 0 ? tr("Quit and lose %n message(s)", nullptr, m_unsaved.messages)
                                : tr("Quit and lose the latest changes");
}

void QuitGuard::keepTrying() {
  if (!m_isAsking) return;
  m_timer.stop();
  m_isAsking = false;
  m_isEnded = false;
  m_session.retryWriting();
  emit changed();
  emit keptOpen();
}

void QuitGuard::leave() {
  m_timer.stop();
  m_mayQuit = true;
  m_isAsking = false;
  emit changed();
  emit closeWanted();
}

}  // namespace quire
