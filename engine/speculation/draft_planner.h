#pragma once

#include <array>
#include <span>
#include <vector>

namespace quire {

/// Whether guesses of the next tokens are computed beside the token before them, so that a step
/// gives several tokens if they were right. They never change an answer.
enum class SpeculationMode {
  kOff,
  kAuto,    ///< As far as it is measured to be faster; not on devices that run ahead.
  kAlways,  ///< Every guess, whatever it costs: for comparisons.
};

/// Decides how many drafts the sequences of a step compute: as many as promise the most tokens per
/// second, by what steps of so many rows were measured to cost. Thread: one at a time.
class DraftPlanner {
 public:
  /// Drafts of one sequence.
  static constexpr int kMaxDrafts = 15;
  /// Rows of a step with drafts.
  static constexpr int kMaxRows = 64;

  struct Candidate {
    double chance = 0.0;  ///< That a draft is right if those before it are.
    int most = 0;         ///< Drafts that there are.
    bool focused = false;
  };
  /// How many drafts each candidate computes, beside the `num_rows` rows that are computed anyway.
  /// None if that promises less than a fiftieth more.
  std::vector<int> plan(std::span<const Candidate> candidates, int num_rows) const;

  /// A step of decodes with so many rows, drafts included, took so long.
  void note_step(int num_rows, double milliseconds);
  /// What such a step is expected to take; 0 before any was measured.
  double expected_ms(int num_rows) const;

 private:
  std::array<double, kMaxRows + 1> m_costs{};  ///< Running means by rows, in ms; 0: never measured.
};

/// How often the guesses of a sequence were right, by how much text they were made from.
class DraftRecord {
 public:
  /// `match`: the number of tokens that a guess was made from.
  double chance(int match) const { return m_chances[bucket_of(match)]; }
  /// A guess was right or wrong. Only the first wrong one of several counts, and none after it.
  void note(int match, bool is_right);

 private:
  static size_t bucket_of(int match);
  /// What was measured on text and code is far apart; these are where nothing is known.
  std::array<double, 4> m_chances = {0.3, 0.45, 0.6, 0.8};
};

}  // namespace quire
