#include "engine/tokenizer/score_bpe.h"

#include <algorithm>
#include <bitset>
#include <cmath>

#include "engine/io/text.h"
#include "engine/tokenizer/bpe_pairs.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

constexpr size_t kMaxScoredPieceBytes = 1024;
constexpr size_t kMaxMerges = 2 * kMaxVocabularyMerges;

bool can_merge(const ScoredPiece& piece) {
  const bool is_kind = piece.type == PieceType::kNormal || piece.type == PieceType::kUserDefined ||
                       piece.type == PieceType::kUnused;
  return is_kind && !piece.is_never;
}

std::string name(size_t id) {
  return "piece " + std::to_string(id);
}

class ScoreBpeBuilder {
 public:
  explicit ScoreBpeBuilder(std::span<const ScoredPiece> pieces) : m_pieces(pieces) {}

  Result<BpeModel> build() {
    m_texts.reserve(m_pieces.size());
    for (const ScoredPiece& piece : m_pieces) m_texts.push_back(unescaped(piece.text, m_store));
    m_model.words.reserve(m_pieces.size());
    for (size_t id = 0; id < m_pieces.size(); ++id) {
      if (auto added = add_piece(id); !added) return added.error();
    }
    m_model.first_loose = static_cast<TokenId>(m_pieces.size());
    for (size_t id = 0; id < m_pieces.size(); ++id) add_loose(id);
    rank_scores();
    BpePairs pairs(m_model.words, BpePairs::Cuts::kBetweenCharacters);
    m_model.merges.reserve(m_pieces.size());
    for (size_t id = 0; id < m_pieces.size(); ++id) {
      if (can_merge(m_pieces[id])) add_merges(id, pairs);
      if (pairs.budget().is_spent()) return pairs.budget().error("looking for its merges");
      if (m_model.merges.size() > kMaxMerges) {
        return Error{ErrorCode::kCorruptFile, "its pieces merge in over 2097152 ways"};
      }
    }
    m_model.fuses_unknown = true;
    if (m_model.words.find(" ")) {
      m_model.cuts = SpaceCuts(" ");
      for (size_t id = 0; id < m_pieces.size(); ++id) {
        if (can_merge(m_pieces[id])) m_model.cuts.add_token(m_texts[id]);
      }
      m_model.cuts.finish();
    }
    return std::move(m_model);
  }

 private:
  Result<void> add_piece(size_t id) {
    const ScoredPiece& piece = m_pieces[id];
    if (id + kAhead < m_texts.size()) m_model.words.prefetch(m_texts[id + kAhead]);
    const auto token = static_cast<TokenId>(id);
    if (piece.type == PieceType::kUnknown) m_model.unknown = token;
    if (const auto byte = byte_token_value(piece.text); byte && piece.type == PieceType::kByte) {
      m_model.byte_ids[static_cast<uint8_t>(*byte)] = token;
    }
    if (!can_merge(piece)) return {};
    if (!std::isfinite(piece.score)) {
      return Error{ErrorCode::kCorruptFile, name(id) + " has a score that is no number"};
    }
    if (piece.text.size() > kMaxScoredPieceBytes || !is_valid_utf8(piece.text)) {
      return Error{ErrorCode::kCorruptFile, name(id) + " is longer than 1024 bytes or not UTF-8"};
    }
    const bool is_new = m_texts[id].empty() || m_model.words.insert(m_texts[id], token);
    if (is_new || piece.type == PieceType::kUserDefined) return {};
    return Error{ErrorCode::kCorruptFile, name(id) + " is \"" + for_message(piece.text) +
                                              "\", which is in the vocabulary already"};
  }

  void add_loose(size_t id) {
    if (!can_merge(m_pieces[id])) return;
    const std::string_view text = m_texts[id];
    for (size_t i = 0; i < text.size();) {
      const std::string_view character = text.substr(i, next_utf8(text.substr(i)).length);
      i += character.size();
      const auto lead = static_cast<uint8_t>(character.front());
      if (character.size() == 1 && m_known_bytes[lead]) continue;
      if (character.size() == 1) m_known_bytes.set(lead);
      if (m_model.words.find(character)) continue;
      const size_t count = m_model.loose_characters.size();
      m_model.words.insert(character, m_model.first_loose + static_cast<TokenId>(count));
      m_model.loose_characters.emplace_back(character);
    }
  }

  /// The rank of a merge is the position of its piece's score; equal scores have equal ranks.
  void rank_scores() {
    for (const ScoredPiece& piece : m_pieces) {
      if (can_merge(piece)) m_scores.push_back(piece.score);
    }
    std::sort(m_scores.begin(), m_scores.end(), std::greater<>());
    m_scores.erase(std::unique(m_scores.begin(), m_scores.end()), m_scores.end());
  }

  void add_merges(size_t id, BpePairs& pairs) {
    const auto place =
        std::lower_bound(m_scores.begin(), m_scores.end(), m_pieces[id].score, std::greater<>());
    const Merge merge{static_cast<uint32_t>(place - m_scores.begin()), static_cast<TokenId>(id)};
    const auto found = pairs.of(m_texts[id]);
    for (const auto& [left, right] : found) m_model.merges.prefetch(left, right);
    for (const auto& [left, right] : found) m_model.merges.add(left, right, merge);
  }

  static constexpr size_t kAhead = 8;  ///< Enough for the memory to answer.

  std::span<const ScoredPiece> m_pieces;
  TextStore m_store;
  std::vector<std::string_view> m_texts;
  std::vector<float> m_scores;       ///< Descending, each once.
  std::bitset<256> m_known_bytes{};  ///< Characters of one byte that are words.
  BpeModel m_model;
};

}  // namespace

std::string unescape_piece(std::string_view piece) {
  std::string text;
  for (size_t mark = piece.find(kSpaceMark); mark != piece.npos; mark = piece.find(kSpaceMark)) {
    text.append(piece.substr(0, mark)).append(1, ' ');
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  return text.append(piece);
}

std::string_view unescaped(std::string_view piece, TextStore& store) {
  return piece.find(kSpaceMark) == piece.npos ? piece : store.add(unescape_piece(piece));
}

Result<BpeModel> make_score_bpe(std::span<const ScoredPiece> pieces) {
  return ScoreBpeBuilder(pieces).build();
}

}  // namespace quire
