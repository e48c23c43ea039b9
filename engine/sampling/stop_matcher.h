#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Ends a stream of text before the first of several stop strings, however the text is cut into
/// pieces: what is passed on never contains any part of the stop that ended it. Held back is only
/// the longest suffix that may still become a stop. The match that begins first counts; of several
/// that begin there, the longest: so a stop that has been seen waits for one that began earlier or
/// goes on, as long as it still may come. Time is linear in the text
/// (Aho and Corasick, 1975, doi:10.1145/360825.360855).
/// Thread: one at a time. Invariants: m_held is the text [m_held_begin, m_position).
class StopMatcher {
 public:
  /// Empty stops are skipped; validate() refuses them.
  explicit StopMatcher(std::span<const std::string> stops);

  /// The text that `piece` frees for showing. After a match there is none.
  std::string push(std::string_view piece);
  /// The text ends: the rest, or nothing if a stop was waiting for a better one.
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
