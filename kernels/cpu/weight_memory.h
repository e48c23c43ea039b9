#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_memory.h"

namespace quire::cpu {

/// Memory of packed weights. Small weights (an expert's, a head's) lie one after the other in large
/// blocks: alone, each would be too small for huge pages, and a processor that reads pages of 4 KB
/// spends a tenth of a decode on address translation.
///
/// Thread: of one thread. Buffers may be freed by any thread, also after the WeightMemory.
class WeightMemory {
 public:
  static constexpr size_t kBlockBytes = size_t{64} << 20;
  /// Larger weights have a mapping of their own.
  static constexpr size_t kMostSharedBytes = kBlockBytes / 4;

  /// Zeroed memory, 64-byte aligned. A block is freed with the last of its buffers.
  /// Errors: as of allocate_buffer.
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes);
  /// Gives what is not used of the block back: nothing more is expected for now.
  void close();

 private:
  std::shared_ptr<Mapping> m_block;  ///< The one that is being filled, or null.
  size_t m_used_bytes = 0;           ///< Of m_block.
};

}  // namespace quire::cpu
