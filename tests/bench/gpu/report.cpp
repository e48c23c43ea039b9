#include "tests/bench/gpu/report.h"

#include <cmath>
#include <cstdio>
#include <fstream>

namespace quire::bench {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    // Control characters are not JSON; a reason may hold a line break.
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::isfinite(value) ? text : "null";
}

std::string json_of(const Figure& figure) {
  if (!figure.not_run.empty()) return "{\"not run\": " + quoted(figure.not_run) + "}";
  std::string out = "{";
  for (const auto& [key, value] : figure.values) {
    out += (out.size() > 1 ? ", " : "") + quoted(key) + ": " + number(value);
  }
  return out + "}";
}

std::string json_of(const TargetResult& target) {
  return "{\"target\": " + quoted(target.text) + ", \"state\": " + quoted(target.state) +
         ", \"detail\": " + quoted(target.detail) + "}";
}

bool is_share(const std::string& key) {
  return key.starts_with("of ") || key.starts_with("launch gaps");
}

int decimals(double value) {
  const double size = std::fabs(value);
  return size >= 1000.0 ? 0 : size >= 100.0 ? 1 : size >= 1.0 ? 2 : 4;
}

}  // namespace

std::string format_value(const std::string& key, double value) {
  char text[120];
  if (is_share(key)) {
    std::snprintf(text, sizeof text, "%.1f %% %s", 100.0 * value, key.c_str());
  } else {
    std::snprintf(text, sizeof text, "%.*f %s", decimals(value), value, key.c_str());
  }
  return text;
}

void Report::begin_section(const std::string& name, const std::string& explanation) {
  m_section = name;
  std::printf("\n%s: %s\n", name.c_str(), explanation.c_str());
}

void Report::add(const std::string& name, Values values) {
  std::string line;
  for (const auto& [key, value] : values) {
    char cell[120];
    std::snprintf(cell, sizeof cell, " %18s", format_value(key, value).c_str());
    line += cell;
  }
  std::printf("  %-52s%s\n", name.c_str(), line.c_str());
  std::fflush(stdout);
  m_figures.push_back({m_section, name, std::move(values), {}});
}

void Report::add_not_run(const std::string& name, const std::string& reason) {
  std::printf("  %-52s not run: %s\n", name.c_str(), reason.c_str());
  std::fflush(stdout);
  m_figures.push_back({m_section, name, {}, reason});
}

std::optional<double> Report::value(const std::string& name, const std::string& key) const {
  for (const Figure& figure : m_figures) {
    if (figure.name != name) continue;
    for (const auto& [unit, value] : figure.values) {
      if (unit == key) return value;
    }
  }
  return {};
}

std::string Report::why_not_run(const std::string& name) const {
  for (const Figure& figure : m_figures) {
    if (figure.name == name && !figure.not_run.empty()) return figure.not_run;
  }
  return {};
}

Result<void> Report::write_json(const std::string& path, const std::string& device,
                                const std::vector<TargetResult>& targets) const {
  std::ofstream file(path);
  file << "{\n\"device\": " << quoted(device) << ",\n\"figures\": {";
  const char* separator = "\n";
  for (const Figure& figure : m_figures) {
    file << separator << "  " << quoted(figure.name) << ": " << json_of(figure);
    separator = ",\n";
  }
  file << "\n},\n\"targets\": [";
  separator = "\n";
  for (const TargetResult& target : targets) {
    file << separator << "  " << json_of(target);
    separator = ",\n";
  }
  file << "\n]\n}\n";
  file.close();
  if (file) return {};
  return Error{ErrorCode::kIo, path + " cannot be written; is the disk full?"};
}

}  // namespace quire::bench
