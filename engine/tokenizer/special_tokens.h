#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// How many tokens of a vocabulary may be added or special. The most known are those of speech
/// models: Llasa has 65,800.
inline constexpr size_t kMaxAddedTokens = 70'000;

/// A token that a model's folder adds to its vocabulary, or describes.
struct AddedToken {
  TokenId id = 0;  ///< May be one of the vocabulary's, whose content this one then replaces.
  std::string content{};
  bool is_special = true;      ///< Not part of an answer's text, and never found in plain text.
  bool strips_before = false;  ///< White space before it belongs to it (`lstrip`).
  bool strips_after = false;   ///< White space after it belongs to it (`rstrip`).
  bool single_word = false;    ///< Not recognised within a word.
  bool normalized = false;     ///< Recognised in normalised text.
};

/// Special tokens as described by the files beside a vocabulary.
struct SpecialTokens {
  std::vector<AddedToken> added{};
  std::vector<std::string>
      names{};  ///< Contents that are special wherever the vocabulary has them.
  std::optional<std::string> bos{};  ///< By content; without it, what the vocabulary says.
  std::optional<std::string> eos{};
  bool adds_bos = false;
  bool is_adds_bos_given = false;  ///< By add_bos_token, not by the kind of tokenizer.
  bool restarts_after_special =
      true;  ///< See Tokenizer; only matters to tokenizer.model with a dummy prefix.
};

}  // namespace quire
