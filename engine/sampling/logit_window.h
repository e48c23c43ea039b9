#pragma once

#include "engine/sampling/logit_passes.h"

namespace quire {

// LogitPasses::part for each instruction set.

double part_plain(std::span<const float> logits, SoftmaxWeight weight, const Parting& parting,
                  std::span<double> sums, WindowTokens& tokens);
#ifdef __x86_64__
double part_avx2(std::span<const float> logits, SoftmaxWeight weight, const Parting& parting,
                 std::span<double> sums, WindowTokens& tokens);
double part_avx512(std::span<const float> logits, SoftmaxWeight weight, const Parting& parting,
                   std::span<double> sums, WindowTokens& tokens);
#endif

}  // namespace quire
