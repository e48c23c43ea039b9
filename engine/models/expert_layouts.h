#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/tensor_view.h"

namespace quire {

/// Layouts of experts in the files of gpt-oss and Llama 4. `interleaved`: outputs 0, 2, 4, ... are
/// the gate's and the others the up projection's; the results hold the gate's first.

/// x (K, N) f32|f16|bf16 as (N, K) of the same dtype.
std::vector<std::byte> transpose_expert(ConstTensorView x, bool interleaved);

/// MXFP4 as Hugging Face stores it, blocks (N, K / 32, 16) of *neighbouring* nibbles and scales
/// (N, K / 32), as rows (N, K) of DType::kMXFP4, whose bytes hold elements j and j + 16.
std::vector<std::byte> repack_mxfp4(std::span<const std::byte> blocks,
                                    std::span<const std::byte> scales, int64_t num_outputs,
                                    bool interleaved);

/// The values (N) of one expert's bias in the order of the functions above.
void separate_interleaved(std::span<float> values);

}  // namespace quire
