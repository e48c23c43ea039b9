#pragma once

#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

class FastProducts;

/// Backend's operations of the same names, with weights that pack_linear made. Every product is
/// summed in one order, whatever the number of rows (packed_weight.h): results do not depend on it.
/// But for those that `fast`, if it is not null, takes (fast_product.h).
void linear(CommandQueue& queue, TensorView out, ConstTensorView x, const LinearWeight& weight,
            ConstTensorView bias, FastProducts* fast = nullptr);
void linear_experts(CommandQueue& queue, TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> experts, ConstTensorView biases,
                    ConstTensorView expert_ids);

}  // namespace quire::cuda
