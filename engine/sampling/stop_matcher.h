#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

/// Ends a stream of text before the first of several stop strings, however the text is cut into
/// pieces: the returned text never contains a part of the stop that ended it. Only the longest
/// suffix that may still become a stop is held back. The match that begins first wins, and is final
/// only when no earlier or longer one is possible. Each byte of the text is compared with each stop
/// once, and the held text once more for each piece.
/// Thread: one at a time.
class StopMatcher {
 public:
  /// Empty stops are skipped; validate() refuses them.
  explicit StopMatcher(std::span<const std::string> stops);

  /// The text that can be shown after `piece`; empty after a match.
  std::string push(std::string_view piece);
  /// Ends the text: returns the rest, up to a stop that was matched.
  std::string finish();

  bool matched() const { return m_matched; }
  /// The stop string that was matched; empty before.
  const std::string& matched_stop() const { return m_stop; }

 private:
  /// Whether the held text from some byte on begins with a stop string.
  struct Beginning {
    const std::string* stop = nullptr;  ///< The longest; null: none.
    bool may_become_stop = false;       ///< Or a longer one.
  };
  Beginning beginning_at(size_t begin) const;
  std::string take(size_t count);

  std::vector<std::string> m_stops;
  std::string m_held;  ///< Begins with what may become a stop.
  std::string m_stop;
  bool m_matched = false;
};

}  // namespace quire
