#include "app/engine/thread_priority.h"

#include "platform/thread.h"

namespace quire {

void letTheWindowGoFirst() {
  platform::lower_priority(5);  // A third of the weight of an ordinary thread.
}

void letTheEngineGoFirst() {
  platform::lower_priority(10);  // A third of the weight of the engine's threads.
}

void runInTheBackground() {
  platform::lower_priority(19);  // The least weight that there is.
}

}  // namespace quire
