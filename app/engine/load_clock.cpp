#include "app/engine/load_clock.h"

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

// The fractions at which the phases end, roughly.
constexpr double kHeadEnd = 0.02;
constexpr double kWeightsEnd = 0.97;
constexpr double kPreparingEnd = 0.98;

constexpr double kSampleSeconds = 0.25;
constexpr double kSmoothingSeconds = 3.0;
/// A rate is reliable only after so much time and so much of the bytes.
constexpr double kLeastSeconds = 1.5;
constexpr double kLeastShare = 0.03;

double seconds(LoadClock::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double fractionAt(LoadPhase phase, double share) {
  switch (phase) {
    case LoadPhase::kNone:
    case LoadPhase::kWaiting:
    case LoadPhase::kHead:
      return 0.0;
    case LoadPhase::kWeights:
      return kHeadEnd + (kWeightsEnd - kHeadEnd) * share;
    case LoadPhase::kPreparing:
      return kWeightsEnd;
    case LoadPhase::kCache:
      return kPreparingEnd;
  }
  return 0.0;
}

}  // namespace

void LoadClock::note(LoadPhase phase, quint64 doneBytes, quint64 totalBytes,
                     Clock::time_point now) {
  m_phase = phase;
  m_totalBytes = std::max(m_totalBytes, totalBytes);
  m_doneBytes = std::min(std::max(m_doneBytes, doneBytes), m_totalBytes);
  const double share = m_totalBytes == 0
                           ? 0.0
                           : static_cast<double>(m_doneBytes) / static_cast<double>(m_totalBytes);
  m_fraction = std::max(m_fraction, fractionAt(phase, share));
  if (phase == LoadPhase::kWeights) return measure(now);
  if (phase == LoadPhase::kPreparing || phase == LoadPhase::kCache) m_secondsLeft = 0.0;
}

void LoadClock::measure(Clock::time_point now) {
  if (!m_began) {
    m_began = m_sampled = now;
    m_sampledBytes = m_doneBytes;
    return;
  }
  const double passed = seconds(now - m_sampled);
  if (passed < kSampleSeconds) return;
  const double rate = static_cast<double>(m_doneBytes - m_sampledBytes) / passed;
  const double weight = m_bytesPerSecond == 0.0 ? 1.0 : 1.0 - std::exp(-passed / kSmoothingSeconds);
  m_bytesPerSecond += weight * (rate - m_bytesPerSecond);
  m_sampled = now;
  m_sampledBytes = m_doneBytes;
  const auto left = static_cast<double>(m_totalBytes - m_doneBytes);
  const bool isMeaningful = seconds(now - *m_began) >= kLeastSeconds && m_bytesPerSecond > 0.0 &&
                            left <= (1.0 - kLeastShare) * static_cast<double>(m_totalBytes);
  if (isMeaningful) m_secondsLeft = left / m_bytesPerSecond;
}

}  // namespace quire
