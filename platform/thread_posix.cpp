#include "platform/thread.h"

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace quire::platform {

void lower_priority([[maybe_unused]] int niceness) {
#if defined(__linux__)
  // Linux takes a thread's id here.
  const auto thread = static_cast<id_t>(::gettid());
  if (::getpriority(PRIO_PROCESS, thread) < niceness) {
    static_cast<void>(::setpriority(PRIO_PROCESS, thread, niceness));
  }
#endif
}

}  // namespace quire::platform
