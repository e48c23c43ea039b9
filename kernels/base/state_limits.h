#pragma once

#include <cstdint>

namespace quire {

/// The widest states of recurrent heads that the CUDA kernels compute: Dk of Backend::gated_delta,
/// N of Backend::mamba2_scan.
inline constexpr int64_t kMaxGpuStateWidth = 256;

}  // namespace quire
