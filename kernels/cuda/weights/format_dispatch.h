#pragma once

#include <type_traits>

#include "kernels/base/check.h"
#include "kernels/base/dtype.h"
#include "kernels/cuda/weights/formats/halves.h"
#include "kernels/cuda/weights/formats/k_quants.h"
#include "kernels/cuda/weights/formats/legacy.h"
#include "kernels/cuda/weights/formats/tables.h"

namespace quire::cuda {

/// Calls body(Format()) with the format that weights of this dtype are packed in; f32 has none.
/// Without bf16 tensor cores (GpuFacts::has_bf16_mma) the formats of bf16 and mxfp4 are f16's,
/// and their values saturate.
template <typename Body>
decltype(auto) with_format(DType dtype, bool has_bf16, Body&& body) {
  switch (dtype) {
    case DType::kF16:
      return body(HalvesFormat<Half::kF16>());
    case DType::kBF16:
      if (has_bf16) return body(HalvesFormat<Half::kBF16>());
      return body(HalvesFormat<Half::kF16>());
    case DType::kQ4_0:
      return body(Q4_0Format());
    case DType::kQ4_1:
      return body(Q4_1Format());
    case DType::kQ5_0:
      return body(Q5_0Format());
    case DType::kQ5_1:
      return body(Q5_1Format());
    case DType::kQ8_0:
      return body(Q8_0Format());
    case DType::kQ2_K:
      return body(Q2KFormat());
    case DType::kQ3_K:
      return body(Q3KFormat());
    case DType::kQ4_K:
      return body(Q4KFormat());
    case DType::kQ5_K:
      return body(Q5KFormat());
    case DType::kQ6_K:
      return body(Q6KFormat());
    case DType::kIQ4_NL:
      return body(Iq4NlFormat());
    case DType::kIQ4_XS:
      return body(Iq4XsFormat());
    default:
      CHECK(dtype == DType::kMXFP4);
      if (has_bf16) return body(Mxfp4Format<Half::kBF16>());
      return body(Mxfp4Format<Half::kF16>());
  }
}

}  // namespace quire::cuda
