#pragma once

#include <cstddef>

#ifdef QUIRE_SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void __tsan_read_range(void* address, unsigned long size);
void __tsan_write_range(void* address, unsigned long size);
}
#endif

/// What ThreadSanitizer is told of a kernel's threads, so that it finds races between them in any
/// order in which they happen to run. The harness itself is compiled without the sanitizer: what it
/// does for a thread is reported here by name. Without the sanitizer these functions do nothing.
namespace simt::races {

#ifdef QUIRE_SIMT_TSAN

/// The sanitizer's record of a thread.
using Context = void*;
inline Context create_context() {
  return __tsan_create_fiber(0);
}
inline void destroy_context(Context context) {
  if (context != nullptr) __tsan_destroy_fiber(context);
}
inline Context current_context() {
  return __tsan_get_current_fiber();
}
/// The switch itself orders nothing: the threads of a block run beside each other on a GPU.
inline void switch_context(Context context) {
  __tsan_switch_to_fiber(context, __tsan_switch_to_fiber_no_sync);
}

/// What the current thread did before release() happens before what a thread does after acquire()
/// of the same place.
inline void release(const void* place) {
  __tsan_release(const_cast<void*>(place));
}
inline void acquire(const void* place) {
  __tsan_acquire(const_cast<void*>(place));
}

inline void has_read(const void* address, size_t bytes) {
  __tsan_read_range(const_cast<void*>(address), bytes);
}
inline void has_written(void* address, size_t bytes) {
  __tsan_write_range(address, bytes);
}

#else

using Context = void*;
inline Context create_context() {
  return nullptr;
}
inline void destroy_context(Context) {}
inline Context current_context() {
  return nullptr;
}
inline void switch_context(Context) {}
inline void release(const void*) {}
inline void acquire(const void*) {}
inline void has_read(const void*, size_t) {}
inline void has_written(void*, size_t) {}

#endif

}  // namespace simt::races
