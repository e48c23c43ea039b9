#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace quire {

/// A piece's kind, by its number in sentencepiece_model.proto.
enum class PieceType : uint8_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

/// Of pieces that are not made from text like others: unknown, control and user-defined ones.
constexpr bool is_special_type(PieceType type) {
  return type == PieceType::kUnknown || type == PieceType::kControl ||
         type == PieceType::kUserDefined;
}

struct SentencePiece {
  std::string_view text;
  PieceType type = PieceType::kNormal;
  float score = 0;  ///< Not checked to be a number.
};

/// What Quire needs to know of a tokenizer.model (sentencepiece_model.proto, ModelProto). Views
/// into the bytes it was parsed from.
struct SentencePieceModel {
  std::vector<SentencePiece> pieces;  ///< By id.
  size_t num_bytes = 0;               ///< Of the pieces' texts.
  std::string_view bos = "<s>";       ///< How its pieces are spelt, if it has them.
  std::string_view eos = "</s>";
  bool is_unigram = true;
  bool is_bpe = false;  ///< Where neither: one of the rare word and character models.
  bool byte_fallback = false;
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool treat_whitespace_as_suffix = false;
  std::string_view charsmap;  ///< The normaliser's compiled rules; empty for none.
};

/// Reads a model and checks the bounds of the wire format, the pieces' lengths, and that the
/// compiled rules never lead out of their arrays. Errors:
/// kCorruptFile, a sentence without the file's name.
Result<SentencePieceModel> parse_sentencepiece_model(std::string_view bytes);

/// Whether a normaliser's compiled rules can be followed unchecked: a byte count, a double-array
/// trie of that size (as darts-clone writes it) whose values are offsets, and the zero-terminated
/// replacements that they point to. No step that any text could cause leads out of them.
bool is_safe_charsmap(std::string_view charsmap);

}  // namespace quire
