#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "tests/support/simt/race_detector.h"

namespace simt {

/// Memory for the stacks of a block's threads: each of kStackBytes, with a page below it that may
/// not be touched, so that an overflow is a fault and no corruption.
class StackPool {
 public:
  explicit StackPool(size_t count);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// The end of stack i: stacks grow downwards.
  void* top(size_t i) const;
  const void* bottom(size_t i) const;
  static size_t stack_bytes();
  /// Whether this is in a page below a stack.
  bool is_guard(const void* address) const;

 private:
  size_t m_bytes;
  char* m_memory;
};

/// A place where execution can go on: one of the block's threads, or the host's own.
/// Thread: stays with the host thread that created it.
class Fiber {
 public:
  /// The host thread itself.
  Fiber() = default;
  /// Gives the fiber a stack and what it runs, from the beginning, whatever it did before.
  /// `body` must not return.
  void prepare(const StackPool& stacks, size_t i, void (*body)());
  bool is_prepared() const { return m_context != nullptr; }
  /// Forgets what it ran: it has to be prepared again.
  void abandon();
  /// Releases `place` as if this fiber ran, which it does not.
  void release(const void* place) const;

  /// Leaves `from`, which is running, and goes on here. Returns when someone goes on at `from`.
  void resume(Fiber& from);

 private:
  static void enter(boost::context::detail::transfer_t transfer);
  static void arrived(boost::context::detail::transfer_t transfer);

  boost::context::detail::fcontext_t m_context = nullptr;
  void (*m_body)() = nullptr;
  races::Context m_races = nullptr;
  // For AddressSanitizer, which has to know where the stack is.
  const void* m_bottom = nullptr;
  size_t m_bytes = 0;
  void* m_fake_stack = nullptr;
};

}  // namespace simt
