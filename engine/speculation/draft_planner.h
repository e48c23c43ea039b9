#pragma once

#include <array>
#include <span>
#include <vector>

namespace quire {

/// Decides how many drafts the sequences of a step compute: as many as promise the most tokens per
/// second, by what steps of so many rows were measured to cost. Thread: one at a time.
class DraftPlanner {
 public:
  /// Rows of a step with drafts.
  static constexpr int kMaxRows = 64;

  struct Candidate {
    double chance = 0.0;  ///< That a draft is right if those before it are.
    int most = 0;         ///< Drafts that there are, or may be.
    bool focused = false;
    double ms_per_draft = 0.0;  ///< What guessing one takes.
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

/// How often a model's guesses for a sequence were right. Unlike those from the text they are not
/// known where none was asked for: what is old is forgotten slowly, so that it is asked again.
class ModelRecord {
 public:
  double chance() const { return m_chance; }
  void note(bool is_right);
  /// A step has passed.
  void pass();

 private:
  double m_chance = 0.7;
};

}  // namespace quire
