#pragma once

#include <cstdint>
#include <string>

namespace quire {

/// What a benchmark says of a machine. Nothing in it names its user or its owner: no user name,
/// host name, path or serial number.
struct MachineFacts {
  std::string processor;      ///< "AMD EPYC 9654"; empty: not known.
  int num_threads = 0;        ///< Hardware threads that this program may use.
  uint64_t memory_bytes = 0;  ///< 0: not known.
  std::string system;         ///< "Debian GNU/Linux 12 (bookworm), Linux 6.1, x86_64".
};

/// Reads them from the system. Takes a millisecond.
MachineFacts machine_facts();

/// The processor and the system, from texts in the form of the kernel. `cpuinfo`: as
/// platform::processor_description(); the others: as platform::SystemNames, "Linux",
/// "6.1.0-18-custom", "x86_64".
struct MachineTexts {
  std::string cpuinfo;
  std::string os_release;
  std::string kernel;
  std::string release;
  std::string architecture;
};
MachineFacts facts_of(const MachineTexts& texts);

/// How fast the memory is read, in bytes a second: the best of some passes of all threads over a
/// block that no cache holds. 0 if there is no memory for it. Takes some tenths of a second.
double memory_bytes_per_second(int num_threads);

}  // namespace quire
