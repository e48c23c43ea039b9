#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quire {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

/// A number that only grows. Thread: any.
class MetricCounter {
 public:
  void add(double amount = 1.0);
  /// Of a total that is counted elsewhere; a smaller one than before is the start of a new count,
  /// which is added to the old.
  void setTotal(double total);
  double value() const;

 private:
  mutable std::mutex m_mutex;
  double m_value = 0.0;
  double m_lastTotal = 0.0;
};

/// Thread: any.
class MetricGauge {
 public:
  void set(double value) { m_value = value; }
  double value() const { return m_value; }

 private:
  std::atomic<double> m_value{0.0};
};

/// How many values were at most each bound, and their sum. Thread: any.
class MetricHistogram {
 public:
  /// `bounds` grow.
  explicit MetricHistogram(std::vector<double> bounds);
  void observe(double value);

  struct Snapshot {
    std::vector<uint64_t> counts;  ///< Of each bound and beyond the last, not cumulated.
    double sum = 0.0;
  };
  Snapshot snapshot() const;
  const std::vector<double>& bounds() const { return m_bounds; }

 private:
  const std::vector<double> m_bounds;
  mutable std::mutex m_mutex;
  Snapshot m_snapshot;
};

/// Metrics by name and labels, written in Prometheus' text format (version 0.0.4).
///
/// A metric is made when it is first asked for, and stays where it is: callers keep the reference
/// or ask again. Names and label names are the program's own, [a-z_]; label values may be anything.
/// Invariants: a name has one kind, help text and list of label names. A name has at most
/// kMaxSeries series: what comes after them is counted together, with all label values "other".
/// Thread: any.
class MetricRegistry {
 public:
  static constexpr size_t kMaxSeries = 200;

  MetricCounter& counter(std::string_view name, std::string_view help, MetricLabels labels = {});
  MetricGauge& gauge(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// `bounds` are those of the first call for the name.
  MetricHistogram& histogram(std::string_view name, std::string_view help,
                             const std::vector<double>& bounds, MetricLabels labels = {});

  std::string text() const;
  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  enum class Kind { kCounter, kGauge, kHistogram };
  struct Series {
    std::unique_ptr<MetricCounter> counter;
    std::unique_ptr<MetricGauge> gauge;
    std::unique_ptr<MetricHistogram> histogram;
  };
  struct Family {
    Kind kind;
    std::string help;
    std::map<MetricLabels, Series> series;
  };
  Series& find(Kind kind, std::string_view name, std::string_view help, MetricLabels labels);
  static void write(std::string& out, const std::string& name, const Family& family);

  mutable std::mutex m_mutex;
  std::map<std::string, Family, std::less<>> m_families;
};

}  // namespace quire
