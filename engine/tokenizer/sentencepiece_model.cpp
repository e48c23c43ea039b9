#include "engine/tokenizer/sentencepiece_model.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "engine/io/text.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

/// The longest text that a rule replaces; those of SentencePiece have up to 20 bytes. A damaged
/// trie can have circles in it.
constexpr size_t kMaxRuleBytes = 256;

}  // namespace

SentencePieceNormalizer::SentencePieceNormalizer(const SentencePieceModel& model,
                                                 std::string_view space)
    : m_space(space),
      m_escapes(model.escape_whitespaces),
      m_adds_prefix(model.add_dummy_prefix && !model.treat_whitespace_as_suffix),
      m_adds_suffix(model.add_dummy_prefix && model.treat_whitespace_as_suffix),
      m_removes_extra_spaces(model.remove_extra_whitespaces) {
  if (!model.charsmap.empty()) {
    uint32_t trie_bytes = 0;
    std::memcpy(&trie_bytes, model.charsmap.data(), sizeof(trie_bytes));
    m_trie = model.charsmap.substr(sizeof(trie_bytes), trie_bytes);
    m_replacements = model.charsmap.substr(sizeof(trie_bytes) + trie_bytes);
  }
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].type != PieceType::kUserDefined) continue;
    m_user_defined.add(model.pieces[id].text, static_cast<TokenId>(id));
  }
  // A duplicate is refused where the model indexes its pieces.
  static_cast<void>(m_user_defined.finish());
}

uint32_t SentencePieceNormalizer::unit(size_t index) const {
  uint32_t value = 0;
  std::memcpy(&value, m_trie.data() + index * sizeof(value), sizeof(value));
  return value;
}

/// The longest rule that applies at the start of the text. Parsing has shown that no text leads out
/// of the arrays.
std::optional<SentencePieceNormalizer::Step> SentencePieceNormalizer::rule_for(
    std::string_view text, WorkBudget& budget) const {
  if (m_trie.empty() || budget.is_spent()) return std::nullopt;
  const auto offset_of = [](uint32_t u) {
    return static_cast<size_t>(u >> 10) << ((u & (1u << 9)) >> 6);
  };
  const char* content = nullptr;
  size_t used = 0;
  size_t node = offset_of(unit(0));
  const size_t end = std::min(text.size(), kMaxRuleBytes);
  for (size_t i = 0; i < end && budget.spend(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    node ^= byte;
    const uint32_t here = unit(node);
    if ((here & (0x80000000u | 0xFFu)) != byte) break;
    node ^= offset_of(here);
    if (((here >> 8) & 1) == 0) continue;
    content = m_replacements.data() + (unit(node) & 0x7FFFFFFFu);
    used = i + 1;
  }
  if (content == nullptr) return std::nullopt;
  const Step rule{content, used};  // Looks for the zero that ends the content.
  budget.spend(rule.content.size() / kBytesPerStep);
  return rule;
}

SentencePieceNormalizer::Step SentencePieceNormalizer::next(std::string_view text,
                                                            WorkBudget& budget) const {
  size_t defined = 0;
  const size_t walked =
      m_user_defined.for_each_prefix(text, [&](size_t length, TokenId) { defined = length; });
  if (budget.spend(walked) && defined > 0) return {text.substr(0, defined), defined};
  if (const auto rule = rule_for(text, budget)) return *rule;
  const size_t length = next_utf8(text).length;
  return {text.substr(0, length), length};
}

std::string SentencePieceNormalizer::apply(std::string_view text, bool at_start, size_t max_bytes,
                                           WorkBudget& budget) const {
  std::string out;
  while (m_removes_extra_spaces && !text.empty()) {
    const Step step = next(text, budget);
    if (step.content != " ") break;
    text.remove_prefix(step.used);
  }
  if (text.empty()) return out;
  out.reserve(text.size() * 3 / 2);
  if (at_start && m_adds_prefix) out += m_space;
  bool after_space = m_removes_extra_spaces;
  while (!text.empty()) {
    const Step step = next(text, budget);
    const bool fits = out.size() + step.content.size() <= max_bytes;
    std::string_view content = fits ? step.content : text.substr(0, step.used);
    text.remove_prefix(step.used);
    while (after_space && content.starts_with(' ')) content.remove_prefix(1);
    if (!content.empty()) after_space = content.ends_with(' ') && m_removes_extra_spaces;
    while (!content.empty()) {
      const bool is_mark = m_escapes && content.starts_with(kSpaceMark);
      if (is_mark || content.front() == ' ') {
        out += m_space;
      } else {
        out += content.front();
      }
      content.remove_prefix(is_mark ? kSpaceMark.size() : 1);
    }
  }
  while (m_removes_extra_spaces && out.ends_with(m_space)) out.resize(out.size() - m_space.size());
  if (at_start && m_adds_suffix) out += m_space;
  return out;
}

Result<UnigramModel> UnigramModel::create(const SentencePieceModel& model,
                                          const std::function<bool(TokenId)>& allows,
                                          const std::array<TokenId, 256>& byte_ids) {
  UnigramModel unigram;
  unigram.m_unknown = -1;
  unigram.m_max_score = FLT_MIN;  // As in the library.
  float min_score = FLT_MAX;
  unigram.m_is_user_defined.resize(model.pieces.size());
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const SentencePiece& piece = model.pieces[id];
    unigram.m_scores.push_back(piece.score);
    if (piece.type == PieceType::kUnknown) unigram.m_unknown = static_cast<TokenId>(id);
    const bool is_user_defined = piece.type == PieceType::kUserDefined;
    if (piece.type != PieceType::kNormal && !is_user_defined) continue;
    if (!allows(static_cast<TokenId>(id))) continue;
    if (!std::isfinite(piece.score)) {
      return Error{ErrorCode::kCorruptFile,
                   "piece " + std::to_string(id) + " has a score that is no number"};
    }
    unigram.m_pieces.add(piece.text, static_cast<TokenId>(id));
    unigram.m_is_user_defined[id] = is_user_defined;
    if (is_user_defined) continue;
    min_score = std::min(min_score, piece.score);
    unigram.m_max_score = std::max(unigram.m_max_score, piece.score);
  }
  if (unigram.m_unknown < 0) return Error{ErrorCode::kCorruptFile, "it has no unknown piece"};
  if (unigram.m_pieces.is_full()) {
    return Error{ErrorCode::kCorruptFile, "its pieces are together longer than 6 MiB"};
  }
  if (const auto repeated = unigram.m_pieces.finish()) {
    return Error{ErrorCode::kCorruptFile,
                 "it has the piece \"" + for_message(*repeated) + "\" twice"};
  }
  constexpr float kUnknownPenalty = 10;
  unigram.m_unknown_score = min_score - kUnknownPenalty;
  if (model.byte_fallback) unigram.m_byte_ids = byte_ids;
  return unigram;
}

/// The library's Viterbi search (unigram_model.cc, EncodeOptimized), with its types: the rounding
/// of the sums decides ties.
void UnigramModel::append(std::string_view text, WorkBudget& budget,
                          std::vector<TokenId>& ids) const {
  struct Node {
    TokenId id = -1;
    float score = 0;
    size_t begin = std::string_view::npos;  ///< Of the last piece on the best way here.
  };
  std::vector<Node> best(text.size() + 1);
  for (size_t begin = 0; begin < text.size();) {
    const size_t character = next_utf8(text.substr(begin)).length;
    const float until_here = best[begin].score;
    const auto reach = [&](size_t length, TokenId id, double score) {
      Node& node = best[begin + length];
      const double sum = score + until_here;
      if (node.begin != text.npos && !(sum > node.score)) return;
      node = {id, static_cast<float>(sum), begin};
    };
    bool has_character = false;
    if (!budget.is_spent()) {
      budget.spend(m_pieces.for_each_prefix(text.substr(begin), [&](size_t length, TokenId id) {
        const auto index = static_cast<size_t>(id);
        const float bonus = static_cast<float>(length) * m_max_score;
        reach(length, id, m_is_user_defined[index] ? bonus - 0.1 : m_scores[index]);
        has_character |= length == character;
      }));
    }
    if (!has_character) reach(character, m_unknown, m_unknown_score);
    begin += character;
  }
  std::vector<size_t> ends;
  for (size_t end = text.size(); end > 0; end = best[end].begin) ends.push_back(end);
  bool after_unknown = false;
  for (size_t i = ends.size(); i-- > 0;) {
    const Node& node = best[ends[i]];
    const bool is_unknown = node.id == m_unknown;
    if (is_unknown && m_byte_ids) {
      for (const char byte : text.substr(node.begin, ends[i] - node.begin)) {
        const TokenId id = (*m_byte_ids)[static_cast<uint8_t>(byte)];
        ids.push_back(id >= 0 ? id : m_unknown);
      }
    } else if (!is_unknown || !after_unknown) {
      ids.push_back(node.id);
    }
    after_unknown = is_unknown;
  }
}

}  // namespace quire
