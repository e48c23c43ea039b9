#pragma once

#include <algorithm>

#include <QtGlobal>

namespace quire {

/// A limit of bytes a second that several downloads share. What is used beyond it is waited for.
/// Thread: one at a time.
class SpeedLimit {
 public:
  /// 0: no limit.
  void setBytesPerSecond(qint64 bytes) { m_bytesPerSecond = bytes; }

  /// Bytes were received at this time; how long to wait before the next ones.
  qint64 use(qint64 bytes, qint64 nowMs) {
    if (m_bytesPerSecond <= 0) return 0;
    m_paidUntilMs = std::max(m_paidUntilMs, static_cast<double>(nowMs));
    m_paidUntilMs += 1000.0 * static_cast<double>(bytes) / static_cast<double>(m_bytesPerSecond);
    return static_cast<qint64>(m_paidUntilMs) - nowMs;
  }

 private:
  qint64 m_bytesPerSecond = 0;
  double m_paidUntilMs = 0.0;
};

/// The speed of the last seconds.
class SpeedMeter {
 public:
  void add(qint64 bytes, qint64 nowMs) {
    if (m_sinceMs < 0) m_sinceMs = nowMs;
    m_bytes += bytes;
    const qint64 elapsed = nowMs - m_sinceMs;
    if (elapsed < kSliceMs) return;
    const double now = 1000.0 * static_cast<double>(m_bytes) / static_cast<double>(elapsed);
    m_perSecond = m_perSecond <= 0.0 ? now : 0.7 * m_perSecond + 0.3 * now;
    m_bytes = 0;
    m_sinceMs = nowMs;
  }
  void reset() { *this = {}; }
  qint64 bytesPerSecond() const { return static_cast<qint64>(m_perSecond); }

 private:
  static constexpr qint64 kSliceMs = 500;
  qint64 m_bytes = 0;
  qint64 m_sinceMs = -1;
  double m_perSecond = 0.0;
};

}  // namespace quire
