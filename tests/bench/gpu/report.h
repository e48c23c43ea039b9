#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/result.h"

namespace quire::bench {

/// What was measured of one thing, in the order in which it is printed. The key is the unit:
/// "us", "GB/s", "tokens/s"; shares ("of copy", "of matrix", "of the whole") are 1 for all of it.
using Values = std::vector<std::pair<std::string, double>>;

/// A line of the table; `not_run` says why there are no values.
struct Figure {
  std::string section;
  std::string name;
  Values values;
  std::string not_run;
};

/// A line of targets.md and what became of it.
struct TargetResult {
  std::string text;
  std::string state;   ///< "reached", "missed" or "not run".
  std::string detail;  ///< The figure, or why it was not run.
};

/// Collects the figures and prints each at once, so that one may watch.
/// Thread: one.
class Report {
 public:
  void begin_section(const std::string& name, const std::string& explanation);
  void add(const std::string& name, Values values);
  void add_not_run(const std::string& name, const std::string& reason);

  std::optional<double> value(const std::string& name, const std::string& key) const;
  /// Why the figure was not run; empty if it was, or if nobody asked for it.
  std::string why_not_run(const std::string& name) const;
  const std::vector<Figure>& figures() const { return m_figures; }

  /// Errors: kIo. {"device": ..., "figures": {name: {key: number}}, "targets": [...]}; a figure
  /// that was not run is {"not run": reason}.
  Result<void> write_json(const std::string& path, const std::string& device,
                          const std::vector<TargetResult>& targets) const;

 private:
  std::string m_section;
  std::vector<Figure> m_figures;
};

/// "81.3 % of copy", "12.4 us".
std::string format_value(const std::string& key, double value);

}  // namespace quire::bench
