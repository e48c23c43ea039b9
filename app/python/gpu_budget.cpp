#include "app/python/gpu_budget.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "engine/memory/memory_estimate.h"
#include "kernels/base/megabytes.h"

namespace quire {
namespace {

/// The devices that the model would be laid on. They are started, because a GPU says only then how
/// much of its memory is free, and closed again.
Result<std::vector<DeviceInfo>> chosen_devices(const BackendOptions& options) {
  auto devices = ModelDevices::open(options);
  if (!devices) return devices.error();
  std::vector<DeviceInfo> infos;
  for (size_t i = 0; i < devices->size(); ++i) {
    const auto backend = devices->at(i);
    if (!backend) return backend.error();
    infos.push_back((*backend)->info());
  }
  return infos;
}

}  // namespace

Result<uint64_t> gpu_kv_bytes(const LlmOptions& options, double utilization) {
  const auto devices = chosen_devices(options.backend);
  if (!devices) return devices.error();
  if (devices->empty() || !devices->front().has_own_memory) return uint64_t{0};
  const auto estimate = estimate_memory({.path = options.model_path,
                                         .engine = options.engine,
                                         .num_threads = options.backend.num_threads,
                                         .devices = *devices});
  if (!estimate) return estimate.error();
  double left = 0.0;
  uint64_t total = 0;
  for (const MemoryEstimate::Part& part : estimate->parts) {
    const auto device = std::ranges::find(*devices, part.device, &DeviceInfo::name);
    if (!part.has_own_memory || part.num_layers == 0 || device == devices->end()) continue;
    const uint64_t others = device->total_bytes - std::min(device->total_bytes, part.free_bytes);
    total += device->total_bytes;
    left += utilization * static_cast<double>(device->total_bytes) -
            static_cast<double>(part.weight_bytes + part.work_bytes + others);
  }
  if (total == 0) return uint64_t{0};
  if (left >= 1.0) return static_cast<uint64_t>(left);
  std::ostringstream message;
  message << "gpu_memory_utilization=" << utilization << " of " << megabytes(total)
          << " leaves nothing for keys and values beside the weights; choose a larger one.";
  return Error{ErrorCode::kInvalidArgument, message.str()};
}

}  // namespace quire
