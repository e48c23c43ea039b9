#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.h"

namespace quire::bench {

/// What was measured of one thing, in the order in which it is printed. The key is the unit:
/// "us", "GB/s", "tokens/s"; shares ("of copy", "of matrix", "of the whole") are 1 for all of it.
using Values = std::vector<std::pair<std::string, double>>;

/// A line of the table.
struct Figure {
  std::string section;
  std::string name;
  Values values;
  std::string reason = {};  ///< Why there are no values.
  bool has_failed = false;  ///< The device failed; otherwise it was not run.
};

/// A line of targets.md and what became of it.
struct TargetResult {
  std::string text;
  std::string state;   ///< "reached", "missed", "failed" or "not run".
  std::string detail;  ///< The figure, or why it was not run.
};

/// Collects the figures and prints each at once, so that one may watch; as JSON they are written
/// after each section, so that what was measured outlives this process.
/// Thread: one.
class Report {
 public:
  /// Where the figures go as JSON: {"device": ..., "figures": {name: {key: number}}, "targets":
  /// [...]}; a figure that was not run is {"not run": reason}, or {"failed": reason}. Errors: kIo.
  Result<void> open_json(const std::string& path);
  /// The description of what is measured, or why nothing is.
  void set_device(const std::string& description) { m_device = description; }

  void begin_section(const std::string& name, const std::string& explanation);
  void add(const std::string& name, Values values);
  void add_not_run(const std::string& name, const std::string& reason);
  /// "failed" if it is the device that failed, otherwise "not run". After the device was lost, what
  /// else goes wrong is of no interest: the reason is that failure then.
  void add_error(const std::string& name, const Error& error, Backend& backend);
  void add_failed(const std::string& name, const std::string& reason);
  /// How the device was lost; empty if it was not.
  const std::string& loss() const { return m_loss; }
  /// Whether anything failed.
  bool has_failed() const;

  std::optional<double> value(const std::string& name, const std::string& key) const;
  /// The figure of that name if it has no values, or null.
  const Figure* without_values(const std::string& name) const;
  const std::vector<Figure>& figures() const { return m_figures; }

  /// The last word of the JSON, if any was asked for. Errors: kIo.
  Result<void> write_json(const std::vector<TargetResult>& targets) const;

 private:
  std::string m_json_path;
  std::string m_device;
  std::string m_section;
  std::string m_loss;
  std::vector<Figure> m_figures;
};

/// "81.3 % of copy", "12.4 us".
std::string format_value(const std::string& key, double value);

}  // namespace quire::bench
