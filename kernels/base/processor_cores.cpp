#include "kernels/base/processor_cores.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace quire {
namespace {

/// The logical processors that this process may run on; empty if the system does not say.
std::vector<int> usable_processors() {
  std::vector<int> processors;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
#endif
  return processors;
}

/// "0,8" for both threads of a core; empty if unknown. Before Linux 5.3 the list had another name.
std::string threads_of_core(const std::filesystem::path& topology) {
  for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {
    std::ifstream file(topology / name);
    std::string list;
    if (std::getline(file, list) && !list.empty()) return list;
  }
  return {};
}

}  // namespace

int count_cores(std::span<const int> processors, const std::filesystem::path& folder) {
  std::set<std::string> cores;
  int num_unknown = 0;
  for (int processor : processors) {
    const std::string name = "cpu" + std::to_string(processor);
    const std::string threads = threads_of_core(folder / name / "topology");
    if (threads.empty()) {
      ++num_unknown;
    } else {
      cores.insert(threads);
    }
  }
  return static_cast<int>(cores.size()) + num_unknown;
}

int num_usable_cores() {
  static const int kCores = [] {
    const std::vector<int> processors = usable_processors();
    const int cores = count_cores(processors, "/sys/devices/system/cpu");
    return std::max(1, cores > 0 ? cores : static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return kCores;
}

}  // namespace quire
