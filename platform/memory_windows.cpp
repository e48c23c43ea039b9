#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <io.h>
#include <windows.h>

#include <cerrno>

#include "platform/memory.h"
#include "platform/windows_error.h"

namespace quire::platform {

size_t page_bytes() {
  static const size_t kBytes = [] {
    SYSTEM_INFO info{};
    ::GetSystemInfo(&info);
    return size_t{info.dwPageSize};
  }();
  return kBytes;
}

/// Windows counts them against its commit limit at once, and gives memory when they are touched.
void* allocate_pages(size_t bytes) {
  void* const pages = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (pages == nullptr) set_errno();
  return pages;
}

void free_pages(void* pages, size_t) {
  ::VirtualFree(pages, 0, MEM_RELEASE);
}

/// The addresses stay reserved; the memory is free.
size_t free_end_of_pages(void* pages, size_t bytes, size_t kept_bytes) {
  ::VirtualFree(static_cast<char*>(pages) + kept_bytes, bytes - kept_bytes, MEM_DECOMMIT);
  return kept_bytes;
}

void* map_file(int file, size_t bytes) {
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(file));
  const HANDLE section = ::CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr) {
    set_errno();
    return nullptr;
  }
  void* const mapping = ::MapViewOfFile(section, FILE_MAP_READ, 0, 0, bytes);
  if (mapping == nullptr) set_errno();
  ::CloseHandle(section);  // The view keeps it.
  return mapping;
}

void unmap_file(void* mapping, size_t) {
  ::UnmapViewOfFile(mapping);
}

void will_read(std::span<const std::byte> part) {
  if (part.empty()) return;
  WIN32_MEMORY_RANGE_ENTRY range{const_cast<std::byte*>(part.data()), part.size()};
  ::PrefetchVirtualMemory(::GetCurrentProcess(), 1, &range, 0);
}

/// Unlocking pages that are not locked fails, and takes them out of the working set.
void done_with(std::span<const std::byte> part) {
  if (!part.empty()) ::VirtualUnlock(const_cast<std::byte*>(part.data()), part.size());
}

MemorySizes memory_sizes() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (::GlobalMemoryStatusEx(&status) == 0) return {};
  return {.total_bytes = status.ullTotalPhys, .available_bytes = status.ullAvailPhys};
}

}  // namespace quire::platform
