#include "app/engine/thread_priority.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace quire {

namespace {

/// Raises the niceness of the calling thread, but never lowers it.
void giveWay([[maybe_unused]] int niceness) {
#ifdef __linux__
  // Linux takes a thread's id here. What fails is left: the program goes on as without it.
  const auto thread = static_cast<id_t>(gettid());
  if (getpriority(PRIO_PROCESS, thread) < niceness) {
    static_cast<void>(setpriority(PRIO_PROCESS, thread, niceness));
  }
#endif
}

}  // namespace

void letTheWindowGoFirst() {
  giveWay(5);  // A third of the weight of an ordinary thread.
}

void letTheEngineGoFirst() {
  giveWay(10);  // A third of the weight of the engine's threads.
}

void runInTheBackground() {
  giveWay(19);  // The least weight that there is.
}

}  // namespace quire
