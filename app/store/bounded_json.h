#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace quire {

/// Parses JSON that nobody vouches for: none if it is longer than `maxBytes`, nested deeper than
/// `maxDepth`, or no JSON.
inline std::optional<nlohmann::json> parseBounded(const std::string& text, size_t maxBytes,
                                                  int maxDepth) {
  if (text.size() > maxBytes) return std::nullopt;
  bool tooDeep = false;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    tooDeep = tooDeep || depth > maxDepth;
    return !tooDeep;
  };
  nlohmann::json parsed = nlohmann::json::parse(text, watch, /*allow_exceptions=*/false);
  if (tooDeep || parsed.is_discarded()) return std::nullopt;
  return parsed;
}

/// Text that is not UTF-8 is mended instead of thrown over.
inline std::string dumpJson(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace quire
