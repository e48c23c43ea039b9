#pragma once

#include "kernels/backend.h"
#include "kernels/cuda/command_queue.h"
#include "kernels/cuda/host_staging.h"

namespace quire::cuda {

/// Backend::sample: the same tokens as the engine's Sampler draws from the same logits.
/// token_ids: (R) i32; logits: (R, V) f32, changed in place; both in device memory.
void sample(CommandQueue& queue, HostStaging& staging, TensorView token_ids, TensorView logits,
            const SampleBatch& batch);

}  // namespace quire::cuda
