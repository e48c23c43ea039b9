#pragma once

#include <chrono>
#include <optional>

#include "app/engine/model_state.h"

namespace quire {

/// The progress of a load and its remaining time, estimated from the smoothed rate of reading.
/// Thread: one. Invariants: fraction() never decreases until restart().
class LoadClock {
 public:
  using Clock = std::chrono::steady_clock;

  void restart() { *this = {}; }
  void note(LoadPhase phase, quint64 doneBytes, quint64 totalBytes, Clock::time_point now);

  LoadPhase phase() const { return m_phase; }
  double fraction() const { return m_fraction; }
  double secondsLeft() const { return m_secondsLeft; }  ///< Negative if not known yet.
  quint64 doneBytes() const { return m_doneBytes; }
  quint64 totalBytes() const { return m_totalBytes; }

 private:
  void measure(Clock::time_point now);

  LoadPhase m_phase = LoadPhase::kNone;
  double m_fraction = 0.0;
  double m_secondsLeft = -1.0;
  quint64 m_doneBytes = 0;
  quint64 m_totalBytes = 0;
  std::optional<Clock::time_point> m_began;  ///< When reading the weights began.
  Clock::time_point m_sampled;
  quint64 m_sampledBytes = 0;
  double m_bytesPerSecond = 0.0;  ///< Smoothed; 0 if not measured.
};

}  // namespace quire
