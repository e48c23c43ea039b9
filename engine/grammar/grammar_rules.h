#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/grammar/json_strings.h"
#include "engine/grammar/key_trie.h"
#include "engine/tokenizer/tokenizer.h"

namespace quire {

/// A grammar as a pushdown automaton over bytes. A rule describes one kind of value by nodes; an
/// edge is taken by a byte, and a call by all of another rule's bytes, whose last one returns to a
/// node of the calling rule. Reading a text keeps a set of positions, because several alternatives
/// may fit what has been read. An edge may also be taken by a special token as a whole, which has
/// no bytes of its own in a text.
///
/// A position counts: array rules their commas, strings their characters, white space its
/// indentation.
/// Strings have nodes of their own kind, which are not stored: kStringFlag, the string's index
/// above and the StringState in the lowest four bits.
namespace grammar {

using NodeId = uint32_t;
using RuleId = uint32_t;

inline constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();
inline constexpr NodeId kStringFlag = 0x80000000u;
/// The position after the whole text.
inline constexpr NodeId kFinished = 0x7fffffffu;
/// How many rules may be open at once, values within values. What would exceed it cannot be said.
inline constexpr uint32_t kMaxHeight = 128;
/// The most characters of indentation for each rule that is open: for values within values.
inline constexpr uint32_t kIndentation = 4;

constexpr NodeId string_node(uint32_t string, StringState state) {
  return kStringFlag | (string << 4) | static_cast<uint32_t>(state);
}
constexpr bool is_string(NodeId node) {
  return (node & kStringFlag) != 0;
}
constexpr uint32_t string_of(NodeId node) {
  return (node & ~kStringFlag) >> 4;
}
constexpr StringState state_of(NodeId node) {
  return static_cast<StringState>(node & 15u);
}

struct Edge {
  enum class Kind : uint8_t {
    kPlain,
    kCounts,   ///< Up to the rule's maximum.
    kCloses,   ///< Not before the rule's minimum.
    kIndents,  ///< Counts up to kIndentation for each rule that is open.
  };
  uint8_t low;  ///< The first and the last byte that takes it.
  uint8_t high;
  Kind kind = Kind::kPlain;
  NodeId target;
  /// The special token that takes it; then it is taken by no byte, since `low` is above `high`. -1:
  /// none.
  TokenId token = -1;
};

/// Bounds of a rule's count; without a maximum the count stays at the minimum.
struct Limits {
  uint32_t min = 0;
  uint32_t max = kNoLimit;
  /// The count after one more; only below the maximum.
  uint32_t next(uint32_t count) const {
    const uint32_t last = max == kNoLimit ? min : max;
    return count < last ? count + 1 : last;
  }
};

/// The characters of a string after its first quote.
struct StringSpec {
  Limits length;  ///< In Unicode characters.
  /// The keys that it must not be, by index; without escapes then, which could hide one. -1: none.
  int32_t excluded = -1;
};

/// What a node becomes without a byte: calls leave nodes to return to, and end at a node of the
/// last called rule.
struct Entry {
  NodeId node;
  uint32_t first_return;  ///< Outermost first.
  uint16_t num_returns;
  uint16_t height;   ///< How far it and its shortest way to an end reach above the node.
  bool keeps_count;  ///< Its outermost part belongs to the node's own rule.
};

}  // namespace grammar

/// Thread: immutable; any. Invariants: from every position that can be reached the text can be
/// finished within kMaxHeight.
class GrammarRules {
 public:
  struct Node {
    uint32_t first_edge = 0;
    uint32_t first_entry = 0;
    uint32_t limits = 0;
    /// The rules that must be open above it on the shortest way to its rule's end.
    uint16_t height = 0;
    bool ends = false;  ///< The rule may end here.
  };

  std::span<const grammar::Edge> edges(grammar::NodeId node) const {
    return std::span(m_edges).subspan(m_nodes[node].first_edge,
                                      m_nodes[node + 1].first_edge - m_nodes[node].first_edge);
  }
  std::span<const grammar::Entry> entries(grammar::NodeId node) const {
    return std::span(m_entries).subspan(m_nodes[node].first_entry,
                                        m_nodes[node + 1].first_entry - m_nodes[node].first_entry);
  }
  std::span<const grammar::NodeId> returns(const grammar::Entry& entry) const {
    return std::span(m_returns).subspan(entry.first_return, entry.num_returns);
  }
  const Node& node(grammar::NodeId node) const { return m_nodes[node]; }
  const grammar::Limits& limits(grammar::NodeId node) const {
    return m_limits[m_nodes[node].limits];
  }
  const grammar::StringSpec& string(uint32_t index) const { return m_strings[index]; }
  const KeyTrie& keys(int32_t index) const { return m_keys[static_cast<size_t>(index)]; }
  grammar::NodeId start() const { return m_start; }
  /// Whether texts begin with the model's reasoning, in marks of their own.
  bool covers_reasoning() const { return m_covers_reasoning; }
  void set_covers_reasoning() { m_covers_reasoning = true; }

 private:
  friend class GrammarBuilder;

  std::vector<Node> m_nodes;  ///< One more at the end.
  std::vector<grammar::Edge> m_edges;
  std::vector<grammar::Entry> m_entries;
  std::vector<grammar::NodeId> m_returns;
  std::vector<grammar::Limits> m_limits;
  std::vector<grammar::StringSpec> m_strings;
  std::vector<KeyTrie> m_keys;
  grammar::NodeId m_start = 0;
  bool m_covers_reasoning = false;
};

}  // namespace quire
