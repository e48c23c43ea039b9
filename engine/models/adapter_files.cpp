#include "engine/models/adapter_files.h"

#include <cmath>
#include <utility>

#include "engine/io/gguf_weights.h"
#include "engine/io/safetensors.h"
#include "engine/io/text.h"
#include "engine/models/adapter_config.h"
#include "engine/models/model_files.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr char kConfigName[] = "adapter_config.json";
constexpr char kWeightsName[] = "adapter_model.safetensors";
constexpr std::string_view kPeftPrefix = "base_model.model.";

Error no_adapter(const fs::path& path) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 is no LoRA adapter; choose a folder with adapter_config.json and "
                    "adapter_model.safetensors, or a GGUF file that holds an adapter",
                    {path.string()});
}

/// What the name of a tensor says: whose half it is. `suffixes` of the A and the B.
struct Half {
  std::string weight;  ///< The name of the weight that is changed.
  bool is_b = false;
};
std::optional<Half> half_of(std::string_view name, std::string_view a, std::string_view b) {
  for (const auto& [suffix, is_b] : {std::pair(a, false), std::pair(b, true)}) {
    if (!name.ends_with(suffix)) continue;
    return Half{std::string(name.substr(0, name.size() - suffix.size())), is_b};
  }
  return std::nullopt;
}

Result<void> add_half(AdapterFiles& files, const Half& half, const std::string& tensor) {
  LoraPair& pair = files.pairs[half.weight];
  std::string& place = half.is_b ? pair.b : pair.a;
  if (!place.empty()) return refused_tensor(files, tensor);
  place = tensor;
  return {};
}

/// The rank of a pair whose two shapes fit each other.
Result<int64_t> rank_of(const AdapterFiles& files, const std::string& weight,
                        const LoraPair& pair) {
  const auto corrupt = [&](const std::string& fault) {
    return Error{ErrorCode::kCorruptFile, "the adapter " + for_message(files.name) + ": " +
                                              for_message(weight) + " " + fault +
                                              "; download it again"};
  };
  if (pair.a.empty() || pair.b.empty()) return corrupt("lacks one of its two matrices");
  const TensorInfo& a = *files.weights->find(pair.a);
  const TensorInfo& b = *files.weights->find(pair.b);
  if (a.shape.size() != 2 || b.shape.size() != 2 || a.shape[0] != b.shape[1]) {
    return corrupt("has two matrices that do not fit each other");
  }
  if (a.shape[0] < 1 || a.shape[0] > kMaxLoraRank) {
    return corrupt("has rank " + std::to_string(a.shape[0]) + ", which is not between 1 and " +
                   std::to_string(kMaxLoraRank));
  }
  return a.shape[0];
}

Result<void> read_peft_pairs(AdapterFiles& files, const AdapterConfig& config) {
  for (const TensorInfo& tensor : files.weights->tensors()) {
    std::string_view name = tensor.name;
    if (name.starts_with(kPeftPrefix)) name.remove_prefix(kPeftPrefix.size());
    auto half = half_of(name, ".lora_A.weight", ".lora_B.weight");
    if (!half) return refused_tensor(files, tensor.name);
    half->weight = adapted_weight_name(half->weight) + ".weight";
    if (auto added = add_half(files, *half, tensor.name); !added) return added.error();
  }
  for (auto& [weight, pair] : files.pairs) {
    const auto rank = rank_of(files, weight, pair);
    if (!rank) return rank.error();
    const std::string module = weight.substr(0, weight.rfind('.'));
    const int64_t configured = config.rank_of(module);
    if (configured != *rank) {
      return Error{ErrorCode::kCorruptFile,
                   "the adapter " + for_message(files.name) + ": " + for_message(module) +
                       " has rank " + std::to_string(*rank) + ", but " + kConfigName + " says " +
                       std::to_string(configured) + "; download it again"};
    }
    pair.scale = config.scale_of(module, *rank);
  }
  return {};
}

Result<AdapterFiles> open_peft(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / kConfigName, ignored)) return no_adapter(folder);
  AdapterFiles files{.name = fs::absolute(folder).lexically_normal().filename().string()};
  if (files.name.empty()) files.name = folder.string();
  const auto config = read_adapter_config(folder / kConfigName, files.name);
  if (!config) return config.error();
  if (!fs::exists(folder / kWeightsName, ignored)) {
    return make_error(
        ErrorCode::kNotFound,
        "the adapter %1 has no adapter_model.safetensors; get the safetensors version",
        {for_message(files.name)});
  }
  auto weights = SafetensorsWeights::open_file(folder / kWeightsName);
  if (!weights) return weights.error();
  files.weights = std::move(*weights);
  if (auto read = read_peft_pairs(files, *config); !read) return read.error();
  return files;
}

Result<AdapterFiles> open_gguf(const fs::path& path) {
  auto weights = GgufWeights::open(path);
  if (!weights) return weights.error();
  const GgufFile& metadata = (*weights)->metadata();
  AdapterFiles files{.name = path.filename().string(), .format = FileFormat::kGguf};
  if (metadata.string("general.type").value_or("") != "adapter") return no_adapter(path);
  const std::string_view type = metadata.string("adapter.type").value_or("");
  if (type != "lora") return refused_adapter(files.name, std::string(type));
  files.architecture = std::string(metadata.string("general.architecture").value_or(""));
  const double alpha = metadata.number("adapter.lora.alpha").value_or(0.0);
  if (!(std::abs(alpha) <= kMaxLoraAlpha)) {
    return Error{ErrorCode::kCorruptFile, for_message(files.name) +
                                              ": adapter.lora.alpha is no number that Quire "
                                              "computes with; download it again"};
  }
  files.weights = std::move(*weights);
  for (const TensorInfo& tensor : files.weights->tensors()) {
    const auto half = half_of(tensor.name, ".lora_a", ".lora_b");
    if (!half) return refused_tensor(files, tensor.name);
    if (auto added = add_half(files, *half, tensor.name); !added) return added.error();
  }
  for (auto& [weight, pair] : files.pairs) {
    const auto rank = rank_of(files, weight, pair);
    if (!rank) return rank.error();
    // llama.cpp takes a missing or zero alpha for a scale of 1.
    if (alpha != 0.0) pair.scale = static_cast<float>(alpha / static_cast<double>(*rank));
  }
  return files;
}

}  // namespace

std::string adapted_weight_name(std::string_view name) {
  for (const std::string_view prefix : {"language_model.model.", "model.language_model."}) {
    if (name.starts_with(prefix)) return "model." + std::string(name.substr(prefix.size()));
  }
  return std::string(name);
}

Error refused_tensor(const AdapterFiles& files, const std::string& tensor) {
  return make_error(ErrorCode::kUnsupported,
                    "the adapter %1 changes %2, which this model does not have or Quire cannot "
                    "adapt; choose one of this model that changes only linear layers of "
                    "attention and MLPs",
                    {for_message(files.name), for_message(tensor)});
}

bool is_adapter_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / kConfigName, ignored) && !fs::exists(path / "config.json", ignored);
}

fs::path whole_adapter(const fs::path& path) {
  const bool is_part = path.filename() == kConfigName || path.filename() == kWeightsName;
  if (!is_part) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Result<AdapterFiles> open_adapter(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return make_error(ErrorCode::kNotFound, "%1 does not exist", {path.string()});
  }
  const fs::path whole = whole_adapter(path);
  const bool is_folder = fs::is_directory(whole, ignored);
  if (!is_folder && !is_gguf_file(path)) return no_adapter(path);
  auto files = is_folder ? open_peft(whole) : open_gguf(path);
  if (files && files->pairs.empty()) return no_adapter(path);
  return files;
}

Result<void> check_adapter_files(const fs::path& path) {
  const auto files = open_adapter(path);
  return files ? files->weights->check_whole() : files.error();
}

}  // namespace quire
