#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/request.h"
#include "kernels/base/result.h"

namespace quire {

/// Writes to stdout and flushes. On a terminal, what might control it becomes visible signs (see
/// TerminalFilter); files and pipes receive the bytes as they are. Ends the program with code 0 if
/// the pipe was closed by its reader, and with one sentence and code 1 if the output cannot be
/// written (a full disk).
void write_out(std::string_view text);

/// Writes what write_out holds back of an incomplete character. To be called before the program
/// ends.
void finish_out();

/// A JSON value on a line of its own. Ill-formed UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& value);
/// Writes json_line().
void write_json(const nlohmann::ordered_json& value);

/// Writes to stderr in visible characters: names of models and files may come from strangers. Line
/// ends and tabs stay.
void tell(std::string_view text);

/// Writes one sentence to stderr as one line: "quire-cli: ...". Line ends and tabs within it, which
/// only names from strangers hold, become signs.
void complain(std::string_view sentence);

inline constexpr size_t kMaxInputBytes = size_t{64} << 20;

/// All of a file, or of stdin for "-". Errors: kNotFound, kIo, kUnsupported for more than
/// `max_bytes`, in whole MiB (a device may have no end), naming the file.
Result<std::string> read_input(const std::string& path, size_t max_bytes = kMaxInputBytes);

/// "1.5 GB", "96 kB": decimal units, as file managers show them.
std::string format_bytes(uint64_t bytes);
/// "16,384".
std::string format_count(int64_t count);

/// Tokens per second of one answer after its first token; 0 if it has only one.
double tokens_per_second(const RequestUsage& usage);

}  // namespace quire
