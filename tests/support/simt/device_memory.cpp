#include "tests/support/simt/device_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/base/check.h"
#include "tests/support/simt/block.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

namespace simt {
namespace {

constexpr size_t kAlignment = 256;
constexpr size_t kStripBytes = 256;
constexpr int kStripByte = 0xfb;
constexpr int kUnsetByte = 0xff;
/// Larger allocations are not filled: it would make every page real.
constexpr size_t kMaxFilledBytes = size_t{64} << 20;

size_t round_up(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Large pages, where there are some, make it quick to forbid and allow them.
constexpr size_t kPageBytes = size_t{2} << 20;

size_t round_up_to_page(size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

struct Range {
  std::atomic<const char*> begin = nullptr;
  std::atomic<size_t> bytes = 0;
};
/// The memories of devices, for the handler of faults.
std::array<Range, 16> g_memories;
struct sigaction g_former_handler;

void report_fault(int, siginfo_t* info, void*) {
  const auto* const address = static_cast<const char*>(info->si_addr);
  const bool is_device_memory =
      std::any_of(g_memories.begin(), g_memories.end(), [address](const Range& range) {
        const char* const begin = range.begin;
        return begin != nullptr && address >= begin && address < begin + range.bytes;
      });
  if (Block::is_running()) {
    Block::current().report_fault(address, is_device_memory);
  } else if (is_device_memory) {
    constexpr char kSentence[] =
        "simt: the host touched device memory, which only kernels and copies can.\n";
    if (write(STDERR_FILENO, kSentence, sizeof kSentence - 1) < 0) _exit(1);
    std::abort();
  }
  // Someone else's fault: it happens again when this returns.
  sigaction(SIGSEGV, &g_former_handler, nullptr);
}

void install_handler() {
  struct sigaction handler = {};
  handler.sa_sigaction = &report_fault;
  handler.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&handler.sa_mask);
  sigaction(SIGSEGV, &handler, &g_former_handler);
}

void watch(const char* begin, size_t bytes) {
  static const bool is_installed = (install_handler(), true);
  static_cast<void>(is_installed);
  for (Range& range : g_memories) {
    if (range.begin != nullptr) continue;
    range.bytes = bytes;
    range.begin = begin;
    return;
  }
}

void stop_watching(const char* begin) {
  for (Range& range : g_memories) {
    if (range.begin == begin) range.begin = nullptr;
  }
}

}  // namespace

DeviceMemory::DeviceMemory(size_t capacity, bool is_protected)
    // Strips and gaps need room too.
    : m_capacity(capacity),
      m_is_protected(is_protected),
      m_reserved(round_up_to_page(2 * capacity + (64 << 20))) {
  m_mapping = mmap(nullptr, m_reserved + kPageBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(m_mapping != MAP_FAILED);
  m_base = reinterpret_cast<char*>(round_up_to_page(reinterpret_cast<size_t>(m_mapping)));
  madvise(m_base, m_reserved, MADV_HUGEPAGE);
  watch(m_base, m_reserved);
}

DeviceMemory::~DeviceMemory() {
  stop_watching(m_base);
  ASAN_UNPOISON_MEMORY_REGION(m_base, m_touched);
  munmap(m_mapping, m_reserved + kPageBytes);
}

void* DeviceMemory::allocate(size_t bytes) {
  const size_t rounded = round_up(bytes);
  if (rounded < bytes || rounded > m_capacity - std::min(m_used, m_capacity)) return nullptr;
  size_t offset = 0;
  for (const auto& [begin, size] : m_allocations) {
    if (begin - offset >= rounded + kStripBytes) break;
    offset = begin + round_up(size) + kStripBytes;
  }
  if (offset + rounded + kStripBytes > m_reserved) return nullptr;
  m_allocations[offset] = bytes;
  m_used += rounded;
  char* const memory = m_base + offset;
  m_touched = std::max(m_touched, round_up_to_page(offset + rounded + kStripBytes));
  allow(true);
  DeviceAccess access(*this);
  ASAN_UNPOISON_MEMORY_REGION(memory, rounded + kStripBytes);
  if (bytes <= kMaxFilledBytes) std::memset(memory, kUnsetByte, bytes);
  std::memset(memory + bytes, kStripByte, rounded - bytes + kStripBytes);
  ASAN_POISON_MEMORY_REGION(memory + bytes, rounded - bytes + kStripBytes);
  return memory;
}

bool DeviceMemory::free(void* memory) {
  if (!owns(memory)) return false;
  const auto found = m_allocations.find(static_cast<size_t>(static_cast<char*>(memory) - m_base));
  if (found == m_allocations.end()) return false;
  const size_t bytes = found->second;
  DeviceAccess access(*this);
  if (bytes <= kMaxFilledBytes) {
    std::memset(memory, kUnsetByte, bytes);
  } else {
    madvise(memory, bytes, MADV_DONTNEED);
  }
  ASAN_POISON_MEMORY_REGION(memory, round_up(bytes) + kStripBytes);
  m_used -= round_up(bytes);
  m_allocations.erase(found);
  return true;
}

bool DeviceMemory::owns(const void* address) const {
  const auto* const byte = static_cast<const char*>(address);
  return byte >= m_base && byte < m_base + m_reserved;
}

bool DeviceMemory::holds(const void* address, size_t bytes) const {
  if (!owns(address)) return false;
  const auto offset = static_cast<size_t>(static_cast<const char*>(address) - m_base);
  auto next = m_allocations.upper_bound(offset);
  if (next == m_allocations.begin()) return false;
  const auto& [begin, size] = *--next;
  return offset - begin <= size && bytes <= size - (offset - begin);
}

std::map<char*, size_t> DeviceMemory::allocations() const {
  std::map<char*, size_t> all;
  for (const auto& [offset, bytes] : m_allocations) all[m_base + offset] = bytes;
  return all;
}

void DeviceMemory::forbid_writes(bool is_forbidden) const {
  if (m_touched == 0) return;
  const int status = mprotect(m_base, m_touched, is_forbidden ? PROT_READ : PROT_READ | PROT_WRITE);
  CHECK(status == 0);
}

void DeviceMemory::check_strips() const {
#ifndef __SANITIZE_ADDRESS__
  DeviceAccess access(*this);
  for (const auto& [offset, bytes] : m_allocations) {
    if (strip_is_sound(offset, bytes)) continue;
    std::fprintf(stderr, "simt: someone wrote behind a device allocation of %zu bytes.\n", bytes);
    std::abort();
  }
#endif
}

bool DeviceMemory::strip_is_sound(size_t offset, size_t bytes) const {
  const char* const strip = m_base + offset + bytes;
  return std::all_of(strip, strip + round_up(bytes) - bytes + kStripBytes,
                     [](char byte) { return byte == static_cast<char>(kStripByte); });
}

void DeviceMemory::allow(bool is_allowed) const {
  if (m_touched == 0 || (!is_allowed && !m_is_protected)) return;
  const int status = mprotect(m_base, m_touched, is_allowed ? PROT_READ | PROT_WRITE : PROT_NONE);
  CHECK(status == 0);
}

DeviceAccess::DeviceAccess(const DeviceMemory& memory) : m_memory(memory) {
  if (memory.m_num_accesses++ == 0) memory.allow(true);
}

DeviceAccess::~DeviceAccess() {
  if (--m_memory.m_num_accesses == 0) m_memory.allow(false);
}

}  // namespace simt
