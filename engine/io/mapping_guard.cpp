#include "engine/io/mapping_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

namespace quire {
namespace {

/// A guarded mapping. The handler reads it without a lock; an `end` of 0 means that it is free.
struct Slot {
  std::atomic<uintptr_t> begin = 0;
  std::atomic<uintptr_t> end = 0;  ///< Rounded up to whole pages.
  std::atomic<bool> is_taken = false;
  std::atomic<bool> is_cut = false;
};

static_assert(std::atomic<uintptr_t>::is_always_lock_free, "read in a signal handler");

Slot g_slots[MappingGuard::kMaxMappings];
uintptr_t g_page_bytes = 0;
struct sigaction g_previous = {};

/// Replaces the rest of the mapping that holds the address. False if it is none of ours.
bool replace_rest(uintptr_t address) {
  for (Slot& slot : g_slots) {
    const uintptr_t end = slot.end.load(std::memory_order_acquire);
    if (address >= end || address < slot.begin.load(std::memory_order_relaxed)) continue;
    // Set first: a thread that reads the zeros must find the mark.
    slot.is_cut.store(true, std::memory_order_release);
    const uintptr_t page = address / g_page_bytes * g_page_bytes;
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return zeros != MAP_FAILED;
  }
  return false;
}

/// Hands the signal to the handler that was there before; without one the process ends.
void pass_on(int number, siginfo_t* info, void* context) {
  if ((g_previous.sa_flags & SA_SIGINFO) != 0)
    return g_previous.sa_sigaction(number, info, context);
  if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
    return g_previous.sa_handler(number);
  }
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(number, &standard, nullptr);
  if (info->si_code <= 0) ::raise(number);  // Sent by a program: it does not come again by itself.
}

void on_bus_error(int number, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool is_replaced =
      info->si_code == BUS_ADRERR && replace_rest(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = saved;
  if (!is_replaced) pass_on(number, info, context);
}

void install_handler() {
  g_page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &g_previous);
}

}  // namespace

MappingGuard::MappingGuard(std::span<const std::byte> mapping) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  for (size_t i = 0; i < kMaxMappings; ++i) {
    Slot& slot = g_slots[i];
    bool expected = false;
    if (!slot.is_taken.compare_exchange_strong(expected, true)) continue;
    const auto begin = reinterpret_cast<uintptr_t>(mapping.data());
    const uintptr_t pages = (mapping.size() + g_page_bytes - 1) / g_page_bytes;
    slot.is_cut.store(false);
    slot.begin.store(begin);
    slot.end.store(begin + pages * g_page_bytes, std::memory_order_release);
    m_slot = static_cast<int>(i);
    return;
  }
}

bool MappingGuard::was_cut() const {
  return is_active() && g_slots[m_slot].is_cut.load(std::memory_order_acquire);
}

MappingGuard::MappingGuard(MappingGuard&& other) noexcept
    : m_slot(std::exchange(other.m_slot, -1)) {}

MappingGuard& MappingGuard::operator=(MappingGuard&& other) noexcept {
  std::swap(m_slot, other.m_slot);
  return *this;
}

MappingGuard::~MappingGuard() {
  if (!is_active()) return;
  Slot& slot = g_slots[m_slot];
  slot.end.store(0);
  slot.is_taken.store(false, std::memory_order_release);
}

}  // namespace quire
