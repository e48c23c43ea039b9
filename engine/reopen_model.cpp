#include "engine/reopen_model.h"

#include <utility>

namespace quire {

Result<void> reopen_model(const std::filesystem::path& path, const EngineOptions& options,
                          const LoadOptions& load, ModelDevices& devices, Engine& engine) {
  engine.release_devices();
  devices.close();
  if (const auto first = devices.at(0); !first) return first.error();
  // The tokenizer and the template come along; next to the weights they cost nothing.
  auto model = load_model(path, devices, options, load);
  if (!model) return model.error();
  if (model->fingerprint != engine.model().fingerprint) {
    return Error{ErrorCode::kCorruptFile,
                 "The files of \"" + path.string() +
                     "\" have changed since they were loaded. Load the model again."};
  }
  return engine.resume(std::move(model->decoder));
}

}  // namespace quire
