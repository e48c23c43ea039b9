#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <span>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "platform/processor.h"

namespace quire::platform {
namespace {

/// Calls use(entry) for each entry about that relation.
template <typename Use>
void for_each_processor_entry(LOGICAL_PROCESSOR_RELATIONSHIP relation, Use use) {
  DWORD bytes = 0;
  ::GetLogicalProcessorInformationEx(relation, nullptr, &bytes);
  std::vector<std::max_align_t> buffer(bytes / sizeof(std::max_align_t) + 1);
  auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer.data());
  if (::GetLogicalProcessorInformationEx(relation, first, &bytes) == 0) return;
  const auto* at = reinterpret_cast<const char*>(buffer.data());
  for (const char* const end = at + bytes; at < end;) {
    const auto& entry = *reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(at);
    if (entry.Size == 0) return;
    use(entry);
    at += entry.Size;
  }
}

/// Of the processor group that this process is in: its other groups are used by processes that ask.
DWORD_PTR usable_mask() {
  DWORD_PTR of_process = 0, of_system = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &of_process, &of_system) == 0) return 0;
  return of_process;
}

}  // namespace

std::vector<int> usable_processors() {
  std::vector<int> processors;
  const DWORD_PTR mask = usable_mask();
  for (int i = 0; i < 64; ++i) {
    if ((mask >> i & 1) != 0) processors.push_back(i);
  }
  return processors;
}

int count_usable_cores() {
  const DWORD_PTR usable = usable_mask();
  int cores = 0;
  for_each_processor_entry(RelationProcessorCore, [&](const auto& entry) {
    const auto& core = entry.Processor;
    for (const GROUP_AFFINITY& group : std::span(core.GroupMask, core.GroupCount)) {
      if (group.Group == 0 && (group.Mask & usable) != 0) ++cores;
    }
  });
  return cores;
}

std::string processor_description() {
#if defined(__x86_64__)
  unsigned words[12] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* const part = words + 4 * i;
    if (__get_cpuid(0x80000002u + i, part, part + 1, part + 2, part + 3) == 0) return {};
  }
  std::string name(reinterpret_cast<const char*>(words), sizeof words);
  name.resize(std::min(name.find('\0'), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  const unsigned base = eax >> 8 & 15;
  const unsigned family = base == 15 ? base + (eax >> 20 & 255) : base;
  const unsigned model = (eax >> 4 & 15) | (base == 6 || base == 15 ? eax >> 12 & 0xf0 : 0);
  return "model name\t: " + name + "\ncpu family\t: " + std::to_string(family) +
         "\nmodel\t\t: " + std::to_string(model) + "\nstepping\t: " + std::to_string(eax & 15) +
         "\n";
#else
  return {};
#endif
}

int64_t last_level_cache_bytes() {
  int64_t bytes = 0;
  for_each_processor_entry(RelationCache, [&](const auto& entry) {
    if (entry.Cache.Level == 3 && bytes == 0) bytes = int64_t{entry.Cache.CacheSize};
  });
  return bytes;
}

/// Windows 11 saves them for every process; there has been no machine to try it on.
bool request_tiles() {
  return false;
}

}  // namespace quire::platform
