#include "engine/model_summary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/chat/chat_format.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/json_file.h"
#include "engine/io/safetensors.h"
#include "engine/model_loader.h"
#include "engine/models/model_files.h"
#include "engine/models/null_backend.h"
#include "engine/models/weight_conventions.h"
#include "engine/template/chat_template.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

void describe_tensors(const WeightSource& weights, ModelSummary& summary) {
  summary.tensors.assign(weights.tensors().begin(), weights.tensors().end());
  summary.file_bytes = weights.file_bytes();
  std::map<std::string, ModelSummary::DTypeUse> uses;
  for (const TensorInfo& tensor : summary.tensors) {
    const StoredNumbers numbers = stored_numbers(tensor);
    ModelSummary::DTypeUse& use = uses[std::string(numbers.dtype)];
    use.dtype = numbers.dtype;
    ++use.num_tensors;
    use.num_parameters += numbers.count;
    use.bytes += tensor.bytes;
    summary.num_parameters += numbers.count;
  }
  for (auto& [name, use] : uses) summary.dtypes.push_back(std::move(use));
  std::stable_sort(summary.dtypes.begin(), summary.dtypes.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

/// The model's class by config.json, supported or not.
std::string class_name(const fs::path& folder) {
  const auto config = read_json(folder / "config.json");
  if (!config || !config->is_object()) return {};
  const auto names = config->find("architectures");
  if (names == config->end() || !names->is_array() || names->empty()) return {};
  return names->front().is_string() ? names->front().get<std::string>() : std::string();
}

/// Describes the tensors of any architecture. Errors: those of the formats.
Result<void> describe_files(const fs::path& path, ModelSummary& summary) {
  const auto gguf = resolve_gguf(path);
  if (!gguf) return gguf.error();
  if (!*gguf) {
    auto weights = SafetensorsWeights::open(path);
    if (!weights) return weights.error();
    summary.format = "safetensors";
    summary.architecture = class_name(path);
    describe_tensors(**weights, summary);
    return {};
  }
  auto weights = GgufWeights::open(**gguf);
  if (!weights) return weights.error();
  const GgufFile& metadata = (*weights)->metadata();
  summary.format = "GGUF version " + std::to_string(metadata.version());
  if ((*weights)->num_files() > 1) {
    summary.format += ", split into " + std::to_string((*weights)->num_files()) + " files";
  }
  summary.architecture = metadata.string("general.architecture").value_or("");
  describe_tensors(**weights, summary);
  return {};
}

/// Loads onto a backend without memory: reads the configuration and checks every tensor.
void try_to_load(const fs::path& path, ModelSummary& summary) {
  auto files = open_model_files(path);
  if (!files) {
    summary.obstacles.push_back(files.error());
    return;
  }
  summary.config = files->config;
  NullBackend nothing;
  const auto decoder = make_decoder(*files, nothing, {.check_only = true});
  if (decoder) {
    summary.weight_bytes = (*decoder)->weight_bytes();
  } else {
    summary.obstacles.push_back(decoder.error());
  }
}

/// Completes the end tokens as load_model does.
void complete_end_tokens(const fs::path& path, ModelSummary& summary) {
  const auto gguf = open_gguf_metadata(path);
  if (!gguf || !summary.config || !summary.tokenizer) return;
  summary.config->end_tokens = find_end_tokens(*summary.config, *summary.tokenizer,
                                               *gguf ? &**gguf : nullptr, summary.template_source);
}

void describe_text_side(const fs::path& path, ModelSummary& summary) {
  auto tokenizer = load_model_tokenizer(path);
  if (tokenizer) {
    summary.tokenizer = std::move(*tokenizer);
    if (summary.config) {
      const auto fits = check_vocabulary(*summary.tokenizer, *summary.config);
      if (!fits) summary.obstacles.push_back(fits.error());
    }
  } else {
    summary.obstacles.push_back(tokenizer.error());
  }
  auto source = read_template_source(path);
  if (!source) {
    summary.obstacles.push_back(source.error());
    return;
  }
  summary.template_source = std::move(*source);
  complete_end_tokens(path, summary);
  if (summary.template_source.empty()) {
    if (summary.tokenizer)
      summary.default_template_name = default_template(*summary.tokenizer).name;
    return;
  }
  const auto compiled = ChatTemplate::compile(summary.template_source);
  if (!compiled) summary.template_error = compiled.error().message;
}

}  // namespace

Result<ModelSummary> inspect_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return make_error(ErrorCode::kNotFound, "%1 does not exist", {path.string()});
  }
  ModelSummary summary;
  summary.path = path;
  const fs::path absolute = fs::weakly_canonical(path, ignored);
  summary.name = (fs::is_directory(path, ignored) ? absolute.filename() : absolute.stem()).string();
  try_to_load(path, summary);
  if (summary.config) summary.name = summary.config->name;
  if (auto described = describe_files(path, summary); !described) {
    // If the path holds no model at all, the error of loading is more precise.
    return summary.obstacles.empty() ? described.error() : summary.obstacles.front();
  }
  describe_text_side(path, summary);
  return summary;
}

}  // namespace quire
