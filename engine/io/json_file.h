#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// Bounds on untrusted JSON, checked before a document is built. A document takes some 100 bytes
/// for each value, beside its strings. The defaults suit a configuration: those of real models have
/// a few thousand values. Larger files have limits of their own, where they are read.
struct JsonLimits {
  size_t max_bytes = 1 << 20;
  int max_depth = 64;
  size_t max_values = 50'000;  ///< Keys and values, which bounds the document's memory.
  bool unique_keys = false;    ///< A key twice in one object is an error, not the last one's.
};

/// Refuses what parse_json() refuses, without building the document.
Result<void> check_json(std::string_view text, std::string_view what, const JsonLimits& limits);

/// The document of `text`. `what` names it in messages: "config.json".
/// Errors: kCorruptFile with the line and column, or with the limit that is exceeded.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what,
                                  const JsonLimits& limits = {});

/// Input of people and programs that talk to Quire: chats with their attachments.
inline constexpr JsonLimits kInputLimits = {.max_bytes = 256 << 20, .max_values = 1'000'000};

/// A chat of the command line with its attachments: a file, or a line of a file of chats. A million
/// short texts would take a third of a gigabyte once a template sees them.
inline constexpr JsonLimits kChatFileLimits = {.max_bytes = 16 << 20, .max_values = 250'000};

/// The most keys of one object of an input. Each key is compared with all before it.
inline constexpr size_t kMaxInputKeys = 2'000;

/// The document of such an input, with its keys in their order. Errors: kInvalidArgument, whose
/// message is a clause without a full stop: "chat.json is not JSON (line 2, column 7)".
Result<nlohmann::ordered_json> parse_input(std::string_view text, std::string_view what,
                                           const JsonLimits& limits = kInputLimits);

/// tokenizer_config.json and its like, which list the added tokens: up to kMaxAddedTokens, each of
/// some eight values.
inline constexpr JsonLimits kTokenListLimits = {.max_bytes = 16 << 20, .max_values = 1'000'000};

/// The text of a file, whose size is checked before it is read, and nothing else. Errors:
/// kCorruptFile for more than limits.max_bytes; those of OpenFile.
Result<std::string> read_json_text(const std::filesystem::path& path, const JsonLimits& limits);
/// The document of a file. Errors: those of read_json_text() and parse_json().
Result<nlohmann::json> read_json(const std::filesystem::path& path, const JsonLimits& limits = {});

}  // namespace quire
