#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quire {

/// The document of a text that is known to be JSON of moderate depth. If a key occurs twice, its
/// last value counts. The time is proportional to the text, whereas nlohmann's own parser compares
/// each key with all keys before it.
nlohmann::ordered_json build_ordered_json(std::string_view text);

}  // namespace quire
