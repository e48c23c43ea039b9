#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "engine/tokenizer/special_tokens.h"

namespace quire {

/// Reads optional keys of a tokenizer's files. A value of another type counts as absent.

/// The member; JSON's null for none, and for what is no object.
inline const nlohmann::json& json_member(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found != object.end() ? *found : kNull;
}

inline bool json_flag(const nlohmann::json& object, const char* key, bool fallback = false) {
  const nlohmann::json& value = json_member(object, key);
  return value.is_boolean() ? value.get<bool>() : fallback;
}

inline std::string json_text(const nlohmann::json& object, const char* key,
                             std::string fallback = {}) {
  const nlohmann::json& value = json_member(object, key);
  return value.is_string() ? value.get<std::string>() : fallback;
}

/// An added token from the JSON object that describes it.
inline AddedToken added_token_of(const nlohmann::json& token, TokenId id,
                                 const std::string& content) {
  return {.id = id,
          .content = content,
          .is_special = json_flag(token, "special"),
          .strips_before = json_flag(token, "lstrip"),
          .strips_after = json_flag(token, "rstrip"),
          .single_word = json_flag(token, "single_word"),
          .normalized = json_flag(token, "normalized")};
}

}  // namespace quire
