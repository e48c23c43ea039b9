#pragma once

#include <array>
#include <cstddef>

namespace quire {

/// How often the guesses of a sequence from one source of text were right, by how much text they
/// were made from. A guess is judged whether it was computed or not, so a chance is 0 until one was
/// right.
class DraftRecord {
 public:
  /// `match`: the number of tokens that a guess was made from; of a later draft of one guess, with
  /// those before it.
  double chance(int match) const { return m_buckets[bucket_of(match)].chance; }
  /// A guess was right or wrong. Only the first wrong one of several counts, and none after it.
  void note(int match, bool is_right);

 private:
  struct Bucket {
    double chance = 0.0;
    int count = 0;
  };
  static size_t bucket_of(int match);
  std::array<Bucket, 4> m_buckets = {};
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
