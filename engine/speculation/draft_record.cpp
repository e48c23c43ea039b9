#include "engine/speculation/draft_record.h"

#include <algorithm>

namespace quire {
namespace {

/// The weight of a new guess in a chance, at least.
constexpr double kNewGuess = 0.125;

/// A chance after a step: one that was low rises a little.
double risen(double chance) {
  constexpr double kUnknown = 0.5, kForgottenGuess = 0.004;
  return chance < kUnknown ? chance + kForgottenGuess * (kUnknown - chance) : chance;
}

}  // namespace

/// The first guesses have the weights of an arithmetic mean that begins with one wrong guess.
void DraftRecord::note(int match, bool is_right) {
  Bucket& bucket = m_buckets[bucket_of(match)];
  bucket.count = std::min(bucket.count + 1, 1000);
  const double weight = std::max(kNewGuess, 1.0 / (bucket.count + 1));
  bucket.chance += weight * ((is_right ? 1.0 : 0.0) - bucket.chance);
}

size_t DraftRecord::bucket_of(int match) {
  return match < 3 ? 0 : match < 5 ? 1 : match < 9 ? 2 : 3;
}

void ModelRecord::note(bool is_right) {
  m_chance += kNewGuess * ((is_right ? 1.0 : 0.0) - m_chance);
}

void ModelRecord::pass() {
  m_chance = risen(m_chance);
}

/// The first guesses have the weights of an arithmetic mean that begins with kAssumedGuesses at the
/// first chance.
void LearntChance::note(bool is_right) {
  constexpr int kAssumedGuesses = 4;
  constexpr double kLeastWeight = 1.0 / 64.0;
  m_count = std::min(m_count + 1, 1000);
  const double weight = std::max(kLeastWeight, 1.0 / (m_count + kAssumedGuesses));
  m_chance += weight * ((is_right ? 1.0 : 0.0) - m_chance);
}

void LearntChance::pass() {
  m_chance = risen(m_chance);
}

}  // namespace quire
