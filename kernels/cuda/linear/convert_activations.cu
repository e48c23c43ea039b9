#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/inputs.h"

namespace quire::cuda {
namespace {

constexpr int kThreads = 256;

/// A thread makes one vector. Grid: (rows, vectors of a row / kThreads). Bound by memory: 6 bytes
/// an input, in whole sectors of 32 bytes.
template <Half kHalf>
__global__ void __launch_bounds__(kThreads)
    convert_activations_kernel(uint4* halves, const float* x, int64_t x_stride, int64_t num_inputs,
                               int row_vectors) {
  const int index = static_cast<int>(blockIdx.y * kThreads + threadIdx.x);
  if (index >= row_vectors) return;
  const int64_t row = blockIdx.x;
  const float* const inputs = x + row * x_stride;
  const bool is_aligned = reinterpret_cast<uintptr_t>(inputs) % sizeof(float2) == 0;
  halves[row * row_vectors + index] = convert_vector<kHalf>(inputs, index, num_inputs, is_aligned);
}

}  // namespace

size_t half_activation_bytes(int64_t num_rows, int64_t num_inputs) {
  return static_cast<size_t>(num_rows * num_chunks_of(num_inputs) * kChunkVectors) * sizeof(uint4);
}

void convert_activations(CommandQueue& queue, const char* operation, uint4* halves, const float* x,
                         int64_t x_stride, int64_t num_rows, int64_t num_inputs, Half half) {
  const auto row_vectors = static_cast<int>(num_chunks_of(num_inputs) * kChunkVectors);
  const LaunchShape shape = {
      .grid = {static_cast<unsigned>(num_rows), grid_size(row_vectors, kThreads)},
      .block = {kThreads}};
  const auto kernel = half == Half::kF16 ? convert_activations_kernel<Half::kF16>
                                         : convert_activations_kernel<Half::kBF16>;
  launch(queue, operation, kernel, shape, halves, x, x_stride, num_inputs, row_vectors);
}

}  // namespace quire::cuda
