#pragma once

#include <memory>
#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/weights/packed_weight.h"

namespace quire::cuda {

/// Backend::pack_linear: copies the parts to the device and brings them into units there
/// (packed_weight.h). Errors: kOutOfMemory with the bytes, kDevice.
Result<std::unique_ptr<LinearWeight>> pack_linear(CommandQueue& queue,
                                                  std::span<const ConstTensorView> parts);

/// Backend::embed: rows of a packed table.
void embed(CommandQueue& queue, TensorView out, const LinearWeight& table, ConstTensorView ids,
           float scale);

}  // namespace quire::cuda
