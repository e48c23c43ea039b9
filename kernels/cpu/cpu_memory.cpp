#include "kernels/cpu/cpu_memory.h"

#include <string>
#include <utility>

#include "kernels/base/megabytes.h"
#include "platform/memory.h"

namespace quire::cpu {
namespace {

Error out_of_memory(size_t bytes) {
  return make_error(ErrorCode::kOutOfMemory,
                    "The system has no %1 MB of memory left for this. Choose a smaller model or "
                    "context, or close other programs.",
                    {std::to_string(whole_megabytes(bytes))});
}

}  // namespace

Result<std::shared_ptr<Mapping>> Mapping::create(size_t bytes) {
  const size_t mapped_bytes = bytes == 0 ? 1 : bytes;
  void* const data = platform::allocate_pages(mapped_bytes);
  if (data == nullptr) return out_of_memory(bytes);
  return std::shared_ptr<Mapping>(new Mapping(static_cast<char*>(data), mapped_bytes));
}

Mapping::~Mapping() {
  platform::free_pages(m_data, m_bytes);
}

void Mapping::shorten(size_t bytes) {
  const size_t page = platform::page_bytes();
  const size_t kept = (bytes + page - 1) / page * page;
  if (kept == 0 || kept >= m_bytes) return;
  m_bytes = platform::free_end_of_pages(m_data, m_bytes, kept);
}

Result<std::unique_ptr<DeviceBuffer>> allocate_buffer(size_t bytes) {
  auto mapping = Mapping::create(bytes);
  if (!mapping) return mapping.error();
  char* const data = (*mapping)->data();
  return std::make_unique<DeviceBuffer>(data, bytes, [held = std::move(*mapping)] {});
}

void query_memory(uint64_t& total_bytes, uint64_t& free_bytes) {
  const platform::MemorySizes sizes = platform::memory_sizes();
  total_bytes = sizes.total_bytes;
  free_bytes = sizes.available_bytes;
}

}  // namespace quire::cpu
