#include "app/chat/text_clock.h"

#include <algorithm>

namespace quire {

TextClock::TextClock(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setTimerType(Qt::PreciseTimer);
  connect(&m_timer, &QTimer::timeout, this, &TextClock::tick);
}

void TextClock::wake() {
  if (m_timer.isActive()) return;
  // Whole milliseconds, cut off: what is left to wait is never less than it must be.
  const qint64 waited = m_sinceLast.isValid() ? m_sinceLast.elapsed() : kIntervalMs;
  m_timer.start(static_cast<int>(std::max<qint64>(0, kIntervalMs - waited)));
}

void TextClock::tick() {
  m_sinceLast.start();
  emit due();
}

}  // namespace quire
