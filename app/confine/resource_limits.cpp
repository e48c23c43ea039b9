#include "app/confine/resource_limits.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace quire {
namespace {

constexpr uint64_t kStackBytes = 8 << 20;  ///< The usual limit of a shell.

void limit(__rlimit_resource resource, uint64_t soft, uint64_t hard) {
  const struct rlimit both = {.rlim_cur = soft, .rlim_max = hard};
  setrlimit(resource, &both);
}

}  // namespace

void limit_resources(uint64_t data_bytes, uint64_t address_bytes, uint64_t cpu_seconds) {
  signal(SIGXCPU, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);  // write() fails instead.
  limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, 0, 0);
  if (has_shadow_memory()) return;
  // Not the address space, unless it is asked for: mapped weights may be larger than the machine.
  limit(RLIMIT_DATA, data_bytes, data_bytes);
  limit(RLIMIT_STACK, kStackBytes, kStackBytes);  // Which RLIMIT_DATA does not count.
  if (address_bytes > 0) limit(RLIMIT_AS, address_bytes, address_bytes);
}

void step_back() {
  constexpr int kNice = 10;
  constexpr int kIdleClass = 3 << 13;
  constexpr int kOfProcess = 1;
  setpriority(PRIO_PROCESS, 0, kNice);
  syscall(SYS_ioprio_set, kOfProcess, 0, kIdleClass);
}

}  // namespace quire
