#pragma once

#include <vector>

#include "kernels/backend.h"

namespace quire::test {

/// Attention in double precision over host memory, and how rounding moves it.
struct AttentionInDouble {
  std::vector<double> out;  ///< (T, H, Dv), Dv as values have.
  /// (T, H, Dv): by how much an element errs if each product of query and key, each weight and each
  /// value errs by its own random relative error of 1: sqrt(sum over keys of (weight (1 + spread of
  /// the score) (|value| + |out|))^2), the spread being scale * sqrt(sum of (q k)^2).
  std::vector<double> spread;
};

/// kv: pages of f32, in host memory, as are all views.
AttentionInDouble attend_in_double(const ConstTensorView& q, const KvLayerView& kv,
                                   const AttentionBatch& batch, const AttentionParams& params);

}  // namespace quire::test
