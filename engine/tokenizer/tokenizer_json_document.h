#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/base/result.h"

namespace quire {

/// A tokenizer.json as read. The two parts that are large, the vocabulary and the merges, are lists
/// of their own: as JSON values they would take ten times the file's size.
struct TokenizerJsonDocument {
  nlohmann::json rest;  ///< All but model.vocab (if an object) and model.merges (if an array).
  std::vector<std::pair<std::string, int64_t>> vocab;
  std::vector<std::pair<std::string, std::string>> merges;  ///< Of "a b" or ["a", "b"].
};

/// Errors: kCorruptFile, a sentence without the file's name: no JSON, nested too deeply, an id that
/// is no integer, a merge that is not of two tokens.
Result<TokenizerJsonDocument> parse_tokenizer_json(std::string_view text);

}  // namespace quire
