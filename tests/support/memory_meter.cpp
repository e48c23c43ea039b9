#include "tests/support/memory_meter.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "tests/support/sanitizers.h"

namespace {

std::atomic<uint64_t> g_mapped_bytes{0};

#ifndef QUIRE_IS_SANITIZED
/// Lengths of live anonymous mappings, by address. The C library maps for its heap by itself, so
/// that counting may use the heap.
struct Mappings {
  std::mutex mutex;
  std::map<void*, size_t> lengths;
};
Mappings& mappings() {
  static Mappings* const all = new Mappings;  // Never destroyed: others unmap until the very end.
  return *all;
}

constexpr size_t kPageBytes = 4096;
size_t whole_pages(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}
#endif

}  // namespace

#ifndef QUIRE_IS_SANITIZED
extern "C" void* mmap(void* address, size_t length, int protection, int flags, int file,
                      off_t offset) noexcept {
  const long result = syscall(SYS_mmap, address, length, protection, flags, file, offset);
  if (result == -1) return MAP_FAILED;
  void* const mapped = reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr)
  if ((flags & MAP_ANONYMOUS) != 0) {
    Mappings& all = mappings();
    const std::lock_guard lock(all.mutex);
    all.lengths[mapped] = whole_pages(length);
    g_mapped_bytes += whole_pages(length);
  }
  return mapped;
}

extern "C" int munmap(void* address, size_t length) noexcept {
  {
    Mappings& all = mappings();
    const std::lock_guard lock(all.mutex);
    const auto found = all.lengths.find(address);
    if (found != all.lengths.end()) {
      g_mapped_bytes -= found->second;
      all.lengths.erase(found);
    } else if (auto after = all.lengths.upper_bound(address); after != all.lengths.begin()) {
      // The end of a mapping.
      auto& [begin, whole] = *std::prev(after);
      const auto kept =
          static_cast<size_t>(static_cast<char*>(address) - static_cast<char*>(begin));
      if (kept < whole && kept + whole_pages(length) >= whole) {
        g_mapped_bytes -= whole - kept;
        whole = kept;
      }
    }
  }
  return static_cast<int>(syscall(SYS_munmap, address, length));
}
#endif

namespace quire::test {

uint64_t allocated_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return g_mapped_bytes + heap.uordblks + heap.hblkhd;
}

bool can_meter_memory() {
#ifdef QUIRE_IS_SANITIZED
  return false;
#else
  return true;
#endif
}

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/status");
  std::string key, unit;
  for (uint64_t kilobytes = 0; file >> key; std::getline(file, unit)) {
    if (key == "RssAnon:" && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace quire::test
