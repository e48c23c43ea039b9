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

struct SentencePiece {
  std::string_view text;
  PieceType type = PieceType::kNormal;
  float score = 0;  ///< Not checked to be a number.
};

/// What Quire needs to know of a tokenizer.model (sentencepiece_model.proto, ModelProto) and the
/// library's interface does not tell. Views into the bytes it was parsed from.
struct SentencePieceModel {
  std::vector<SentencePiece> pieces;  ///< By id.
  std::string_view bos = "<s>";       ///< How its pieces are spelt, if it has them.
  std::string_view eos = "</s>";
  bool is_bpe = false;  ///< Otherwise unigram (or the rare word and character models).
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
  bool escape_whitespaces = true;
  bool treat_whitespace_as_suffix = false;
  std::string_view charsmap;  ///< The normaliser's compiled rules; empty for none.
};

/// Reads a model and checks what libsentencepiece takes on trust: the bounds of the wire format,
/// the pieces' lengths, and that the compiled rules never lead out of their arrays. Errors:
/// kCorruptFile, a sentence without the file's name.
Result<SentencePieceModel> parse_sentencepiece_model(std::string_view bytes);

/// What encoding needs changed in a model.
struct SentencePiecePatch {
  std::vector<bool> make_control;  ///< By id: pieces that text must never become. May be shorter.
  bool disable_dummy_prefix = false;
};

/// The serialised model with the patch applied; `bytes` must have parsed.
std::string patch_sentencepiece_model(std::string_view bytes, const SentencePiecePatch& patch);

}  // namespace quire
