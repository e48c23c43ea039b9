#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar_rules.h"
#include "engine/grammar/grammar_state.h"

namespace quire {

/// Reads texts byte by byte from positions of a state. The sets of positions that it meets have
/// numbers, and where a byte leads from a set is computed once: texts that begin alike, and loops,
/// take little. What it finds depends on the position that it begins with alone, so that a text is
/// allowed from a state if it is from one of the state's positions.
/// Thread: one at a time; holds scratch memory. The rules outlive it.
class StateWalk {
 public:
  using SetId = uint32_t;
  static constexpr SetId kEmptySet = 0;
  /// What is left of a set with more positions: its first ones.
  static constexpr size_t kMaxPositions = 256;

  explicit StateWalk(const GrammarRules& rules) : m_rules(rules) { begin({}); }

  /// Forgets everything. `returns` are a state's.
  void begin(const std::vector<GrammarPosition>& returns);
  /// The set of one position of that state.
  SetId place(const GrammarPosition& position);
  /// The set of the positions that the text has at its beginning.
  SetId open();
  /// The set after a byte.
  SetId step(SetId from, uint8_t byte);
  /// The set after a special token.
  SetId take(SetId from, TokenId token);
  /// The set after the string has ended in which `position` stands.
  SetId leave(const GrammarPosition& position);

  std::span<const GrammarPosition> positions(SetId set) const {
    return std::span(m_positions).subspan(m_sets[set].begin, m_sets[set].size);
  }
  const std::vector<GrammarPosition>& returns() const { return m_returns; }
  /// What has been done since begin(), in units of a few nanoseconds.
  uint64_t work() const { return m_work; }

 private:
  struct Set {
    size_t begin;  ///< In m_positions.
    size_t size;
    uint32_t row;  ///< In m_next.
  };
  static constexpr uint32_t kNone = ~0u;

  SetId number_current();
  void step_string(const GrammarPosition& position, uint8_t byte);
  void step_edges(const GrammarPosition& position, uint8_t byte);
  void pass(const grammar::Edge& edge, const GrammarPosition& position);
  void arrive(GrammarPosition position);
  void enter(const grammar::Entry& entry, const GrammarPosition& position);
  void end_rule(const GrammarPosition& position);
  void add(const GrammarPosition& position);
  uint32_t add_return(const GrammarPosition& position);

  const GrammarRules& m_rules;
  std::vector<GrammarPosition> m_returns;
  std::unordered_map<GrammarPosition, uint32_t, GrammarPositionHash> m_return_numbers;
  std::vector<GrammarPosition> m_positions;  ///< Of the sets.
  std::vector<Set> m_sets;
  std::unordered_multimap<size_t, SetId> m_set_numbers;  ///< By hash.
  std::vector<std::array<SetId, 256>> m_next;            ///< Of sets that were left; or kNone.
  std::vector<GrammarPosition> m_current;                ///< The set that is being made.
  uint64_t m_work = 0;
};

}  // namespace quire
