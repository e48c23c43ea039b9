#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Ends a stream of text before the first of several stop strings, however the text is cut into
/// pieces: the returned text never contains a part of the stop that ended it. Only the longest
/// suffix that may still become a stop is held back. The match that begins first wins; of several
/// that begin there, the longest, so that a match is final only when no earlier or longer one is
/// possible. Time is linear in the text
/// (Aho and Corasick, 1975, doi:10.1145/360825.360855).
/// Thread: one at a time. Invariants: m_held is the text [m_held_begin, m_position).
class StopMatcher {
 public:
  /// Empty stops are skipped; validate() refuses them.
  explicit StopMatcher(std::span<const std::string> stops);

  /// The text that can be shown after `piece`; empty after a match.
  std::string push(std::string_view piece);
  /// Ends the text: returns the rest, up to a stop that was matched.
  std::string finish();

  bool matched() const { return m_done; }
  /// The index of the stop that matched.
  std::optional<size_t> matched_stop() const;

 private:
  /// A prefix of some stop.
  struct Node {
    std::vector<std::pair<char, int>> children;
    int fallback = 0;     ///< The longest proper suffix that is a node, too.
    int depth = 0;        ///< Bytes.
    int alive_depth = 0;  ///< Of the longest suffix, itself included, that can go on.
    int stop = -1;        ///< The longest stop that is a suffix of it, itself included.
  };
  struct Match {
    uint64_t begin = 0;
    size_t stop = 0;
  };

  void add_stop(const std::string& stop, int index);
  void link();
  void link_child(int parent, char byte, int child);
  int child_of(int node, char byte) const;
  int next(int node, char byte) const;
  void note_match();
  bool is_decided() const;
  std::string take_until(uint64_t end);

  std::vector<Node> m_nodes;
  std::vector<size_t> m_lengths;  ///< Of the stops, in bytes.
  int m_state = 0;
  uint64_t m_position = 0;  ///< Bytes seen.
  uint64_t m_held_begin = 0;
  std::string m_held;
  std::optional<Match> m_match;
  bool m_done = false;
};

}  // namespace quire
