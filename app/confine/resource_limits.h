#pragma once

#include <cstdint>

namespace quire {

/// Whether this program is built with a sanitizer that takes terabytes of address space as shadow
/// memory and reports to standard error.
constexpr bool has_shadow_memory() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

/// Limits this process's anonymous memory and stack (not with shadow memory), its address space in
/// bytes (0: not) and its CPU time; files stay as long as they are and there are no core dumps.
/// Async-signal-safe.
void limit_resources(uint64_t data_bytes, uint64_t address_bytes, uint64_t cpu_seconds);

/// Lets other processes compute and read first. Async-signal-safe.
void step_back();

}  // namespace quire
