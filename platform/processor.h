#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The processor as the operating system knows it. Thread: any.
namespace quire::platform {

/// The logical processors that this process may run on; empty if the system does not say.
std::vector<int> usable_processors();
/// The physical cores among them, if the system says so without files (see count_cores() of
/// kernels/base/processor_cores.h); 0 if not.
int count_usable_cores();

/// "Key: value" lines about the first processor, as in Linux's /proc/cpuinfo: "model name", "cpu
/// family", "model", "stepping", "microcode". Lines may be missing.
std::string processor_description();
/// The size of the cache that a core shares with its neighbours; 0 if the system does not say.
int64_t last_level_cache_bytes();

/// Asks for the registers of AMX, which Linux saves only for processes that asked.
bool request_tiles();

}  // namespace quire::platform
