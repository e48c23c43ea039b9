#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace quire {

/// The JSON of a response. Bytes that are not UTF-8 become U+FFFD; never throws for them.
inline std::string jsonText(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace quire
