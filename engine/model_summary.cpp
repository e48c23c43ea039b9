#include "engine/model_summary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/chat/chat_format.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/text.h"
#include "engine/model_loader.h"
#include "engine/models/json_config.h"
#include "engine/models/model_files.h"
#include "engine/models/null_backend.h"
#include "engine/models/speculative_layer.h"
#include "engine/models/weight_conventions.h"
#include "engine/template/chat_template.h"
#include "kernels/base/checked.h"
#include "kernels/base/work_budget.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

/// Adds a tensor to the counts; false if a count no longer fits.
bool add_tensor(const TensorInfo& tensor, ModelSummary::DTypeUse& use, int64_t& total) {
  const std::optional<int64_t> count = stored_numbers(tensor).count;
  const auto of_type = count ? checked_add(use.num_parameters, *count) : std::nullopt;
  const auto of_all = count ? checked_add(total, *count) : std::nullopt;
  if (!of_type || !of_all) return false;
  ++use.num_tensors;
  use.num_parameters = *of_type;
  use.bytes += tensor.bytes;
  total = *of_all;
  return true;
}

Error impossible_shapes(const std::string& where) {
  return {ErrorCode::kCorruptFile, where +
                                       " is damaged: its tensors have impossibly large "
                                       "shapes; download it again"};
}

void describe_tensors(const WeightSource& weights, ModelSummary& summary) {
  summary.tensors = weights.tensors();
  summary.file_bytes = weights.file_bytes();
  std::map<std::string, ModelSummary::DTypeUse> uses;
  for (const TensorInfo& tensor : summary.tensors) {
    const std::string dtype(stored_numbers(tensor).dtype);
    ModelSummary::DTypeUse& use = uses[dtype];
    use.dtype = dtype;
    if (add_tensor(tensor, use, summary.num_parameters)) continue;
    summary.num_parameters = 0;
    summary.obstacles.push_back(impossible_shapes(weights.where()));
    return;
  }
  for (auto& [name, use] : uses) summary.dtypes.push_back(std::move(use));
  std::stable_sort(summary.dtypes.begin(), summary.dtypes.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
}

/// The model's class by config.json, supported or not.
std::string class_name(const fs::path& folder) {
  const auto config = read_config_json(folder);
  if (!config || !config->is_object()) return {};
  const auto names = config->find("architectures");
  if (names == config->end() || !names->is_array() || names->empty()) return {};
  return names->front().is_string() ? names->front().get<std::string>() : std::string();
}

/// Describes the files of any architecture.
void describe_files(const fs::path& path, const ModelFiles& files, ModelSummary& summary) {
  describe_tensors(*files.weights, summary);
  const GgufFile* const metadata = gguf_metadata(files);
  if (metadata == nullptr) {
    summary.format = "safetensors";
    summary.architecture = class_name(path);
    return;
  }
  summary.format = "GGUF version " + std::to_string(metadata->version());
  const size_t num_files = static_cast<const GgufWeights&>(*files.weights).num_files();
  if (num_files > 1) summary.format += ", split into " + std::to_string(num_files) + " files";
  summary.architecture = for_message(metadata->string("general.architecture").value_or(""));
}

/// Loads onto a backend without memory: checks every tensor.
void try_to_load(const ModelFiles& files, ModelSummary& summary) {
  NullBackend nothing;
  const auto decoder = make_decoder(files, nothing, {.check_only = true});
  if (decoder) {
    summary.weight_bytes = (*decoder)->weight_bytes();
  } else {
    summary.obstacles.push_back(decoder.error());
  }
}

/// They are checked by loading them, too.
void describe_speculative_layers(const ModelFiles& files, ModelSummary& summary) {
  ModelSummary::SpeculativeLayers& found = summary.speculative_layers;
  found.count = files.config.num_speculative_layers;
  if (found.count == 0) return;
  for (const TensorInfo& tensor : speculative_tensors(files)) {
    ++found.num_tensors;
    found.bytes += tensor.bytes;
  }
  NullBackend nothing;
  const LoadOptions options = {.speculative_layers = true, .check_only = true};
  const auto decoder = make_decoder(files, nothing, options);
  if (!decoder) found.problem = decoder.error().message;
  found.are_used = decoder && (*decoder)->draft_layers() != nullptr;
}

void describe_tokenizer(const fs::path& path, const GgufFile* gguf, ModelSummary& summary) {
  auto tokenizer = load_tokenizer_of(path, gguf);
  if (!tokenizer) {
    summary.obstacles.push_back(tokenizer.error());
    return;
  }
  summary.tokenizer = std::move(*tokenizer);
  if (!summary.config) return;
  const auto fits = check_vocabulary(*summary.tokenizer, *summary.config);
  if (!fits) summary.obstacles.push_back(fits.error());
}

void describe_template(const fs::path& path, const GgufFile* gguf, ModelSummary& summary) {
  auto source = gguf != nullptr ? read_template_source(*gguf) : read_template_source(path);
  if (!source) {
    summary.obstacles.push_back(source.error());
    return;
  }
  summary.template_source = std::move(*source);
  if (summary.config && summary.tokenizer) {  // As load_model completes them.
    summary.config->end_tokens =
        find_end_tokens(*summary.config, *summary.tokenizer, gguf, summary.template_source);
  }
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
  const SharedCpuTime shared(kInspectionTime);
  auto opened = open_any_model(path);
  if (!opened) return opened.error();
  ModelSummary summary;
  summary.path = path;
  std::error_code ignored;
  const fs::path absolute = fs::weakly_canonical(path, ignored);
  summary.name = (fs::is_directory(path, ignored) ? absolute.filename() : absolute.stem()).string();
  ModelFiles files{.weights = std::move(opened->weights), .format = opened->format};
  if (opened->config) {
    summary.config = files.config = std::move(*opened->config);
    summary.name = summary.config->name;
    try_to_load(files, summary);
    if (summary.obstacles.empty()) describe_speculative_layers(files, summary);
  } else {
    summary.obstacles.push_back(opened->config.error());
  }
  describe_files(path, files, summary);
  const GgufFile* const gguf = gguf_metadata(files);
  describe_tokenizer(path, gguf, summary);
  describe_template(path, gguf, summary);
  summary.weights = std::move(files.weights);
  return summary;
}

}  // namespace quire
