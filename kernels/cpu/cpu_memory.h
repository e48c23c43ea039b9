#pragma once

#include <memory>

#include "kernels/backend.h"

namespace quire::cpu {

/// Zeroed memory, 64-byte aligned, committed when it is first touched, in huge pages if possible.
/// Errors: kOutOfMemory with the number of MB.
Result<std::unique_ptr<DeviceBuffer>> allocate_buffer(size_t bytes);

/// The machine's memory, and what is available without swapping.
void query_memory(uint64_t& total_bytes, uint64_t& free_bytes);

}  // namespace quire::cpu
