#pragma once

#include <span>
#include <string_view>

#include "engine/tokenizer/bpe_model.h"
#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/text_store.h"
#include "kernels/base/result.h"

namespace quire {

/// A piece of a SentencePiece vocabulary, by id.
struct ScoredPiece {
  std::string_view text;  ///< With spaces as U+2581 or, in pieces a user defined, as such.
  PieceType type = PieceType::kNormal;
  float score = 0;        ///< Of two possible merges that of the higher score comes first.
  bool is_never = false;  ///< Never encoded from text.
};

/// The BPE of SentencePiece (bpe_model.cc): two neighbours merge if they form a piece, that of the
/// highest score first. All pairs that form one are listed once here, so that text is encoded as
/// with a list of merges. The model's words have spaces as such: text needs no change first, and
/// U+2581 in it is a character like any other. Characters that are no pieces become bytes or the
/// unknown piece; pieces that a user defined are the caller's to find beforehand.
/// `unused` pieces count as normal ones.
/// Errors: kCorruptFile, a sentence without the file's name.
Result<BpeModel> make_score_bpe(std::span<const ScoredPiece> pieces);

/// The text of a piece with spaces for U+2581.
std::string unescape_piece(std::string_view piece);
/// The same: `piece` itself, or a text in the store.
std::string_view unescaped(std::string_view piece, TextStore& store);

}  // namespace quire
