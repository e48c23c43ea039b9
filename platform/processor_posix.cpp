#include <sys/types.h>

#if defined(__linux__)
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <fstream>

#include "platform/processor.h"

namespace quire::platform {

#if defined(__APPLE__)
namespace {

int64_t number_of(const char* name) {
  int64_t value = 0;
  size_t length = sizeof value;
  return ::sysctlbyname(name, &value, &length, nullptr, 0) == 0 ? value : 0;
}

}  // namespace

std::vector<int> usable_processors() {
  return {};
}

int count_usable_cores() {
  // The slow cores of Apple's processors would hold up the fast ones.
  const int64_t fast = number_of("hw.perflevel0.physicalcpu");
  return static_cast<int>(fast > 0 ? fast : number_of("hw.physicalcpu"));
}

std::string processor_description() {
  char name[128] = {};
  size_t length = sizeof name - 1;
  if (::sysctlbyname("machdep.cpu.brand_string", name, &length, nullptr, 0) != 0) return {};
  return "model name\t: " + std::string(name) + "\n";
}

int64_t last_level_cache_bytes() {
  const int64_t third = number_of("hw.l3cachesize");
  return third > 0 ? third : number_of("hw.perflevel0.l2cachesize");
}
#else
std::vector<int> usable_processors() {
  std::vector<int> processors;
#if defined(__linux__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
#endif
  return processors;
}

int count_usable_cores() {
  return 0;
}

std::string processor_description() {
  std::ifstream file("/proc/cpuinfo");
  std::string first;
  for (std::string line; std::getline(file, line) && !line.empty();) first += line + "\n";
  return first;
}

/// sysconf() adds up all of a processor, ten on an EPYC.
int64_t last_level_cache_bytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  int64_t kilobytes = 0;
  return file >> kilobytes && kilobytes > 0 ? kilobytes << 10 : 0;
}
#endif

bool request_tiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM of asm/prctl.h; Linux 5.16.
  constexpr long kTileData = 18;               // Its bit among the processor's state components.
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace quire::platform
