#include <sys/mman.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/sysctl.h>
#endif

#include <fstream>
#include <string>

#include "platform/memory.h"

namespace quire::platform {
namespace {

#if defined(MADV_HUGEPAGE)
constexpr size_t kHugePageBytes = size_t{2} << 20;
#endif

/// Advises about all pages that `part` touches. Advice that the system ignores costs only speed or
/// memory, so that its result is not checked.
void advise(std::span<const std::byte> part, int advice) {
  if (part.empty()) return;
  const auto page = static_cast<uintptr_t>(page_bytes());
  const auto begin = reinterpret_cast<uintptr_t>(part.data()) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  ::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

size_t page_bytes() {
  static const auto kBytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return kBytes;
}

void* allocate_pages(size_t bytes) {
  // Anonymous mappings are page aligned and read as zeros.
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
#if defined(MADV_HUGEPAGE)
  // A hint that may fail.
  if (bytes >= kHugePageBytes) static_cast<void>(::madvise(pages, bytes, MADV_HUGEPAGE));
#endif
  return pages;
}

void free_pages(void* pages, size_t bytes) {
  ::munmap(pages, bytes);
}

size_t free_end_of_pages(void* pages, size_t bytes, size_t kept_bytes) {
  ::munmap(static_cast<char*>(pages) + kept_bytes, bytes - kept_bytes);
  return kept_bytes;
}

void* map_file(int file, size_t bytes) {
  void* const mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  return mapping == MAP_FAILED ? nullptr : mapping;
}

void unmap_file(void* mapping, size_t bytes) {
  ::munmap(mapping, bytes);
}

void will_read(std::span<const std::byte> part) {
  advise(part, MADV_WILLNEED);
}

void done_with(std::span<const std::byte> part) {
  // The mapping is private and never written, so that dropped pages come back from the file.
  advise(part, MADV_DONTNEED);
}

#if defined(__APPLE__)
MemorySizes memory_sizes() {
  MemorySizes sizes;
  size_t length = sizeof sizes.total_bytes;
  if (::sysctlbyname("hw.memsize", &sizes.total_bytes, &length, nullptr, 0) != 0) return {};
  vm_statistics64_data_t statistics{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64,
                          reinterpret_cast<host_info64_t>(&statistics), &count) != KERN_SUCCESS) {
    return {};
  }
  const uint64_t pages =
      uint64_t{statistics.free_count} + statistics.inactive_count + statistics.purgeable_count;
  sizes.available_bytes = pages * page_bytes();
  return sizes;
}
#else
MemorySizes memory_sizes() {
  MemorySizes sizes;
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  for (uint64_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, unit)) {
    if (key == "MemTotal:") sizes.total_bytes = kilobytes * 1024;
    if (key == "MemAvailable:") sizes.available_bytes = kilobytes * 1024;
  }
  return sizes;
}
#endif

}  // namespace quire::platform
