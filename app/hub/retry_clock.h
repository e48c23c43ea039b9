#pragma once

#include <QRandomGenerator>

#include <algorithm>
#include <optional>

namespace quire {

/// How long to wait between tries, and in all.
struct RetryLimits {
  qint64 firstMs = 1'000;
  qint64 mostMs = 300'000;
  qint64 mostAskedMs = 3'600'000;   ///< A hub that asks to wait longer is not waited for.
  qint64 giveUpMs = 6 * 3'600'000;  ///< Without a byte.
};

/// When to try again: after pauses that double, of which a random half is left out so that many
/// clients do not come at once.
class RetryClock {
 public:
  explicit RetryClock(const RetryLimits& limits) : m_limits(limits) {}

  /// Bytes came at this time.
  void progressed(qint64 nowMs) {
    m_sinceMs = nowMs;
    m_numFailures = 0;
  }
  /// The pause after a failure; nothing: no more. askedMs: of Retry-After; below 0: none.
  std::optional<qint64> next(qint64 nowMs, qint64 askedMs) {
    if (m_sinceMs < 0) m_sinceMs = nowMs;
    if (nowMs - m_sinceMs >= m_limits.giveUpMs || askedMs > m_limits.mostAskedMs) return {};
    const int doublings = std::min(m_numFailures++, 20);
    const qint64 most = std::min(m_limits.firstMs << doublings, m_limits.mostMs);
    const qint64 pause = most / 2 + static_cast<qint64>(m_random.generateDouble() * most / 2);
    return std::max(pause, askedMs);
  }

 private:
  RetryLimits m_limits;
  QRandomGenerator m_random = QRandomGenerator::securelySeeded();
  qint64 m_sinceMs = -1;  ///< When the last byte came, or the first failure.
  int m_numFailures = 0;
};

}  // namespace quire
