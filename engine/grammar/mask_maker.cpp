#include "engine/grammar/mask_maker.h"

#include <utility>

namespace quire {

TokenMask MaskMaker::make(const GrammarState& state) {
  m_mask = empty_mask(m_vocabulary.vocab_size());
  m_walk.begin(state.returns);
  for (const GrammarPosition& top : state.tops) {
    if (top.node == grammar::kFinished) {
      for (const TokenId id : m_vocabulary.end_tokens()) add_token(m_mask, id);
      continue;
    }
    add_from(top);
  }
  return std::move(m_mask);
}

void MaskMaker::add_from(const GrammarPosition& top) {
  const bool is_in_string = grammar::is_string(top.node);
  if (is_in_string && grammar::state_of(top.node) == StringState::kBody) {
    return add_from_string(top);
  }
  const StateWalk::SetId set = m_walk.place(top);
  if (!is_in_string) add_marks(top, set);
  add_below(set, 0, m_vocabulary.num_nodes());
}

/// The special tokens that may follow.
void MaskMaker::add_marks(const GrammarPosition& top, StateWalk::SetId set) {
  for (const grammar::Edge& edge : m_rules.edges(top.node)) {
    if (edge.token < 0 || edge.token >= m_vocabulary.vocab_size()) continue;
    if (!m_vocabulary.bytes_of(edge.token).empty()) continue;  // Read as its bytes.
    if (m_walk.take(set, edge.token) != StateWalk::kEmptySet) add_token(m_mask, edge.token);
  }
}

/// Between two characters of a string nearly all tokens may follow. Only those that leave it are
/// read, from where they leave it on.
void MaskMaker::add_from_string(const GrammarPosition& top) {
  const grammar::StringSpec& spec = m_rules.string(grammar::string_of(top.node));
  const bool excludes = spec.excluded >= 0;
  const bool has_limit = !excludes && spec.length.max != grammar::kNoLimit;
  m_vocabulary.add_string_tokens(
      m_mask, has_limit ? spec.length.max - top.count : GrammarVocabulary::kAnyNumber, !excludes);
  const StateWalk::SetId outside = m_walk.leave(top);
  if (outside == StateWalk::kEmptySet) return;
  for (const GrammarVocabulary::StringEnd& end : m_vocabulary.string_ends()) {
    if (!may_leave(top, end)) continue;
    for (const TokenId id : m_vocabulary.tokens_of(end.node)) add_token(m_mask, id);
    add_below(outside, end.node + 1, m_vocabulary.nodes()[end.node].end);
  }
}

bool MaskMaker::may_leave(const GrammarPosition& top,
                          const GrammarVocabulary::StringEnd& end) const {
  const grammar::StringSpec& spec = m_rules.string(grammar::string_of(top.node));
  if (spec.excluded < 0) {
    const bool fits = end.num_characters <= spec.length.max - top.count;
    return fits && uint64_t{top.count} + end.num_characters >= spec.length.min;
  }
  if (end.has_escape) return false;
  const KeyTrie& keys = m_rules.keys(spec.excluded);
  uint32_t position = top.count;
  for (const char c : m_vocabulary.text_of(end)) {
    position = keys.step(position, static_cast<uint8_t>(c));
  }
  return !keys.is_name(position);
}

/// Adds the tokens that end below a place of the trie, at which the set has been reached.
void MaskMaker::add_below(StateWalk::SetId set, uint32_t first, uint32_t end) {
  struct Level {
    uint32_t end;
    StateWalk::SetId set;
  };
  const std::span<const GrammarVocabulary::Node> nodes = m_vocabulary.nodes();
  std::vector<Level> levels = {{end, set}};
  for (uint32_t i = first; i < end && m_walk.work() <= kMaxWork;) {
    while (i >= levels.back().end) levels.pop_back();
    const StateWalk::SetId next = m_walk.step(levels.back().set, nodes[i].byte);
    if (next == StateWalk::kEmptySet) {
      i = nodes[i].end;
      continue;
    }
    for (const TokenId id : m_vocabulary.tokens_of(i)) add_token(m_mask, id);
    levels.push_back({nodes[i].end, next});
    ++i;
  }
}

}  // namespace quire
