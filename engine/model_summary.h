#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/model_config.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/result.h"

namespace quire {

/// What a model's files say, without loading the weights: for `inspect`. Where a part cannot be
/// read it is left out and `obstacles` says why.
struct ModelSummary {
  /// All tensors of one type.
  struct DTypeUse {
    std::string dtype;  ///< As the files spell it: "Q4_K".
    int num_tensors = 0;
    int64_t num_parameters = 0;
    uint64_t bytes = 0;
  };

  /// Layers for speculative decoding.
  struct SpeculativeLayers {
    int count = 0;  ///< 0: the files hold none, and the rest is empty.
    int num_tensors = 0;
    uint64_t bytes = 0;     ///< Of the tensors in the files.
    std::string problem;    ///< Why they cannot be loaded; empty if they can.
    bool are_used = false;  ///< Whether they guess if speculation is on.
  };

  std::filesystem::path path;
  std::string format;        ///< "GGUF version 3", "safetensors".
  std::string name;          ///< The folder's or file's name.
  std::string architecture;  ///< As the files spell it; empty if they do not say.
  std::optional<ModelConfig> config;
  std::unique_ptr<WeightSource> weights;
  std::span<const TensorInfo> tensors;  ///< Those of `weights`, by name ascending.
  std::vector<DTypeUse> dtypes;         ///< Most bytes first.
  uint64_t file_bytes = 0;
  int64_t num_parameters = 0;
  uint64_t weight_bytes = 0;  ///< What the loaded weights take; 0 if they cannot be loaded.
  SpeculativeLayers speculative_layers;
  std::unique_ptr<Tokenizer> tokenizer;
  std::string template_source;        ///< Of the files; empty if they hold none.
  std::string default_template_name;  ///< The template used instead.
  std::vector<Error> obstacles;       ///< What would stop it from loading.
  std::string template_error;  ///< Why its chat template does not work; it loads all the same.
};

/// What patterns, normalisation and templates of one model may take together while it is inspected
/// (SharedCpuTime). Real files need a tenth of it.
inline constexpr std::chrono::milliseconds kInspectionTime{400};

/// Reads everything but the weights' values and checks every tensor that loading would read.
/// Errors: only if the path holds no model files that can be opened at all.
Result<ModelSummary> inspect_model(const std::filesystem::path& path);

}  // namespace quire
