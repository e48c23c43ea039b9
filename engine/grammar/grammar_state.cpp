#include "engine/grammar/grammar_state.h"

#include <algorithm>

namespace quire {

bool GrammarState::is_complete() const {
  return std::ranges::any_of(
      tops, [](const GrammarPosition& top) { return top.node == grammar::kFinished; });
}

size_t GrammarStateHash::operator()(const GrammarState& state) const {
  size_t hash = state.returns.size();
  for (const auto* positions : {&state.returns, &state.tops}) {
    for (const GrammarPosition& position : *positions) {
      hash = hash * 31 + GrammarPositionHash()(position);
    }
  }
  return hash;
}

/// The place of a copy with its parents among the state's returns. `places`: of those copied
/// before, by their place in `returns`.
uint32_t GrammarStateBuilder::copy_return(uint32_t index,
                                          const std::vector<GrammarPosition>& returns,
                                          std::vector<uint32_t>& places) {
  std::vector<uint32_t> chain;  // The innermost first.
  while (index != GrammarPosition::kOutermost && places[index] == GrammarPosition::kOutermost) {
    chain.push_back(index);
    index = returns[index].parent;
  }
  uint32_t place = index == GrammarPosition::kOutermost ? index : places[index];
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    GrammarPosition copy = returns[*it];
    copy.parent = place;
    const auto [same, is_new] =
        m_places.try_emplace(copy, static_cast<uint32_t>(m_state.returns.size()));
    if (is_new) m_state.returns.push_back(copy);
    place = places[*it] = same->second;
  }
  return place;
}

void GrammarStateBuilder::add(std::span<const GrammarPosition> tops,
                              const std::vector<GrammarPosition>& returns) {
  std::vector<uint32_t> places(returns.size(), GrammarPosition::kOutermost);
  for (GrammarPosition top : tops) {
    if (m_state.tops.size() >= kMaxTops || m_state.returns.size() >= kMaxReturns) return;
    top.parent = copy_return(top.parent, returns, places);
    if (std::ranges::find(m_state.tops, top) == m_state.tops.end()) m_state.tops.push_back(top);
  }
}

}  // namespace quire
