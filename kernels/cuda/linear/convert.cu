// Conversions around GEMMs: activations to halves and int8, packed weights to halves, and the
// bias.

#include "kernels/cuda/device/launch_order.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "kernels/cuda/linear/out_rows.h"
#include "kernels/cuda/weights/formats/formats.h"

namespace quire::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpSize;

/// A thread rounds a vector; in int8 four lanes share a group. Grid: (rows, vectors of a row in
/// halves / kThreads). Bound by memory: 6 bytes an input in halves, 5.25 in int8, in whole sectors.
template <RowFormat kFormat>
__global__ void __launch_bounds__(kThreads)
    quantize_activations_kernel(OutRows out, const float* x, int64_t x_stride, int64_t num_inputs,
                                int row_vectors) {
  begin_in_order();
  const int index = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  if (index >= row_vectors) return;
  float2 inputs[4];
  load_vector(inputs, x + blockIdx.x * x_stride, index, num_inputs, has_aligned_rows(x, x_stride));
  store_vector(out.words(blockIdx.x), index, inputs, kFormat, true);
}

/// Grid: (rows, inputs / kThreads). Bound by memory; what is read of x is in the caches.
__global__ void __launch_bounds__(kThreads)
    order_activations_kernel(float* ordered, const float* x, int64_t x_stride, const int32_t* order,
                             int num_inputs) {
  const int k = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  if (k >= num_inputs) return;
  const int64_t row = blockIdx.x;
  ordered[row * num_inputs + k] = __ldg(x + row * x_stride + __ldg(order + k));
}

/// Grid: (rows, outputs / kThreads).
__global__ void __launch_bounds__(kThreads)
    scale_outputs_kernel(float* out, int64_t out_stride, const float* scales, const float* bias,
                         int num_outputs) {
  const int output = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  if (output >= num_outputs) return;
  float* const to = out + blockIdx.x * out_stride + output;
  const float scaled = __fmul_rn(*to, __ldg(scales + output));
  *to = bias == nullptr ? scaled : __fadd_rn(scaled, __ldg(bias + output));
}

/// One warp for each unit: a lane's fragments of two steps are one vector of row g and one of row
/// g + 8, so that the four lanes of a row write 64 adjacent bytes. Bound by memory: the bytes of
/// the units, and 2 bytes for each weight.
template <typename Format>
__global__ void __launch_bounds__(kThreads)
    unpack_weights_kernel(uint4* unpacked, const uint8_t* units, int64_t num_all_units,
                          int num_units) {
  const int64_t index = int64_t{blockIdx.x} * kWarps + warp_index();
  if (index >= num_all_units) return;
  constexpr int kUnitPairs = Format::kUnitInputs / kPairInputs;
  const int lane = lane_index();
  const typename Format::Unit unit = Format::load(units + index * Format::kUnitBytes, lane);
  const int64_t row_vectors = int64_t{num_units} * kUnitPairs * kPairVectors;
  uint4* const row_g = unpacked + (index / num_units * kUnitOutputs + lane / 4) * row_vectors +
                       index % num_units * (kUnitPairs * kPairVectors) + lane % 4;
  uint4* const row_g8 = row_g + 8 * row_vectors;
#pragma unroll
  for (int pair = 0; pair < kUnitPairs; ++pair) {
    uint32_t first[4], second[4];
    Format::fragment(unit, 2 * pair, first);
    Format::fragment(unit, 2 * pair + 1, second);
    row_g[pair * kPairVectors] = make_uint4(first[0], first[2], second[0], second[2]);
    row_g8[pair * kPairVectors] = make_uint4(first[1], first[3], second[1], second[3]);
  }
}

/// Grid: (rows, outputs / kThreads).
__global__ void __launch_bounds__(kThreads)
    fill_with_bias_kernel(float* out, int64_t out_stride, const float* bias, int num_outputs) {
  const int output = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  if (output < num_outputs) out[blockIdx.x * out_stride + output] = __ldg(bias + output);
}

}  // namespace

size_t ordered_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  return static_cast<size_t>(
      round_up_to(num_rows * num_inputs * int64_t{sizeof(float)}, kSegmentAlignment));
}

ConstTensorView order_activations(CommandQueue& queue, const char* operation, float* ordered,
                                  ConstTensorView x, const int32_t* order) {
  const auto num_inputs = static_cast<int>(x.dim(1));
  const LaunchShape shape = {
      .grid = {static_cast<unsigned>(x.dim(0)), grid_size(num_inputs, kThreads)},
      .block = {kThreads}};
  launch(queue, operation, order_activations_kernel, shape, ordered, x.as<float>(), x.row_stride(),
         order, num_inputs);
  return {ordered, DType::kF32, {x.dim(0), x.dim(1)}};
}

void scale_outputs(CommandQueue& queue, const char* operation, TensorView out, const float* scales,
                   ConstTensorView bias) {
  const auto num_outputs = static_cast<int>(out.dim(1));
  const LaunchShape shape = {
      .grid = {static_cast<unsigned>(out.dim(0)), grid_size(num_outputs, kThreads)},
      .block = {kThreads}};
  launch(queue, operation, scale_outputs_kernel, shape, out.as<float>(), out.row_stride(), scales,
         bias.empty() ? nullptr : bias.as<float>(), num_outputs);
}

size_t quantized_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  static_assert(kChunkVectors > kChunkInt8Vectors);  // Halves take more.
  return static_cast<size_t>(num_rows * num_chunks_of(num_inputs) * kChunkVectors) * sizeof(uint4);
}

void quantize_activations(CommandQueue& queue, const char* operation, uint4* quantized,
                          const ConstTensorView& x, DType dtype) {
  const OutRows out = out_rows_of(quantized_activations(quantized, dtype, x.dim(0), x.dim(1)));
  const auto row_vectors = static_cast<int>(num_chunks_of(x.dim(1)) * kChunkVectors);
  const auto kernel = out.format == RowFormat::kI8 ? quantize_activations_kernel<RowFormat::kI8>
                      : out.format == RowFormat::kF16
                          ? quantize_activations_kernel<RowFormat::kF16>
                          : quantize_activations_kernel<RowFormat::kBF16>;
  launch_early(queue, operation, kernel,
               {.grid = {static_cast<unsigned>(x.dim(0)), grid_size(row_vectors, kThreads)},
                .block = {kThreads}},
               out, x.as<float>(), x.row_stride(), x.dim(1), row_vectors);
}

void unpack_weights(CommandQueue& queue, const char* operation, DType dtype, uint4* unpacked,
                    const uint8_t* groups, int64_t num_groups, int num_units) {
  const int64_t num_all_units = num_groups * num_units;
  const LaunchShape shape = {.grid = {grid_size(num_all_units, kWarps)}, .block = {kThreads}};
  with_format(dtype, queue.facts().has_bf16_mma, [&](auto format) {
    launch(queue, operation, unpack_weights_kernel<decltype(format)>, shape, unpacked, groups,
           num_all_units, num_units);
  });
}

void fill_with_bias(CommandQueue& queue, const char* operation, const GemmTask& gemm) {
  const LaunchShape shape = {
      .grid = {static_cast<unsigned>(gemm.num_rows), grid_size(gemm.num_outputs, kThreads)},
      .block = {kThreads}};
  launch(queue, operation, fill_with_bias_kernel, shape, gemm.out, gemm.out_stride, gemm.bias,
         gemm.num_outputs);
}

}  // namespace quire::cuda
