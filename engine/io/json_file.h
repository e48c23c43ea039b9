#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "kernels/base/result.h"

namespace quire {

/// Bounds on untrusted JSON, checked before a document is built.
struct JsonLimits {
  size_t max_bytes = 100 << 20;
  int max_depth = 64;
  size_t max_values = 4'000'000;  ///< Keys and values, which bounds the document's memory.
  bool unique_keys = false;       ///< A key twice in one object is an error, not the last one's.
};

/// The document of `text`. `what` names it in messages: "config.json".
/// Errors: kCorruptFile with the line and column, or with the limit that is exceeded.
Result<nlohmann::json> parse_json(std::string_view text, std::string_view what,
                                  const JsonLimits& limits = {});

/// The same of a file. Errors: also those of MappedFile::open.
Result<nlohmann::json> read_json(const std::filesystem::path& path, const JsonLimits& limits = {});

}  // namespace quire
