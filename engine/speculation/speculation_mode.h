#pragma once

namespace quire {

/// Whether guesses of the next tokens are computed beside the token before them, so that a step
/// gives several tokens if they were right. They never change an answer.
enum class SpeculationMode {
  kOff,
  kAuto,    ///< As far as it is measured to be faster; not on devices that run ahead.
  kAlways,  ///< Every guess, whatever it costs: for comparisons.
};

/// Drafts of one sequence in a step, at most.
inline constexpr int kMaxDrafts = 15;

}  // namespace quire
