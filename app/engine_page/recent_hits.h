#pragma once

#include <QtGlobal>

#include <deque>

namespace quire {

/// How many of the prompts' tokens came from the cache: since the counters began, and lately.
/// Thread: one.
/// Invariants: counters that go back began anew; nothing from before is counted with them.
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

  /// Other counters from now on, which stand so: what they counted before is not recent.
  void restart(const Counts& total);
  /// The counters as they stand.
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
