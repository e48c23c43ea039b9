#pragma once

#include <memory>

#include "kernels/backend.h"

namespace quire::cpu {

/// 64-byte aligned zeroed memory; pages are taken from the system when they are first touched, in
/// huge pages where the system grants them. Errors: kOutOfMemory with the number of MB.
Result<std::unique_ptr<DeviceBuffer>> allocate_buffer(size_t bytes);

/// Memory of the machine, and how much of it can be had without swapping.
void query_memory(uint64_t& total_bytes, uint64_t& free_bytes);

}  // namespace quire::cpu
