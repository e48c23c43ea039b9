#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Pages of memory, and files mapped into it. What fails says why in errno. Thread: any.
namespace quire::platform {

size_t page_bytes();

/// Zeroed pages, committed when they are first touched where the system can, in huge pages if
/// there are any; null if there is no memory. `bytes` is not 0.
void* allocate_pages(size_t bytes);
/// The whole of what allocate_pages() returned, `bytes` of which are left.
void free_pages(void* pages, size_t bytes);
/// Frees what follows the first `kept_bytes`, which are whole pages. Returns how many bytes are
/// left.
size_t free_end_of_pages(void* pages, size_t bytes, size_t kept_bytes);

/// The first `bytes` of a file, which may be closed afterwards, read only; null on failure.
void* map_file(int file, size_t bytes);
void unmap_file(void* mapping, size_t bytes);
/// Hints about a part of a mapped file: it is wanted soon; it need not stay in memory. They may do
/// nothing.
void will_read(std::span<const std::byte> part);
void done_with(std::span<const std::byte> part);

struct MemorySizes {
  uint64_t total_bytes = 0;
  uint64_t available_bytes = 0;  ///< Without swapping.
};
/// Of this machine; zeros if the system does not say.
MemorySizes memory_sizes();

}  // namespace quire::platform
