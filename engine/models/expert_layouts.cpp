#include "engine/models/expert_layouts.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "kernels/base/processor_cores.h"

namespace quire {
namespace {

/// How an expert is stored: (num_inputs, num_outputs), its outputs perhaps interleaved.
struct StoredExpert {
  int64_t num_inputs;
  int64_t num_outputs;
  bool interleaved;
};

/// The stored row of output n.
int64_t source_row(int64_t n, int64_t num_outputs, bool interleaved) {
  if (!interleaved) return n;
  const int64_t half = num_outputs / 2;
  return n < half ? 2 * n : 2 * (n - half) + 1;
}

/// Calls work(begin, end) for ranges that cover [0, count), each on its own thread.
template <typename Work>
void on_all_cores(int64_t count, const Work& work) {
  constexpr int64_t kLeast = 256;  // Rows that are worth a thread.
  const int64_t num_ranges = std::clamp<int64_t>(count / kLeast, 1, num_usable_cores());
  std::vector<std::jthread> threads;
  int64_t begin = 0;
  try {
    for (int64_t i = 1; i < num_ranges; ++i) {
      const int64_t end = count * i / num_ranges;
      threads.emplace_back(work, begin, end);
      begin = end;
    }
  } catch (const std::system_error&) {
    // The system has no more threads: this one does the rest.
  }
  work(begin, count);
}

/// The outputs [first, last) of transpose_expert().
template <typename Element>
void transpose(Element* out, const Element* x, const StoredExpert& expert, int64_t first,
               int64_t last) {
  const auto [num_inputs, num_outputs, interleaved] = expert;
  constexpr int64_t kTile = 64;  // Rows that stay in the cache while their columns are read.
  for (int64_t begin = 0; begin < num_inputs; begin += kTile) {
    const int64_t end = std::min(begin + kTile, num_inputs);
    for (int64_t n = first; n < last; ++n) {
      const Element* const column = x + source_row(n, num_outputs, interleaved);
      for (int64_t k = begin; k < end; ++k) out[n * num_inputs + k] = column[k * num_outputs];
    }
  }
}

constexpr size_t kPackedBytes = 16;  // Of a block of 32.

/// Bytes of elements (2 b, 2 b + 1) as bytes of elements (j, j + 16): the first half of the input
/// becomes the low nibbles.
void split_halves(std::byte* out, const std::byte* in) {
  constexpr std::byte kLow{0x0f};
  for (size_t b = 0; b < kPackedBytes / 2; ++b) {
    const std::byte first = in[b], second = in[b + kPackedBytes / 2];
    out[2 * b] = (first & kLow) | second << 4;
    out[2 * b + 1] = first >> 4 | (second & ~kLow);
  }
}

}  // namespace

std::vector<std::byte> transpose_expert(ConstTensorView x, bool interleaved) {
  const int64_t num_inputs = x.dim(0), num_outputs = x.dim(1);
  const StoredExpert expert{
      .num_inputs = num_inputs, .num_outputs = num_outputs, .interleaved = interleaved};
  std::vector<std::byte> out(
      static_cast<size_t>(dtype_span_bytes(x.dtype(), num_inputs * num_outputs)));
  on_all_cores(num_outputs, [&](int64_t first, int64_t last) {
    if (dtype_bytes(x.dtype()) == 2) {
      transpose(reinterpret_cast<uint16_t*>(out.data()), x.as<uint16_t>(), expert, first, last);
    } else {
      transpose(reinterpret_cast<uint32_t*>(out.data()), x.as<uint32_t>(), expert, first, last);
    }
  });
  return out;
}

std::vector<std::byte> repack_mxfp4(std::span<const std::byte> blocks,
                                    std::span<const std::byte> scales, int64_t num_outputs,
                                    bool interleaved) {
  const size_t blocks_per_row = scales.size() / static_cast<size_t>(num_outputs);
  std::vector<std::byte> out(blocks.size() + scales.size());
  on_all_cores(num_outputs, [&](int64_t first, int64_t last) {
    std::byte* to = out.data() + static_cast<size_t>(first) * blocks_per_row * (1 + kPackedBytes);
    for (int64_t n = first; n < last; ++n) {
      const auto row = static_cast<size_t>(source_row(n, num_outputs, interleaved));
      for (size_t i = row * blocks_per_row; i < (row + 1) * blocks_per_row; ++i) {
        *to++ = scales[i];
        split_halves(to, blocks.data() + i * kPackedBytes);
        to += kPackedBytes;
      }
    }
  });
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
