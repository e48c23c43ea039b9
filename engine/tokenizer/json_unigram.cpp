#include "engine/tokenizer/json_unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/io/text.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/utf8.h"

namespace quire {

Result<std::unique_ptr<JsonUnigram>> JsonUnigram::create(Vocabulary vocabulary, const Spec& spec) {
  if (!spec.unknown) return Error{ErrorCode::kUnsupported, "its model has no unknown piece"};
  std::unique_ptr<JsonUnigram> model(new JsonUnigram());
  model->m_unknown = *spec.unknown;
  model->m_byte_ids.fill(-1);
  double lowest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto& [piece, score] = vocabulary[i];
    const auto id = static_cast<TokenId>(i);
    if (!std::isfinite(score)) {
      return Error{ErrorCode::kCorruptFile,
                   "piece " + std::to_string(i) + " has a score that is no number"};
    }
    lowest = std::min(lowest, score);
    model->m_scores.push_back(score);
    if (piece.empty()) continue;
    model->m_pieces.add(piece, id);
    if (!spec.has_byte_fallback) continue;
    if (const auto byte = byte_token_value(piece)) {
      model->m_byte_ids[static_cast<uint8_t>(*byte)] = id;
    }
  }
  if (model->m_pieces.is_full()) {
    return Error{ErrorCode::kCorruptFile, "its pieces are together longer than 6 MiB"};
  }
  if (const auto repeated = model->m_pieces.finish()) {
    return Error{ErrorCode::kCorruptFile,
                 "model.vocab has \"" + for_message(*repeated) + "\" twice"};
  }
  constexpr double kUnknownPenalty = 10.0;
  model->m_unknown_score = lowest - kUnknownPenalty;
  return model;
}

std::vector<JsonUnigram::Node> JsonUnigram::search(std::string_view word,
                                                   WorkBudget& budget) const {
  std::vector<Node> best(word.size() + 1);
  for (size_t begin = 0; begin < word.size();) {
    const size_t character = next_utf8(word.substr(begin)).length;
    const double until_here = best[begin].score;
    const auto reach = [&](size_t length, double score, TokenId id) {
      Node& node = best[begin + length];
      const double sum = score + until_here;
      if (node.begin == word.npos || sum > node.score) node = {sum, begin, id};
    };
    bool has_character = false;
    if (!budget.is_spent()) {
      budget.spend(m_pieces.for_each_prefix(word.substr(begin), [&](size_t length, TokenId id) {
        reach(length, m_scores[static_cast<size_t>(id)], id);
        has_character |= length == character;
      }));
    }
    if (!has_character) reach(character, m_unknown_score, m_unknown);
    begin += character;
  }
  return best;
}

void JsonUnigram::append(std::string_view word, WorkBudget& budget,
                         std::vector<TokenId>& ids) const {
  const std::vector<Node> best = search(word, budget);
  std::vector<size_t> ends;
  for (size_t end = word.size(); end > 0; end = best[end].begin) ends.push_back(end);
  std::reverse(ends.begin(), ends.end());
  // Unknown characters in a row are one piece.
  for (size_t i = 0; i < ends.size();) {
    const Node& first = best[ends[i++]];
    if (first.id != m_unknown) {
      ids.push_back(first.id);
      continue;
    }
    while (i < ends.size() && best[ends[i]].id == m_unknown) ++i;
    append_unknown(word.substr(first.begin, ends[i - 1] - first.begin), ids);
  }
}

/// The piece's token; without one those of its bytes, if all are there, or the unknown one.
void JsonUnigram::append_unknown(std::string_view piece, std::vector<TokenId>& ids) const {
  if (const auto id = m_pieces.find(piece)) return ids.push_back(*id);
  const auto id_of = [&](char byte) { return m_byte_ids[static_cast<uint8_t>(byte)]; };
  if (std::ranges::any_of(piece, [&](char byte) { return id_of(byte) < 0; })) {
    return ids.push_back(m_unknown);
  }
  for (const char byte : piece) ids.push_back(id_of(byte));
}

}  // namespace quire
