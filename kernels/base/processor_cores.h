#pragma once

#include <filesystem>
#include <span>

namespace quire {

/// Physical cores that this process may use, by its affinity and its cgroup's CPU quota; at
/// least 1. The threads of a core (SMT) count once because they share its arithmetic units.
int num_usable_cores();

/// Physical cores of those logical processors according to `folder`, /sys/devices/system/cpu. A
/// processor that is not described there counts as a core.
int count_cores(std::span<const int> processors, const std::filesystem::path& folder);

/// CPUs that the cgroup quota allows this process, rounded up; 0 without a quota. Reads
/// proc/self/cgroup and sys/fs/cgroup (versions 1 and 2) under `root`.
int cgroup_cpu_limit(const std::filesystem::path& root);

}  // namespace quire
