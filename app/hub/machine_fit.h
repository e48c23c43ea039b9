#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/hub/hub_states.h"
#include "kernels/cpu_tuning.h"

namespace quire {

/// An estimate of the memory that a model of this size takes with a short context: the file's size,
/// a tenth of it, and half a gigabyte.
int64_t needed_bytes(int64_t file_bytes);

/// What this machine can do with models of a size: without Qt, for the window and the command line.
struct MachineAbility {
  int64_t gpu_bytes = 0;             ///< Free, of the GPU that has the most.
  int64_t host_bytes = 0;            ///< Free.
  std::vector<TunedFormat> formats;  ///< What the tuner measured; empty: nothing yet.

  /// Reads the devices, which may load a driver, and the choices that this process keeps
  /// (keep_cpu_tunings()). Thread: any.
  static MachineAbility find();

  MachineFit fit(int64_t file_bytes) const;
  /// The tokens to expect of the CPU: the memory bandwidth that was measured for a type such as
  /// "Q4_K_M" (for the fastest one, if not for this), divided by the size. 0: nothing was measured.
  double tokens_per_second(const std::string& type, int64_t file_bytes) const;
};

}  // namespace quire
