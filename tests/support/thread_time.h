#pragma once

#include <ctime>

namespace quire::test {

/// Milliseconds of processor time that this thread has taken: other work on the machine does not
/// count.
inline double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace quire::test
