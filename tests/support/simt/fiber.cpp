#include "tests/support/simt/fiber.h"

#include <sys/mman.h>

#include "kernels/base/check.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {
namespace {

using boost::context::detail::transfer_t;

constexpr size_t kGuardBytes = 4096;
#ifdef __SANITIZE_ADDRESS__
// Its frames are larger.
constexpr size_t kStackBytes = 256 * 1024;
#else
constexpr size_t kStackBytes = 64 * 1024;
#endif

/// The fiber that runs on this host thread, as it is known to the one that it resumed.
constinit thread_local Fiber* g_arriving = nullptr;

}  // namespace

StackPool::StackPool(size_t count) : m_bytes(count * (kStackBytes + kGuardBytes)) {
  void* const memory = mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  CHECK(memory != MAP_FAILED);
  m_memory = static_cast<char*>(memory);
  for (size_t i = 0; i < count; ++i) {
    const int status = mprotect(m_memory + i * (kStackBytes + kGuardBytes), kGuardBytes, PROT_NONE);
    CHECK(status == 0);
  }
}

StackPool::~StackPool() {
  munmap(m_memory, m_bytes);
}

const void* StackPool::bottom(size_t i) const {
  return m_memory + i * (kStackBytes + kGuardBytes) + kGuardBytes;
}

void* StackPool::top(size_t i) const {
  // Were all the tops at the same place of their pages, their frames would share few cache lines.
  const size_t stagger = i * 320 % 4096;
  return m_memory + (i + 1) * (kStackBytes + kGuardBytes) - stagger;
}

bool StackPool::is_guard(const void* address) const {
  const auto* const byte = static_cast<const char*>(address);
  if (byte < m_memory || byte >= m_memory + m_bytes) return false;
  return static_cast<size_t>(byte - m_memory) % (kStackBytes + kGuardBytes) < kGuardBytes;
}

size_t StackPool::stack_bytes() {
  return kStackBytes;
}

void Fiber::prepare(const StackPool& stacks, size_t i, void (*body)()) {
  m_bottom = stacks.bottom(i);
  m_bytes = StackPool::stack_bytes();
  m_fake_stack = nullptr;
  m_body = body;
  races::destroy_context(m_races);
  m_races = races::create_context();
#ifdef __SANITIZE_ADDRESS__
  // What ran here before may have been left in the middle of a function.
  ASAN_UNPOISON_MEMORY_REGION(m_bottom, m_bytes);
#endif
  m_context = boost::context::detail::make_fcontext(stacks.top(i), m_bytes - 4096, &Fiber::enter);
}

void Fiber::abandon() {
  races::destroy_context(m_races);
  *this = Fiber();
}

void Fiber::release(const void* place) const {
  if (m_races == nullptr) return;
  const races::Context own = races::current_context();
  races::switch_context(m_races);
  races::release(place);
  races::switch_context(own);
}

void Fiber::resume(Fiber& from) {
  g_arriving = this;
  // The host thread's own has no other name.
  if (from.m_races == nullptr) from.m_races = races::current_context();
  races::switch_context(m_races);
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&from.m_fake_stack, m_bottom, m_bytes);
#endif
  arrived(boost::context::detail::jump_fcontext(m_context, &from));
}

void Fiber::arrived(transfer_t transfer) {
  auto* const from = static_cast<Fiber*>(transfer.data);
  from->m_context = transfer.fctx;
#ifdef __SANITIZE_ADDRESS__
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(g_arriving->m_fake_stack, &bottom, &bytes);
  // The only way to learn the host thread's own stack.
  if (from->m_bottom == nullptr) {
    from->m_bottom = bottom;
    from->m_bytes = bytes;
  }
#endif
}

void Fiber::enter(transfer_t transfer) {
  arrived(transfer);
  g_arriving->m_body();
}

}  // namespace simt
