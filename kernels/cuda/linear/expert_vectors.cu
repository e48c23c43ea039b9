// Orders of inputs and factors of outputs, which each expert has for itself.

#include <algorithm>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/expert_rows.h"

namespace quire::cuda {
namespace {

constexpr int kVectorThreads = 256;

/// A vector of each expert of a launch, or null.
template <typename Element>
struct ExpertVectors {
  int first_expert;
  int num_experts;
  const Element* vectors[kExpertsOfLaunch];

  /// Whether the row's expert is of this launch.
  __device__ bool has(int expert) const {
    return expert >= first_expert && expert < first_expert + num_experts;
  }
};

/// Grid: (rows, inputs / kVectorThreads).
__global__ void __launch_bounds__(kVectorThreads)
    order_inputs_kernel(float* ordered, const float* x, int64_t x_stride, int rows_per_x,
                        int num_inputs, const ExpertRows rows,
                        const __grid_constant__ ExpertVectors<int32_t> orders) {
  const auto row = static_cast<int>(blockIdx.x);
  const int k = static_cast<int>(blockIdx.y * kVectorThreads + threadIdx.x);
  const int expert = expert_of(rows, row);
  if (k >= num_inputs || !orders.has(expert)) return;
  const int32_t* const order = orders.vectors[expert - orders.first_expert];
  const int input = order == nullptr ? k : __ldg(order + k);
  ordered[int64_t{row} * num_inputs + k] = __ldg(x + row / rows_per_x * x_stride + input);
}

/// Grid: (rows, outputs / kVectorThreads).
__global__ void __launch_bounds__(kVectorThreads)
    scale_expert_outputs_kernel(float* out, int64_t out_stride, int num_outputs,
                                const ExpertRows rows,
                                const __grid_constant__ ExpertVectors<float> scales) {
  const auto row = static_cast<int>(blockIdx.x);
  const int output = static_cast<int>(blockIdx.y * kVectorThreads + threadIdx.x);
  const int expert = expert_of(rows, row);
  if (output >= num_outputs || !scales.has(expert)) return;
  const float* const of_expert = scales.vectors[expert - scales.first_expert];
  float* const to = out + row * out_stride + output;
  float number = *to;
  if (of_expert != nullptr) number = __fmul_rn(number, __ldg(of_expert + output));
  if (rows.biases != nullptr) {
    number = __fadd_rn(number, __ldg(rows.biases + expert * rows.biases_stride + output));
  }
  *to = number;
}

/// Calls submit(vectors) for the experts of each launch. vector_of(weight): its vector, or null.
template <typename Element, typename VectorOf, typename Submit>
void for_each_launch(std::span<const LinearWeight* const> experts, VectorOf vector_of,
                     Submit submit) {
  const auto count = static_cast<int>(experts.size());
  for (int first = 0; first < count; first += kExpertsOfLaunch) {
    ExpertVectors<Element> vectors = {};
    vectors.first_expert = first;
    vectors.num_experts = std::min(kExpertsOfLaunch, count - first);
    for (int e = 0; e < vectors.num_experts; ++e) {
      const LinearWeight* const expert = experts[static_cast<size_t>(first + e)];
      vectors.vectors[e] = vector_of(*static_cast<const PackedWeight*>(expert));
    }
    submit(vectors);
  }
}

LaunchShape shape_of(int64_t num_rows, int columns) {
  return {.grid = {static_cast<unsigned>(num_rows), grid_size(columns, kVectorThreads)},
          .block = {kVectorThreads}};
}

}  // namespace

bool any_has_order(std::span<const LinearWeight* const> experts) {
  return std::ranges::any_of(experts, [](const LinearWeight* expert) {
    return static_cast<const PackedWeight*>(expert)->input_order() != nullptr;
  });
}

bool any_has_scales(std::span<const LinearWeight* const> experts) {
  return std::ranges::any_of(experts, [](const LinearWeight* expert) {
    return static_cast<const PackedWeight*>(expert)->output_scales() != nullptr;
  });
}

ConstTensorView order_expert_inputs(CommandQueue& queue, const char* operation, float* ordered,
                                    ConstTensorView x, const ExpertRows& rows,
                                    std::span<const LinearWeight* const> experts) {
  const auto num_inputs = static_cast<int>(x.dim(1));
  const auto rows_per_x = static_cast<int>(rows.num_rows / x.dim(0));
  for_each_launch<int32_t>(
      experts, [](const PackedWeight& weight) { return weight.input_order(); },
      [&](const ExpertVectors<int32_t>& orders) {
        launch(queue, operation, order_inputs_kernel, shape_of(rows.num_rows, num_inputs), ordered,
               x.as<float>(), x.row_stride(), rows_per_x, num_inputs, rows, orders);
      });
  return {ordered, DType::kF32, {rows.num_rows, x.dim(1)}};
}

void scale_expert_outputs(CommandQueue& queue, const char* operation, TensorView out,
                          const ExpertRows& rows, std::span<const LinearWeight* const> experts,
                          ConstTensorView biases) {
  ExpertRows with_biases = rows;
  with_biases.biases = biases.empty() ? nullptr : biases.as<float>();
  with_biases.biases_stride = biases.empty() ? 0 : biases.row_stride();
  const auto num_outputs = static_cast<int>(out.dim(1));
  for_each_launch<float>(
      experts, [](const PackedWeight& weight) { return weight.output_scales(); },
      [&](const ExpertVectors<float>& scales) {
        launch(queue, operation, scale_expert_outputs_kernel, shape_of(rows.num_rows, num_outputs),
               out.as<float>(), out.row_stride(), num_outputs, with_biases, scales);
      });
}

}  // namespace quire::cuda
