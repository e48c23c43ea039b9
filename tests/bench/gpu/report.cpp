#include "tests/bench/gpu/report.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

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
  if (!figure.reason.empty()) {
    return (figure.has_failed ? "{\"failed\": " : "{\"not run\": ") + quoted(figure.reason) + "}";
  }
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

/// A lost device repeats its failure for ever; any other is forgotten once it was reported.
bool is_lost(Backend& backend) {
  return !backend.synchronize() && !backend.synchronize();
}

Result<void> write_file(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  bool is_written = file != nullptr;
  if (is_written) {
    is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int reason = errno;
    // The buffer's end is written here.
    if (std::fclose(file) != 0) {
      is_written = false;
    } else if (!is_written) {
      errno = reason;
    }
  }
  if (is_written) return {};
  return Error{ErrorCode::kIo, path + " cannot be written: " + std::strerror(errno) + "."};
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

Result<void> Report::open_json(const std::string& path) {
  m_json_path = path;
  return write_json({});
}

void Report::begin_section(const std::string& name, const std::string& explanation) {
  // The disk may be full meanwhile: the last write says so.
  static_cast<void>(write_json({}));
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

void Report::add_failed(const std::string& name, const std::string& reason) {
  std::printf("  %-52s failed: %s\n", name.c_str(), reason.c_str());
  std::fflush(stdout);
  m_figures.push_back({m_section, name, {}, reason, true});
}

void Report::add_error(const std::string& name, const Error& error, Backend& backend) {
  const bool is_device = error.code == ErrorCode::kDevice;
  if (m_loss.empty() && is_device && is_lost(backend)) m_loss = error.message;
  if (!m_loss.empty()) return add_failed(name, m_loss);
  is_device ? add_failed(name, error.message) : add_not_run(name, error.message);
}

bool Report::has_failed() const {
  return std::ranges::any_of(m_figures, &Figure::has_failed);
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

const Figure* Report::without_values(const std::string& name) const {
  for (const Figure& figure : m_figures) {
    if (figure.name == name && !figure.reason.empty()) return &figure;
  }
  return nullptr;
}

Result<void> Report::write_json(const std::vector<TargetResult>& targets) const {
  if (m_json_path.empty()) return {};
  std::string text = "{\n\"device\": " + quoted(m_device) + ",\n\"figures\": {";
  const char* separator = "\n";
  for (const Figure& figure : m_figures) {
    text += separator + ("  " + quoted(figure.name)) + ": " + json_of(figure);
    separator = ",\n";
  }
  text += "\n},\n\"targets\": [";
  separator = "\n";
  for (const TargetResult& target : targets) {
    text += separator + ("  " + json_of(target));
    separator = ",\n";
  }
  return write_file(m_json_path, text + "\n]\n}\n");
}

}  // namespace quire::bench
