#include "kernels/cpu/cpu_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "kernels/base/megabytes.h"

namespace quire::cpu {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

Error out_of_memory(size_t bytes) {
  return make_error(ErrorCode::kOutOfMemory,
                    "The system has no %1 MB of memory left for this. Choose a smaller model or "
                    "context, or close other programs.",
                    {std::to_string(whole_megabytes(bytes))});
}

}  // namespace

Result<std::shared_ptr<Mapping>> Mapping::create(size_t bytes) {
  // Anonymous mappings are page aligned and read as zeros.
  const size_t mapped_bytes = bytes == 0 ? 1 : bytes;
  void* const data =
      mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return out_of_memory(bytes);
#if defined(MADV_HUGEPAGE)
  // A hint that may fail.
  if (bytes >= kHugePageBytes) static_cast<void>(madvise(data, mapped_bytes, MADV_HUGEPAGE));
#endif
  return std::shared_ptr<Mapping>(new Mapping(static_cast<char*>(data), mapped_bytes));
}

Mapping::~Mapping() {
  munmap(m_data, m_bytes);
}

void Mapping::shorten(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t kept = (bytes + page - 1) / page * page;
  if (kept == 0 || kept >= m_bytes) return;
  munmap(m_data + kept, m_bytes - kept);
  m_bytes = kept;
}

Result<std::unique_ptr<DeviceBuffer>> allocate_buffer(size_t bytes) {
  auto mapping = Mapping::create(bytes);
  if (!mapping) return mapping.error();
  char* const data = (*mapping)->data();
  return std::make_unique<DeviceBuffer>(data, bytes, [held = std::move(*mapping)] {});
}

void query_memory(uint64_t& total_bytes, uint64_t& free_bytes) {
  total_bytes = 0;
  free_bytes = 0;
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  for (uint64_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, unit)) {
    if (key == "MemTotal:") total_bytes = kilobytes * 1024;
    if (key == "MemAvailable:") free_bytes = kilobytes * 1024;
  }
}

}  // namespace quire::cpu
