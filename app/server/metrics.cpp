#include "app/server/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "kernels/base/check.h"

namespace quire {
namespace {

/// As Go reads it, whatever the locale.
std::string numberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  const auto written = std::to_chars(std::begin(text), std::end(text), value);
  return std::string(text, written.ptr);
}

/// As the value of a label.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string labelsText(const MetricLabels& labels, std::string_view bound = {}) {
  if (labels.empty() && bound.empty()) return {};
  std::string out = "{";
  for (const auto& [name, value] : labels) {
    if (out.size() > 1) out += ',';
    out += name + "=\"" + escaped(value) + '"';
  }
  if (!bound.empty()) {
    if (out.size() > 1) out += ',';
    out += "le=\"" + std::string(bound) + '"';
  }
  return out + '}';
}

void writeHistogram(std::string& out, const std::string& name, const MetricLabels& labels,
                    const MetricHistogram& histogram) {
  const MetricHistogram::Snapshot snapshot = histogram.snapshot();
  uint64_t count = 0;
  for (size_t i = 0; i < snapshot.counts.size(); ++i) {
    const bool isLast = i == histogram.bounds().size();
    count += snapshot.counts[i];
    out += name + "_bucket" +
           labelsText(labels, isLast ? "+Inf" : numberText(histogram.bounds()[i])) + ' ' +
           std::to_string(count) + '\n';
  }
  out += name + "_sum" + labelsText(labels) + ' ' + numberText(snapshot.sum) + '\n';
  out += name + "_count" + labelsText(labels) + ' ' + std::to_string(count) + '\n';
}

}  // namespace

void MetricCounter::add(double amount) {
  const std::lock_guard lock(m_mutex);
  if (amount > 0.0) m_value += amount;
}

void MetricCounter::setTotal(double total) {
  const std::lock_guard lock(m_mutex);
  m_value += total < m_lastTotal ? total : total - m_lastTotal;
  m_lastTotal = total;
}

double MetricCounter::value() const {
  const std::lock_guard lock(m_mutex);
  return m_value;
}

MetricHistogram::MetricHistogram(std::vector<double> bounds) : m_bounds(std::move(bounds)) {
  CHECK(std::is_sorted(m_bounds.begin(), m_bounds.end()));
  m_snapshot.counts.resize(m_bounds.size() + 1);
}

void MetricHistogram::observe(double value) {
  if (std::isnan(value)) return;
  const auto bound = std::lower_bound(m_bounds.begin(), m_bounds.end(), value);
  const std::lock_guard lock(m_mutex);
  ++m_snapshot.counts[static_cast<size_t>(bound - m_bounds.begin())];
  m_snapshot.sum += value;
}

MetricHistogram::Snapshot MetricHistogram::snapshot() const {
  const std::lock_guard lock(m_mutex);
  return m_snapshot;
}

MetricRegistry::Series& MetricRegistry::find(Kind kind, std::string_view name,
                                             std::string_view help, MetricLabels labels) {
  auto family = m_families.find(name);
  if (family == m_families.end()) {
    family = m_families.emplace(name, Family{.kind = kind, .help = std::string(help)}).first;
  }
  CHECK(family->second.kind == kind);
  auto& series = family->second.series;
  if (series.size() >= kMaxSeries && !series.contains(labels)) {
    for (auto& label : labels) label.second = "other";
  }
  return series[std::move(labels)];
}

MetricCounter& MetricRegistry::counter(std::string_view name, std::string_view help,
                                       MetricLabels labels) {
  const std::lock_guard lock(m_mutex);
  auto& counter = find(Kind::kCounter, name, help, std::move(labels)).counter;
  if (!counter) counter = std::make_unique<MetricCounter>();
  return *counter;
}

MetricGauge& MetricRegistry::gauge(std::string_view name, std::string_view help,
                                   MetricLabels labels) {
  const std::lock_guard lock(m_mutex);
  auto& gauge = find(Kind::kGauge, name, help, std::move(labels)).gauge;
  if (!gauge) gauge = std::make_unique<MetricGauge>();
  return *gauge;
}

MetricHistogram& MetricRegistry::histogram(std::string_view name, std::string_view help,
                                           const std::vector<double>& bounds, MetricLabels labels) {
  const std::lock_guard lock(m_mutex);
  auto& histogram = find(Kind::kHistogram, name, help, std::move(labels)).histogram;
  if (!histogram) histogram = std::make_unique<MetricHistogram>(bounds);
  return *histogram;
}

void MetricRegistry::write(std::string& out, const std::string& name, const Family& family) {
  constexpr const char* kKinds[] = {"counter", "gauge", "histogram"};
  out += "# HELP " + name + ' ' + family.help + '\n';
  out += "# TYPE " + name + ' ' + kKinds[static_cast<int>(family.kind)] + '\n';
  for (const auto& [labels, series] : family.series) {
    if (series.histogram) {
      writeHistogram(out, name, labels, *series.histogram);
      continue;
    }
    const double value = series.counter ? series.counter->value() : series.gauge->value();
    out += name + labelsText(labels) + ' ' + numberText(value) + '\n';
  }
}

std::string MetricRegistry::text() const {
  const std::lock_guard lock(m_mutex);
  std::string out;
  for (const auto& [name, family] : m_families) write(out, name, family);
  return out;
}

}  // namespace quire
