#include "kernels/base/work_budget.h"

#include <ctime>

#include <algorithm>
#include <string>
#include <utility>

namespace quire {
namespace {

constexpr uint64_t kStepsPerCheck = 4096;

std::chrono::nanoseconds thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

thread_local SharedCpuTime* t_shared = nullptr;

}  // namespace

SharedCpuTime::SharedCpuTime(std::chrono::milliseconds cpu_time)
    : m_limit(cpu_time), m_left(cpu_time) {
  if (t_shared == nullptr) t_shared = this;
}

SharedCpuTime::~SharedCpuTime() {
  if (t_shared == this) t_shared = nullptr;
}

WorkBudget::WorkBudget(const Limits& limits)
    : m_limits(limits),
      m_steps_left(limits.steps),
      m_bytes_left(limits.bytes),
      m_time_left(limits.cpu_time),
      m_last_check(thread_cpu_time()) {}

WorkBudget WorkBudget::for_text(size_t num_bytes) {
  constexpr uint64_t kConstantSteps = 10'000'000;
  constexpr uint64_t kConstantBytes = 16 << 20;
  const uint64_t bytes = std::min<uint64_t>(num_bytes, uint64_t{1} << 40);
  return WorkBudget({.steps = kConstantSteps + 200 * bytes,
                     .bytes = kConstantBytes + 64 * bytes,
                     .cpu_time = std::chrono::milliseconds(250 + bytes / 1000)});
}

bool WorkBudget::fail(Exceeded limit) {
  m_exceeded = limit;
  m_steps_to_check = 0;
  return false;
}

bool WorkBudget::check_time() {
  // A budget without a limit of time measures none: between two calls of its owner, the thread may
  // do other work.
  if (m_limits.cpu_time == Limits().cpu_time) return true;
  const std::chrono::nanoseconds now = thread_cpu_time();
  const std::chrono::nanoseconds used = now - std::exchange(m_last_check, now);
  m_time_left -= used;
  if (m_time_left < std::chrono::nanoseconds::zero()) return fail(Exceeded::kTime);
  if (t_shared == nullptr) return true;
  t_shared->m_left -= used;
  if (t_shared->m_left >= std::chrono::nanoseconds::zero()) return true;
  m_shared = t_shared->m_limit;
  return fail(Exceeded::kSharedTime);
}

bool WorkBudget::check(uint64_t steps) {
  if (is_spent()) return false;
  const uint64_t beyond = steps - std::min(steps, m_steps_to_check);
  if (beyond > m_steps_left) return fail(Exceeded::kSteps);
  m_steps_left -= beyond;
  if (m_limits.stop.stop_requested()) return fail(Exceeded::kCancelled);
  if (!check_time()) return false;
  m_steps_to_check -= steps - beyond;
  const uint64_t more =
      std::min(kStepsPerCheck - std::min(kStepsPerCheck, m_steps_to_check), m_steps_left);
  m_steps_to_check += more;
  m_steps_left -= more;
  return true;
}

Error WorkBudget::error(std::string_view what) const {
  const std::string name(what);
  switch (m_exceeded) {
    case Exceeded::kCancelled:
      return make_error(ErrorCode::kCancelled, "%1 was cancelled", {name});
    case Exceeded::kBytes:
      return make_error(ErrorCode::kUnsupported, "%1 needs more than %2 MB of memory",
                        {name, std::to_string(m_limits.bytes >> 20)});
    case Exceeded::kTime:
      return make_error(ErrorCode::kUnsupported, "%1 takes more than %2 ms of processor time",
                        {name, std::to_string(m_limits.cpu_time.count())});
    case Exceeded::kSharedTime:
      return make_error(ErrorCode::kUnsupported,
                        "%1, with what was read before, takes more than %2 ms of processor time",
                        {name, std::to_string(m_shared.count())});
    case Exceeded::kNothing:
    case Exceeded::kSteps:
      break;
  }
  return make_error(ErrorCode::kUnsupported, "%1 takes more than %2 steps",
                    {name, std::to_string(m_limits.steps)});
}

}  // namespace quire
