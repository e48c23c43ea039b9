#include "app/hub/machine_fit.h"

#include <algorithm>
#include <cctype>

#include "kernels/backend.h"

namespace quire {
namespace {

/// The measured bandwidth of the format or, if it was not measured, of the fastest one; 0 if none
/// was measured.
double gigabytes_per_second(const std::vector<TunedFormat>& formats, std::string type) {
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
  double same = 0.0;
  double fastest = 0.0;
  for (const TunedFormat& format : formats) {
    const bool is_same = type.starts_with(dtype_name(format.dtype));
    for (const TuningSpeed& speed : format.speeds) {
      if (speed.num_rows != 1) continue;
      fastest = std::max(fastest, speed.gigabytes_per_second);
      if (is_same) same = std::max(same, speed.gigabytes_per_second);
    }
  }
  return same > 0.0 ? same : fastest;
}

}  // namespace

int64_t needed_bytes(int64_t file_bytes) {
  return file_bytes + file_bytes / 10 + 500'000'000;
}

MachineAbility MachineAbility::find() {
  MachineAbility machine;
  for (const DeviceInfo& device : list_devices()) {
    if (!device.available) continue;
    int64_t& most = device.has_own_memory ? machine.gpu_bytes : machine.host_bytes;
    most = std::max(most, static_cast<int64_t>(device.free_bytes));
  }
  if (const auto key = cpu_tuning_key(0)) machine.formats = tuned_formats(*key);
  return machine;
}

MachineFit MachineAbility::fit(int64_t file_bytes) const {
  const int64_t needed = needed_bytes(file_bytes);
  if (needed <= gpu_bytes) return MachineFit::kGpu;
  if (needed <= host_bytes) return MachineFit::kMemory;
  if (needed <= host_bytes + gpu_bytes) return MachineFit::kMemoryAndGpu;
  return MachineFit::kTooLarge;
}

double MachineAbility::tokens_per_second(const std::string& type, int64_t file_bytes) const {
  if (file_bytes <= 0) return 0.0;
  return gigabytes_per_second(formats, type) * 1e9 / static_cast<double>(file_bytes);
}

}  // namespace quire
