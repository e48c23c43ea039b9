#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/simt/block.h"
#include "tests/support/simt/device_memory.h"

namespace simt {

/// First bytes and sizes.
using MemoryRanges = std::map<char*, size_t>;

/// The contents of a device's memory, to see what a kernel writes. (What it writes as it was before
/// is not seen.)
class MemorySnapshot {
 public:
  explicit MemorySnapshot(const DeviceMemory& memory);
  MemoryRanges changes() const;

 private:
  std::map<char*, std::vector<char>> m_contents;  ///< By allocation.
};

/// Stands for a kernel that has not ended while the next one begins: what it wrote is filled with
/// NaNs, and what it may still read cannot be written.
class UnfinishedKernel : public EarlyMemory {
 public:
  UnfinishedKernel(const DeviceMemory& memory, MemoryRanges written)
      : m_memory(memory), m_written(std::move(written)) {}
  ~UnfinishedKernel() override { show(); }
  UnfinishedKernel(const UnfinishedKernel&) = delete;
  UnfinishedKernel& operator=(const UnfinishedKernel&) = delete;
  void hide() override;
  void show() override;

 private:
  const DeviceMemory& m_memory;
  MemoryRanges m_written;
  std::map<char*, std::vector<char>> m_hidden;
};

}  // namespace simt
