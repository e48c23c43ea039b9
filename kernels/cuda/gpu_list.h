#pragma once

#include <vector>

#include "kernels/backend.h"

namespace quire::cuda {

/// Every GPU that the driver shows, in its order, usable or not; if there is none, one entry named
/// "cuda" that says why: no driver, a driver that is too old, no GPU. Free memory is left out:
/// asking for it takes a context on each, and that takes memory.
std::vector<DeviceInfo> list_gpus();

/// The GPU of that number; `available` and `reason` say whether Quire can use it. Errors:
/// kInvalidArgument with the number of GPUs, kUnsupported where there is no driver.
Result<DeviceInfo> describe_gpu(int device);

}  // namespace quire::cuda
