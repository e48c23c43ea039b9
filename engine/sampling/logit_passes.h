#pragma once

#include <cstddef>
#include <span>

#include "engine/sampling/softmax_weight.h"

namespace quire {

/// Logits of a block.
inline constexpr size_t kLogitBlock = 64;

/// The passes over a whole vocabulary for one instruction set. All are made of the same IEEE
/// operations in the same order, so that their results are the same bits.
struct LogitPasses {
  const char* name;
  /// maxima[b] = the largest logit of block b; the last block may be short. Returns whether every
  /// logit is a number below infinity; if not, maxima are of no use.
  bool (*scan)(std::span<const float> logits, std::span<float> maxima);
  /// sums[b] = the weights of block b: sixteen running sums, then one.
  void (*sum)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> sums);
  /// weights[i] = weight(logits[i]).
  void (*weigh)(std::span<const float> logits, SoftmaxWeight weight, std::span<float> weights);
};

/// Those that this processor can run, the fastest first.
std::span<const LogitPasses> logit_passes();

}  // namespace quire
