#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/grammar/grammar_rules.h"

namespace quire {

/// A place in a rule, and where that rule returns to.
struct GrammarPosition {
  static constexpr uint32_t kOutermost = ~0u;

  grammar::NodeId node = 0;
  uint32_t count = 0;            ///< Or in KeyTrie, of a key that must be none of some.
  uint32_t parent = kOutermost;  ///< Among the returns.
  uint32_t height = 0;           ///< The number of returns below it.
  auto operator<=>(const GrammarPosition&) const = default;
};

struct GrammarPositionHash {
  size_t operator()(const GrammarPosition& position) const {
    const uint64_t place = uint64_t{position.node} << 32 | position.count;
    const uint64_t stack = uint64_t{position.parent} << 32 | position.height;
    uint64_t hash = (place ^ (stack * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    return static_cast<size_t>(hash ^ (hash >> 32));
  }
};

/// What has been read so far, as far as it decides what may follow: the positions that fit it. It
/// is a value: a copy is a state of its own, and states that allow the same texts by the same ways
/// are equal.
struct GrammarState {
  std::vector<GrammarPosition> returns;  ///< Each after its parent.
  std::vector<GrammarPosition> tops;     ///< In the order of the alternatives.
  bool operator==(const GrammarState&) const = default;

  /// Whether the text may end here.
  bool is_complete() const;
  /// Whether nothing but the end may follow.
  bool is_finished() const { return tops.size() == 1 && is_complete(); }
  /// Whether what was read is no beginning of a text.
  bool is_broken() const { return tops.empty(); }
};

struct GrammarStateHash {
  size_t operator()(const GrammarState& state) const;
};

/// Collects positions into a state without duplicates.
class GrammarStateBuilder {
 public:
  /// What would exceed these is left out, so that ambiguous grammars stay fast.
  static constexpr size_t kMaxTops = 256;
  static constexpr size_t kMaxReturns = 512;

  /// `tops`: whose parents are among `returns`.
  void add(std::span<const GrammarPosition> tops, const std::vector<GrammarPosition>& returns);
  GrammarState take() { return std::move(m_state); }

 private:
  uint32_t copy_return(uint32_t index, const std::vector<GrammarPosition>& returns,
                       std::vector<uint32_t>& places);

  GrammarState m_state;
  std::map<GrammarPosition, uint32_t> m_places;  ///< Of the state's returns.
};

}  // namespace quire
