#pragma once

#include "kernels/base/dtype.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/linear/product.h"

namespace quire::cuda {

/// Submits a kernel that brings groups of 16 outputs from their units into halves: unpacked is
/// (16 num_groups, inputs of num_units units), row by row, each row in the order of rounded inputs
/// (inputs.h), so that a product over that order needs no shuffling of either.
void unpack_weights(CommandQueue& queue, const char* operation, DType dtype, uint4* unpacked,
                    const uint8_t* groups, int64_t num_groups, int num_units);

/// Submits a kernel that writes product.bias into every row of product.out.
void fill_with_bias(CommandQueue& queue, const char* operation, const Product& product);

}  // namespace quire::cuda
