#include "engine/cache_scope.h"

namespace quire {
namespace {

/// To be incremented by every change to the kernels or models that changes any bit of a result.
constexpr int kArithmeticVersion = 10;

/// The device's name and description without the number of threads, which may change between
/// starts.
std::string scope_of(const LayerRange& range) {
  const DeviceInfo device = range.backend->info();
  return device.name + "/" + device.description.substr(0, device.description.rfind(", "));
}

}  // namespace

std::string cache_scope(const LoadedModel& model, DType kv_dtype) {
  const LayerPlacement& placement = model.decoder->placement();
  std::string devices = scope_of(placement.front());
  for (size_t i = 1; i < placement.size(); ++i) {
    devices += "/from layer " + std::to_string(placement[i].first) + "/" + scope_of(placement[i]);
  }
  return model.fingerprint + "/" + std::string(dtype_name(kv_dtype)) + "/block" +
         std::to_string(kBlockSize) + "/" + devices + "/arithmetic" +
         std::to_string(kArithmeticVersion) +
         (cache_layout(model.config, kv_dtype).window() > 0 ? "/windows" : "") +
         (has_draft_layer(model.decoder->config()) ? "/drafts" : "");
}

}  // namespace quire
