#include "app/session/write_pause.h"

namespace quire {

WritePause::WritePause(DataSession& session, QObject* parent)
    : QObject(parent), m_session(session) {
  connect(&session, &DataSession::writePaused, this, &WritePause::set);
  connect(&session, &DataSession::writeResumed, this, [this] { set({}); });
}

void WritePause::set(const QString& sentence) {
  if (sentence == m_sentence) return;
  m_sentence = sentence;
  emit changed();
}

void WritePause::tryNow() {
  m_session.retryWriting();
}

}  // namespace quire
