#pragma once

#include <nlohmann/json.hpp>

namespace quire::test {

/// Whether a value is valid under a schema, by JSON Schema's definitions of the keywords that
/// Grammar supports, without a thought to speed. References are resolved in `root`.
bool is_valid(const nlohmann::json& value, const nlohmann::json& schema,
              const nlohmann::json& root);

}  // namespace quire::test
