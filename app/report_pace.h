#pragma once

#include <QElapsedTimer>

namespace quire {

/// Lets some of many reports of a task pass to the window: the first, and then at most one in so
/// many milliseconds. Thread: one at a time.
class ReportPace {
 public:
  explicit ReportPace(int intervalMs) : m_intervalMs(intervalMs) {}

  /// `isNews`: it passes in any case, such as the first of a stage or the last.
  bool passes(bool isNews = false) {
    if (!isNews && m_since.isValid() && m_since.elapsed() < m_intervalMs) return false;
    m_since.start();
    return true;
  }

 private:
  const int m_intervalMs;
  QElapsedTimer m_since;
};

}  // namespace quire
