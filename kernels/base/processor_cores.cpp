#include "kernels/base/processor_cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "platform/processor.h"

namespace quire {
namespace {

/// quota / period, in CPUs; 0 without a quota ("max", -1, or no file). The period is the second
/// number in `quota_file` or in a file of its own.
double read_quota(const std::filesystem::path& quota_file,
                  const std::filesystem::path& period_file) {
  std::ifstream quota(quota_file);
  std::ifstream separate(period_file);
  double microseconds = 0.0;
  double period = 0.0;
  if (!(quota >> microseconds) || !((period_file.empty() ? quota : separate) >> period)) return 0.0;
  return microseconds > 0.0 && period > 0.0 ? microseconds / period : 0.0;
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

int cgroup_cpu_limit(const std::filesystem::path& root) {
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  std::ifstream cgroups(root / "proc/self/cgroup");
  double limit = 0.0;
  for (std::string line; std::getline(cgroups, line);) {
    // "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1.
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_v2 = controllers == ",,";
    if (!is_v2 && controllers.find(",cpu,") == std::string::npos) continue;
    // The quotas of all ancestors apply. Within a container the path may not exist: its cgroup is
    // the root then.
    for (std::filesystem::path path = line.substr(second + 1);; path = path.parent_path()) {
      const std::filesystem::path folder = mount / (is_v2 ? "" : "cpu") / path.relative_path();
      const double cpus =
          is_v2 ? read_quota(folder / "cpu.max", {})
                : read_quota(folder / "cpu.cfs_quota_us", folder / "cpu.cfs_period_us");
      if (cpus > 0.0) limit = limit > 0.0 ? std::min(limit, cpus) : cpus;
      if (path == path.parent_path()) break;
    }
  }
  return static_cast<int>(std::ceil(limit));
}

int num_usable_cores() {
  static const int kCores = [] {
    int cores = platform::count_usable_cores();
    if (cores == 0) cores = count_cores(platform::usable_processors(), "/sys/devices/system/cpu");
    if (cores == 0) cores = static_cast<int>(std::thread::hardware_concurrency());
    const int limit = cgroup_cpu_limit("/");
    return std::max(1, limit > 0 ? std::min(cores, limit) : cores);
  }();
  return kCores;
}

}  // namespace quire
