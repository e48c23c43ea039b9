#include "engine/quantize/quantize_row.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/quantize/block_writers.h"
#include "kernels/base/check.h"

namespace quire {
namespace {

using WriteBlock = void (*)(const float* x, const float* weights, uint8_t* out);

WriteBlock writer_of(DType dtype) {
  switch (dtype) {
    case DType::kQ4_0:
      return write_q4_0;
    case DType::kQ4_1:
      return write_q4_1;
    case DType::kQ5_0:
      return write_q5_0;
    case DType::kQ5_1:
      return write_q5_1;
    case DType::kQ8_0:
      return write_q8_0;
    case DType::kQ2_K:
      return write_q2_k;
    case DType::kQ3_K:
      return write_q3_k;
    case DType::kQ4_K:
      return write_q4_k;
    case DType::kQ5_K:
      return write_q5_k;
    case DType::kQ6_K:
      return write_q6_k;
    case DType::kIQ4_NL:
      return write_iq4_nl;
    case DType::kIQ4_XS:
      return write_iq4_xs;
    case DType::kMXFP4:
      return write_mxfp4;
    default:
      return nullptr;
  }
}

/// The weights of a block's errors. Without importance, large numbers count more, because they lie
/// in columns that matter more often than not.
void block_weights(const float* x, const float* importance, int64_t n, float* weights) {
  float squares = 0.0f;
  for (int64_t i = 0; i < n; ++i) squares += x[i] * x[i];
  const float mean = squares / static_cast<float>(n);
  for (int64_t i = 0; i < n; ++i) {
    weights[i] = importance == nullptr ? std::sqrt(mean + x[i] * x[i]) : importance[i];
  }
}

void write_16_bits(DType dtype, const float* x, int64_t n, uint8_t* out) {
  for (int64_t i = 0; i < n; ++i) {
    store_u16(out + 2 * i, dtype == DType::kF16 ? f32_to_f16(x[i]) : f32_to_bf16(x[i]));
  }
}

}  // namespace

float largest_quantizable(DType dtype) {
  if (dtype == DType::kF32) return std::numeric_limits<float>::max();
  // What rounds to infinity in bf16, and what 6 * 2^126 is to MXFP4.
  if (dtype == DType::kBF16 || dtype == DType::kMXFP4) return 3e38f;
  return 65504.0f;
}

void quantize_row(DType dtype, const float* x, const float* importance, int64_t n, void* out) {
  auto* bytes = static_cast<uint8_t*>(out);
  if (dtype == DType::kF32) {
    std::memcpy(out, x, static_cast<size_t>(n) * sizeof(float));
    return;
  }
  if (dtype == DType::kF16 || dtype == DType::kBF16) return write_16_bits(dtype, x, n, bytes);
  const WriteBlock write = writer_of(dtype);
  const int64_t size = dtype_block_elements(dtype), stride = dtype_block_bytes(dtype);
  CHECK(write != nullptr && n % size == 0);
  float weights[kSuperBlock];
  for (int64_t i = 0; i < n; i += size, bytes += stride) {
    block_weights(x + i, importance == nullptr ? nullptr : importance + i, size, weights);
    write(x + i, weights, bytes);
  }
}

}  // namespace quire
