#pragma once

#include <array>
#include <cstddef>

namespace quire {

/// How often the guesses of a sequence from one source of text were right, by the length of the
/// match that they were made from. A guess is judged even if it was not computed, so a chance can
/// begin at 0 and rise before any draft is computed. Thread: one at a time.
class DraftRecord {
 public:
  /// The probability that a guess is right. match: the number of tokens that it was made from; for
  /// the second and later tokens of a guess, including the tokens before them.
  double chance(int match) const { return m_buckets[bucket_of(match)].chance; }
  /// Records whether a guess was right. Of the tokens of one guess, those after the first wrong one
  /// are not recorded.
  void note(int match, bool is_right);

 private:
  struct Bucket {
    double chance = 0.0;
    int count = 0;
  };
  static size_t bucket_of(int match);
  std::array<Bucket, 4> m_buckets = {};
};

/// How often a model's guesses for a sequence were right. Unlike guesses from text, these are known
/// only where the model was asked. So a low chance rises slowly with each step, and the model is
/// asked again after a while. Thread: one at a time.
class ModelRecord {
 public:
  /// chance: what it begins with.
  explicit ModelRecord(double chance) : m_chance(chance) {}
  double chance() const { return m_chance; }
  void note(bool is_right);
  /// Lets a low chance rise a little, for each step.
  void pass();

 private:
  double m_chance;
};

/// How often a model's guesses were right for all sequences, recent ones above all: what a new
/// sequence begins with. Thread: one at a time.
class LearntChance {
 public:
  double chance() const { return m_chance; }
  void note(bool is_right);
  /// As ModelRecord::pass().
  void pass();

 private:
  double m_chance = 0.7;
  int m_count = 0;
};

}  // namespace quire
