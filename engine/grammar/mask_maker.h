#pragma once

#include "engine/grammar/grammar_state.h"
#include "engine/grammar/grammar_vocabulary.h"
#include "engine/grammar/state_walk.h"

namespace quire {

/// Finds the tokens of a vocabulary that may follow a state.
/// Thread: one at a time. What it refers to outlives it.
class MaskMaker {
 public:
  /// Of one mask, some tens of milliseconds. Tokens that are not reached before are left out.
  static constexpr uint64_t kMaxWork = 4'000'000;

  MaskMaker(const GrammarRules& rules, const GrammarVocabulary& vocabulary)
      : m_rules(rules), m_vocabulary(vocabulary), m_walk(rules) {}

  TokenMask make(const GrammarState& state);

 private:
  void add_from(const GrammarPosition& top);
  void add_from_string(const GrammarPosition& top);
  void add_marks(const GrammarPosition& top, StateWalk::SetId set);
  void add_below(StateWalk::SetId set, uint32_t first, uint32_t end);
  bool may_leave(const GrammarPosition& top, const GrammarVocabulary::StringEnd& end) const;

  const GrammarRules& m_rules;
  const GrammarVocabulary& m_vocabulary;
  StateWalk m_walk;
  TokenMask m_mask;
};

}  // namespace quire
