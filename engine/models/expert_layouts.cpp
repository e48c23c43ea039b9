#include "engine/models/expert_layouts.h"

#include <algorithm>

namespace quire {
namespace {

/// Where output n comes from.
int64_t source_row(int64_t n, int64_t num_outputs, bool interleaved) {
  if (!interleaved) return n;
  const int64_t half = num_outputs / 2;
  return n < half ? 2 * n : 2 * (n - half) + 1;
}

template <typename Element>
void transpose(Element* out, const Element* x, int64_t num_inputs, int64_t num_outputs,
               bool interleaved) {
  constexpr int64_t kTile = 64;  // Rows that fit the cache while their columns are visited.
  for (int64_t begin = 0; begin < num_inputs; begin += kTile) {
    const int64_t end = std::min(begin + kTile, num_inputs);
    for (int64_t n = 0; n < num_outputs; ++n) {
      const Element* const column = x + source_row(n, num_outputs, interleaved);
      for (int64_t k = begin; k < end; ++k) out[n * num_inputs + k] = column[k * num_outputs];
    }
  }
}

constexpr size_t kPackedBytes = 16;  // Of a block of 32.

/// Bytes of elements (2 b, 2 b + 1) as bytes of elements (j, j + 16).
void split_halves(std::byte* out, const std::byte* in) {
  const auto element = [&](size_t i) {
    return i % 2 == 0 ? in[i / 2] & std::byte{0x0f} : in[i / 2] >> 4;
  };
  for (size_t j = 0; j < kPackedBytes; ++j) {
    out[j] = element(j) | element(j + kPackedBytes) << 4;
  }
}

}  // namespace

std::vector<std::byte> transpose_expert(ConstTensorView x, bool interleaved) {
  const int64_t num_inputs = x.dim(0), num_outputs = x.dim(1);
  std::vector<std::byte> out(
      static_cast<size_t>(dtype_span_bytes(x.dtype(), num_inputs * num_outputs)));
  if (dtype_bytes(x.dtype()) == 2) {
    transpose(reinterpret_cast<uint16_t*>(out.data()), x.as<uint16_t>(), num_inputs, num_outputs,
              interleaved);
  } else {
    transpose(reinterpret_cast<uint32_t*>(out.data()), x.as<uint32_t>(), num_inputs, num_outputs,
              interleaved);
  }
  return out;
}

std::vector<std::byte> relay_mxfp4(std::span<const std::byte> blocks,
                                   std::span<const std::byte> scales, int64_t num_outputs,
                                   bool interleaved) {
  const size_t blocks_per_row = scales.size() / static_cast<size_t>(num_outputs);
  std::vector<std::byte> out;
  out.resize(blocks.size() + scales.size());
  std::byte* to = out.data();
  for (int64_t n = 0; n < num_outputs; ++n) {
    const auto row = static_cast<size_t>(source_row(n, num_outputs, interleaved));
    for (size_t i = row * blocks_per_row; i < (row + 1) * blocks_per_row; ++i) {
      *to++ = scales[i];
      split_halves(to, blocks.data() + i * kPackedBytes);
      to += kPackedBytes;
    }
  }
  return out;
}

void separate_interleaved(std::span<float> values) {
  const std::vector<float> original(values.begin(), values.end());
  const auto count = static_cast<int64_t>(values.size());
  for (int64_t n = 0; n < count; ++n) {
    values[static_cast<size_t>(n)] = original[static_cast<size_t>(source_row(n, count, true))];
  }
}

}  // namespace quire
