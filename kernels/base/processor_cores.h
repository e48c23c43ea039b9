#pragma once

#include <filesystem>
#include <span>

namespace quire {

/// Cores of the processor that this process may use, at least 1. Threads that share a core (SMT)
/// count as one: they share its units for arithmetic and its way to memory, and two that wait for
/// each other take them away from one another.
int num_usable_cores();

/// The cores of those logical processors, by what /sys/devices/system/cpu (`folder`) says of who
/// shares one. A processor of which it says nothing counts as a core.
int count_cores(std::span<const int> processors, const std::filesystem::path& folder);

}  // namespace quire
