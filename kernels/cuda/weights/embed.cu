#include "kernels/base/shape_checks.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/formats/formats.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {
namespace {

constexpr int kEmbedThreads = 128;

/// The arguments of the kernels for one segment.
struct EmbedArguments {
  float* out;
  int64_t out_stride;
  const int32_t* ids;
  float scale;
  int64_t num_inputs;
  LinearSegment segment;

  /// The token's row of the segment, or -1 if another segment has it.
  __device__ int64_t row_of(int64_t token) const {
    const int64_t row = ids[token] - segment.first_output;
    return row >= 0 && row < segment.num_outputs ? row : -1;
  }
};

/// One block for each token. Lanes 4 i to 4 i + 3 of a warp decode the i-th of eight units, each as
/// one of the four lanes that hold the token's row. Bound by latency: a token is a few KB.
template <typename Format>
__global__ void __launch_bounds__(kEmbedThreads) embed_units_kernel(EmbedArguments arguments) {
  const LinearSegment& segment = arguments.segment;
  const int64_t row = arguments.row_of(blockIdx.x);
  if (row < 0) return;
  const int row_of_unit = static_cast<int>(row % kUnitOutputs);
  const bool is_upper = row_of_unit >= 8;
  const int quad = static_cast<int>(threadIdx.x) % 4;
  const int lane = row_of_unit % 8 * 4 + quad;
  const uint8_t* const units =
      segment.data + row / kUnitOutputs * segment.num_units * Format::kUnitBytes;
  float* const out = arguments.out + blockIdx.x * arguments.out_stride;

  for (int64_t u = threadIdx.x / 4; u < segment.num_units; u += kEmbedThreads / 4) {
    const typename Format::Unit unit = Format::load(units + u * Format::kUnitBytes, lane);
#pragma unroll
    for (int step = 0; step < Format::kUnitInputs / 16; ++step) {
      uint32_t a[4];
      Format::fragment(unit, step, a);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const uint32_t halves = i < 2 ? (is_upper ? a[1] : a[0]) : (is_upper ? a[3] : a[2]);
        const auto bits = static_cast<uint16_t>(i % 2 == 0 ? halves : halves >> 16);
        const int64_t input = u * Format::kUnitInputs + 16 * step + i / 2 * 8 + quad * 2 + i % 2;
        if (input < arguments.num_inputs) {
          out[input] = half_to_float<Format::kHalf>(bits) * arguments.scale;
        }
      }
    }
  }
}

/// As embed_units_kernel, for rows of floats.
__global__ void __launch_bounds__(kEmbedThreads) embed_floats_kernel(EmbedArguments arguments) {
  const int64_t row = arguments.row_of(blockIdx.x);
  if (row < 0) return;
  const float* const from =
      reinterpret_cast<const float*>(arguments.segment.data) + row * arguments.segment.row_stride;
  float* const out = arguments.out + blockIdx.x * arguments.out_stride;
  for (int64_t i = threadIdx.x; i < arguments.num_inputs; i += kEmbedThreads) {
    out[i] = from[i] * arguments.scale;
  }
}

}  // namespace

void embed(CommandQueue& queue, TensorView out, const LinearWeight& table, ConstTensorView ids,
           float scale) {
  const auto& weight = static_cast<const PackedWeight&>(table);
  const int64_t num_tokens = out.dim(0);
  CHECK(weight.input_order() == nullptr && weight.output_scales() == nullptr);
  CHECK(have_shape({out}, {num_tokens, weight.num_inputs()}));
  CHECK(has_shape(ids, DType::kI32, {num_tokens}));
  const LaunchShape shape{dim3(grid_size(num_tokens, 1)), dim3(kEmbedThreads)};
  for (const LinearSegment& segment : weight.segments()) {
    const EmbedArguments arguments{out.as<float>(), out.row_stride(),    ids.as<int32_t>(),
                                   scale,           weight.num_inputs(), segment};
    if (segment.dtype == DType::kF32) {
      launch(queue, "embed", embed_floats_kernel, shape, arguments);
      continue;
    }
    with_format(segment.dtype, queue.facts().has_bf16_mma, [&](auto format) {
      launch(queue, "embed", embed_units_kernel<decltype(format)>, shape, arguments);
    });
  }
}

}  // namespace quire::cuda
