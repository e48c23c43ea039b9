#include "app/engine/block_watch.h"

namespace quire {

void BlockWatch::setOn(bool on) {
  m_isStale = on;
  m_isOn = on;
  m_lastMap = {};
}

bool BlockWatch::takeDue(Clock::time_point now, bool isLast) {
  if (!m_isOn || !m_isStale || (!isLast && now - m_lastMap < kInterval)) return false;
  m_lastMap = now;
  m_isStale = false;
  return true;
}

}  // namespace quire
