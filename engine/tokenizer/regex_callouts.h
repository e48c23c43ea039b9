#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quire {

/// A regular expression with callouts `(?C1)` where a backtracking search can come by very often:
/// before an item that matches a varying length of text, if what follows it can fail, so that the
/// search returns to it, and in each repeat of a group that takes long. Between two callouts a
/// search does no more work than one pass over the text and the pattern's fixed repeats. The number
/// of the callout stands for that work (see callout_steps). There is no callout before an item at
/// which a search cannot spend much: a short one that is the first of its alternative, or the last
/// one of its alternative. What the expression matches does not change.
///
/// `pattern` is what translate_oniguruma wrote.
std::string with_callouts(std::string_view pattern);

/// The most steps of a pattern's fixed part, and of its passes at each byte, that the smallest
/// number stands for: real patterns have fewer. The next numbers stand for twice as many, and so
/// on.
inline constexpr uint64_t kCalloutSteps = 4096;
inline constexpr uint64_t kCalloutPassSteps = 16;
inline constexpr uint32_t kMaxCalloutSize = 14;
inline constexpr uint32_t kMaxCalloutPass = 15;

/// How many steps a search may take between a callout of that number and the next one, where up to
/// `kCalloutPassSteps` at a byte count as one.
constexpr uint64_t callout_steps(uint32_t number, size_t bytes_left) {
  const uint32_t size = (number - 1) / (kMaxCalloutPass + 1);
  const uint32_t pass = (number - 1) % (kMaxCalloutPass + 1);
  return (size == 0 ? 0 : kCalloutSteps << size) + (uint64_t{bytes_left} << pass);
}

}  // namespace quire
