#pragma once

#include <string>
#include <string_view>

namespace quire {

/// Collects one line that ends with CR LF from bytes that arrive in pieces.
class LineReader {
 public:
  enum class State {
    kIncomplete,
    kComplete,
    kBroken,  ///< A line feed without a carriage return before it, or the other way round.
    kTooLong,
  };

  /// Reads up to the end of the line; returns how many of `bytes`, which are not empty, it used.
  /// `max_bytes`: of the line with its end.
  size_t feed(std::string_view bytes, size_t max_bytes);
  State state() const { return m_state; }
  /// Without its end; valid until clear().
  std::string_view line() const;
  void clear();

 private:
  std::string m_line;
  State m_state = State::kIncomplete;
};

}  // namespace quire
