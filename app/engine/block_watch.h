#pragma once

#include <chrono>

namespace quire {

/// Decides when to send a new map of the engine's blocks: only while the map is watched, only after
/// a change, and at most four times a second during work. Thread: the engine's.
class BlockWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{250};

  /// Starts or stops watching. The first map is due immediately.
  void setOn(bool on) {
    m_isStale = m_isOn = on;
    m_lastMap = {};
  }
  /// The blocks have changed.
  void touch() { m_isStale = true; }
  /// Whether a map is due; true once for each change. After the last step of the work (`isLast`)
  /// the map is due at once, because no later step would make it.
  bool takeDue(Clock::time_point now, bool isLast) {
    if (!m_isOn || !m_isStale || (!isLast && now - m_lastMap < kInterval)) return false;
    m_lastMap = now;
    m_isStale = false;
    return true;
  }

 private:
  bool m_isOn = false;
  bool m_isStale = false;
  Clock::time_point m_lastMap = {};
};

}  // namespace quire
