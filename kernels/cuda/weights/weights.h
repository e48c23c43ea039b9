#pragma once

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

/// Backend::embed: rows of a packed table.
void embed(CommandQueue& queue, TensorView out, const LinearWeight& table, ConstTensorView ids,
           float scale);

}  // namespace quire::cuda
