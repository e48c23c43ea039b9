#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace quire::jinja {

enum class TokenKind {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,  ///< `text` is unescaped.
  kInteger,
  kFloat,
  kOperator,
  kEnd
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t offset = 0;
  std::string text;
};

/// A template's source as Jinja reads it: newlines become \n, one at the very end is dropped.
std::string normalize_newlines(std::string_view source);

/// Cuts a normalised source into tokens, whitespace control, trim_blocks, lstrip_blocks, comments
/// and raw blocks applied. Ends with a kEnd token. Errors: kTemplate with the place.
Result<std::vector<Token>> tokenize(std::string_view source);

}  // namespace quire::jinja
