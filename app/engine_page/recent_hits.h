#pragma once

#include <QtGlobal>

#include <deque>

namespace quire {

/// How many prompt tokens came from the cache, in total and in the last ten minutes.
/// Thread: one.
/// Invariants: a decrease of the counters means that they were reset; earlier counts are dropped.
class RecentHits {
 public:
  static constexpr qint64 kWindowMs = 600'000;

  struct Counts {
    quint64 prompt = 0;
    quint64 cached = 0;
    double part() const {
      return prompt > 0 ? static_cast<double>(cached) / static_cast<double>(prompt) : 0.0;
    }
    bool operator==(const Counts&) const = default;
  };

  /// Switches to other counters with these values, which do not count as recent.
  void restart(const Counts& total);
  /// Adds the current values of the counters.
  void add(qint64 nowMs, const Counts& total);
  Counts total() const { return m_total; }
  Counts recent(qint64 nowMs) const;

 private:
  struct Change {
    qint64 atMs = 0;
    Counts more;
  };
  Counts m_total;
  std::deque<Change> m_changes;  ///< Of the last ten minutes.
};

}  // namespace quire
