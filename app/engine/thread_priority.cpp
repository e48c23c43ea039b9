#include "app/engine/thread_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace quire {

void letTheWindowGoFirst() {
#ifdef __linux__
  constexpr int kNiceness = 5;  // A third of the weight of an ordinary thread.
  // Linux takes a thread's id here. What fails is left: the program goes on as without it.
  const auto thread = static_cast<id_t>(gettid());
  if (getpriority(PRIO_PROCESS, thread) < kNiceness) {
    static_cast<void>(setpriority(PRIO_PROCESS, thread, kNiceness));
  }
#endif
}

}  // namespace quire
