#pragma once

#include <chrono>

namespace quire {

/// Decides when the map of the engine's blocks is worth drawing again: only while someone looks,
/// only after something happened, and no more than some four times a second while work goes on.
/// Thread: the engine's.
class BlockWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{250};

  /// Someone begins to look, who needs a first map, or no view needs it any more.
  void setOn(bool on);
  /// Something happened to the blocks.
  void touch() { m_isStale = true; }
  /// Whether a map is to be made now; true is said once for what happened. With the last of the
  /// work there is no waiting: no later step would bring the map.
  bool takeDue(Clock::time_point now, bool isLast);

 private:
  bool m_isOn = false;
  bool m_isStale = false;
  Clock::time_point m_lastMap = {};
};

}  // namespace quire
