#include "app/session/quit_guard.h"

#include <QLocale>

namespace quire {
namespace {

constexpr int kQuitCheckMs = 20;
constexpr int kPatienceMs = 4000;  ///< A slow disk is waited for; then somebody wants to know.

}  // namespace

QuitGuard::QuitGuard(DataSession& session, const std::function<void()>& prepare, QObject* parent)
    : QObject(parent), m_session(session), m_prepare(prepare) {
  m_timer.setInterval(kQuitCheckMs);
  connect(&m_timer, &QTimer::timeout, this, &QuitGuard::look);
  connect(&session, &DataSession::writePaused, this, [this](const QString& sentence) {
    m_pause = sentence;
    if (m_timer.isActive()) ask();
  });
  connect(&session, &DataSession::writeResumed, this, [this] { m_pause.clear(); });
}

bool QuitGuard::mayClose() {
  if (m_mayQuit || !m_session.isOpen()) return true;
  m_prepare();
  m_unsaved = m_session.writer().unsaved();
  if (m_unsaved.isNothing()) return true;
  m_session.retryWriting();
  m_waiting.start();
  m_timer.start();
  return false;
}

void QuitGuard::look() {
  m_unsaved = m_session.writer().unsaved();
  if (m_unsaved.isNothing()) return leave();
  if (!m_pause.isEmpty() || m_waiting.elapsed() > kPatienceMs) ask();
}

void QuitGuard::ask() {
  m_unsaved = m_session.writer().unsaved();
  m_isAsking = true;
  emit changed();
}

QString QuitGuard::title() const {
  if (m_unsaved.messages == 1) return tr("One message is not saved yet");
  if (m_unsaved.messages > 1) {
    return tr("%1 messages are not saved yet").arg(QLocale().toString(m_unsaved.messages));
  }
  return tr("The latest changes are not saved yet");
}

QString QuitGuard::words() const {
  const QString then =
      tr("While this question stands, Quire goes on trying, and closes when all is saved.");
  return m_pause.isEmpty() ? tr("The disk is slow.") + u' ' + then : m_pause + u' ' + then;
}

QString QuitGuard::loseText() const {
  if (m_unsaved.messages == 1) return tr("Quit and lose 1 message");
  if (m_unsaved.messages > 1) {
    return tr("Quit and lose %1 messages").arg(QLocale().toString(m_unsaved.messages));
  }
  return tr("Quit and lose the latest changes");
}

void QuitGuard::keepTrying() {
  if (!m_isAsking) return;
  m_timer.stop();
  m_isAsking = false;
  m_session.retryWriting();
  emit changed();
}

void QuitGuard::quitAnyway() {
  leave();
}

void QuitGuard::leave() {
  m_timer.stop();
  m_mayQuit = true;
  m_isAsking = false;
  emit changed();
  emit closeWanted();
}

}  // namespace quire
