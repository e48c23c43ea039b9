#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include "platform/thread.h"

namespace quire::platform {

void lower_priority(int niceness) {
  constexpr int kLowest = 10, kIdle = 19;
  const int priority = niceness >= kIdle     ? THREAD_PRIORITY_IDLE
                       : niceness >= kLowest ? THREAD_PRIORITY_LOWEST
                                             : THREAD_PRIORITY_BELOW_NORMAL;
  const HANDLE self = ::GetCurrentThread();
  if (::GetThreadPriority(self) > priority) ::SetThreadPriority(self, priority);
}

}  // namespace quire::platform
