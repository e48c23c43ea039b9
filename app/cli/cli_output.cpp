#include "app/cli/cli_output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/base/visible_text.h"
#include "platform/file.h"
#include "platform/terminal.h"

namespace quire {
namespace {

/// Null where stdout is no terminal.
TerminalFilter* terminal_filter() {
  static TerminalFilter filter;
  static const bool is_terminal = platform::is_terminal(platform::Stream::kOutput);
  return is_terminal ? &filter : nullptr;
}

void write_bytes(std::string_view text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written == text.size() && std::fflush(stdout) == 0) return;
  const int reason = errno;
  if (reason != EPIPE) complain(std::string("cannot write the output: ") + std::strerror(reason));
  // Without destructors, because the output that they would flush cannot be written.
  std::_Exit(reason == EPIPE ? 0 : 1);
}

}  // namespace

void write_out(std::string_view text) {
  TerminalFilter* filter = terminal_filter();
  filter != nullptr ? write_bytes(filter->pass(text)) : write_bytes(text);
}

void finish_out() {
  if (TerminalFilter* filter = terminal_filter()) write_bytes(filter->end());
}

std::string json_line(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_json(const nlohmann::ordered_json& value) {
  write_out(json_line(value));
}

void tell(std::string_view text) {
  std::fputs(visible_text(text, "\n\t").c_str(), stderr);
}

void complain(std::string_view sentence) {
  tell("quire-cli: " + visible_text(sentence) + "\n");
}

Result<std::string> read_input(const std::string& path, size_t max_bytes) {
  const auto close = [](std::FILE* file) {
    if (file != stdin) std::fclose(file);
  };
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, path + " is a folder, not a file."};
  }
  const std::unique_ptr<std::FILE, decltype(close)> file(
      path == "-" ? stdin : platform::open_stream(path, "rb"), close);
  if (!file) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, "Cannot open " + path + ": " + std::strerror(errno) + "."};
  }
  std::string content;
  char buffer[1 << 16];
  while (const size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    content.append(buffer, count);
    if (content.size() <= max_bytes) continue;
    return Error{ErrorCode::kUnsupported, (path == "-" ? std::string("The input") : path) +
                                              " is longer than " + std::to_string(max_bytes >> 20) +
                                              " MiB, which is all that is read."};
  }
  if (std::ferror(file.get())) {
    return Error{ErrorCode::kIo, "Cannot read " + path + ": " + std::strerror(errno) + "."};
  }
  return content;
}

std::string format_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1000.0 && unit < 4; ++unit) value /= 1000.0;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s", value,
                kUnits[unit]);
  return text;
}

std::string format_count(int64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool begins_group = i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-';
    if (begins_group) text += ',';
    text += digits[i];
  }
  return text;
}

double tokens_per_second(const RequestUsage& usage) {
  const double seconds = (usage.total_ms - usage.first_token_ms) / 1000.0;
  if (usage.output_tokens < 2 || seconds <= 0.0) return 0.0;
  return (usage.output_tokens - 1) / seconds;
}

}  // namespace quire
