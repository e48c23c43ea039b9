#include "tests/support/simt/unfinished_kernel.h"

#include <algorithm>
#include <cstring>

namespace simt {
namespace {

/// A NaN in f64, f32, f16, bf16 and f8, and no sensible integer.
constexpr int kHiddenByte = 0xff;
/// A number of so many bytes is hidden as a whole, even if only some of its bytes have changed.
constexpr size_t kWordBytes = 4;

void add(MemoryRanges& ranges, char* begin, size_t bytes) {
  if (!ranges.empty()) {
    auto& [last, last_bytes] = *ranges.rbegin();
    if (last + last_bytes == begin) {
      last_bytes += bytes;
      return;
    }
  }
  ranges[begin] = bytes;
}

}  // namespace

MemorySnapshot::MemorySnapshot(const DeviceMemory& memory) {
  for (const auto& [begin, bytes] : memory.allocations()) {
    m_contents[begin].assign(begin, begin + bytes);
  }
}

MemoryRanges MemorySnapshot::changes() const {
  MemoryRanges ranges;
  for (const auto& [begin, old] : m_contents) {
    if (std::memcmp(begin, old.data(), old.size()) == 0) continue;
    for (size_t at = 0; at < old.size(); at += kWordBytes) {
      const size_t bytes = std::min(kWordBytes, old.size() - at);
      if (std::memcmp(begin + at, old.data() + at, bytes) != 0) add(ranges, begin + at, bytes);
    }
  }
  return ranges;
}

void UnfinishedKernel::hide() {
  for (const auto& [begin, bytes] : m_written) {
    if (!m_memory.holds(begin, bytes)) continue;  // Freed since.
    m_hidden[begin].assign(begin, begin + bytes);
    std::memset(begin, kHiddenByte, bytes);
  }
  m_memory.forbid_writes(true);
}

void UnfinishedKernel::show() {
  m_memory.forbid_writes(false);
  for (const auto& [begin, bytes] : m_hidden) std::memcpy(begin, bytes.data(), bytes.size());
  m_hidden.clear();
}

}  // namespace simt
