#include "app/server/api/request_limiter.h"

namespace quire {

RequestLimiter::Slots RequestLimiter::tryTake(int answers) {
  int taken = *m_count;
  do {
    if (answers > m_most - taken) return {};
  } while (!m_count->compare_exchange_weak(taken, taken + answers));
  return {m_count, answers};
}

}  // namespace quire
