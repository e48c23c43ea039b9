#include "engine/models/medusa_heads.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/io/json_fields.h"
#include "engine/io/safetensors.h"
#include "engine/models/json_config.h"
#include "engine/models/weight_loader.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxHeads = 64, kMaxBlocks = 16;
constexpr char kWeightsName[] = "medusa_lm_head.safetensors";

struct Sizes {
  int num_heads = 0;
  int num_blocks = 0;
};

Result<Sizes> read_sizes(const fs::path& folder) {
  const auto config = read_config_json(folder);
  if (!config) return config.error();
  JsonFields fields(*config, "config.json");
  const Sizes sizes = {static_cast<int>(fields.integer("medusa_num_heads", 1, kMaxHeads)),
                       static_cast<int>(fields.integer("medusa_num_layers", 0, kMaxBlocks, 1))};
  if (fields.error()) return *fields.error();
  return sizes;
}

Result<std::unique_ptr<SafetensorsWeights>> open_weights(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kWeightsName, ignored)) {
    return SafetensorsWeights::open_file(folder / kWeightsName);
  }
  if (fs::exists(folder / "medusa_lm_head.pt", ignored) &&
      !fs::exists(folder / "model.safetensors", ignored)) {
    return Error{ErrorCode::kUnsupported,
                 folder.string() +
                     " holds its Medusa heads as medusa_lm_head.pt, a format that can run any "
                     "program when it is read. Convert them with "
                     "safetensors.torch.save_file(torch.load(\"medusa_lm_head.pt\", "
                     "weights_only=True), \"" +
                     kWeightsName + "\")."};
  }
  return SafetensorsWeights::open(folder);
}

std::string head_name(int number, int part) {
  return std::to_string(number) + "." + std::to_string(part);
}

/// Errors: kInvalidArgument if the first head is for another model.
Result<void> check_fit(const WeightSource& weights, const Sizes& sizes, const ModelConfig& config,
                       const fs::path& folder) {
  const TensorInfo* const head = weights.find(head_name(0, sizes.num_blocks) + ".weight");
  if (head == nullptr || head->shape.size() != 2) return {};  // The loader names the tensor.
  if (head->shape[0] == config.vocab_size && head->shape[1] == config.hidden_size) return {};
  return Error{ErrorCode::kInvalidArgument,
               "The Medusa heads of " + folder.string() + " are for a model with " +
                   std::to_string(head->shape[0]) + " tokens and a hidden size of " +
                   std::to_string(head->shape[1]) + ", and this one has " +
                   std::to_string(config.vocab_size) + " and " +
                   std::to_string(config.hidden_size) + ". Choose heads that were made for it."};
}

}  // namespace

bool MedusaHeads::is_folder_of_heads(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / "config.json", ignored)) return false;
  const auto config = read_config_json(folder);
  return config && config->is_object() && config->contains("medusa_num_heads");
}

Result<std::unique_ptr<MedusaHeads>> MedusaHeads::load(const fs::path& folder,
                                                       const ModelConfig& config, Backend& backend,
                                                       const LoadOptions& options) {
  const auto sizes = read_sizes(folder);
  if (!sizes) return sizes.error();
  auto weights = open_weights(folder);
  if (!weights) return weights.error();
  if (auto whole = (*weights)->check_whole(); !whole) return whole.error();
  if (auto fits = check_fit(**weights, *sizes, config, folder); !fits) return fits.error();
  const LoadOptions own = {.cancelled = options.cancelled, .check_only = options.check_only};
  WeightConventions conventions;
  conventions.config_name = "config.json";
  WeightLoader loader(**weights, std::move(conventions), backend, own);
  std::unique_ptr<MedusaHeads> heads(new MedusaHeads(config.hidden_size));
  for (int i = 0; i < sizes->num_heads; ++i) {
    heads->add_head(i, sizes->num_blocks, config.vocab_size, loader);
  }
  if (auto loaded = loader.finish(); !loaded) return loaded.error();
  return heads;
}

void MedusaHeads::add_head(int number, int num_blocks, int64_t vocab_size, WeightLoader& loader) {
  Head head;
  for (int block = 0; block < num_blocks; ++block) {
    const std::string name = head_name(number, block) + ".linear";
    const WeightLoader::Part weight[] = {{name + ".weight", m_hidden_size}};
    const WeightLoader::Part bias[] = {{name + ".bias", m_hidden_size}};
    Linear& linear = head.blocks.emplace_back();
    linear.weight = loader.linear(weight, m_hidden_size);
    linear.bias = loader.vector(bias);
  }
  const WeightLoader::Part part[] = {{head_name(number, num_blocks) + ".weight", vocab_size}};
  head.head = loader.linear(part, m_hidden_size);
  m_heads.push_back(std::move(head));
}

void MedusaHeads::guess(const Mixer::Step& step, const DecoderEnds& /*ends*/, const Stream& buffers,
                        int number, ConstTensorView previous, TensorView out) const {
  Backend& backend = step.backend;
  const size_t bytes = static_cast<size_t>(out.num_elements()) * sizeof(float);
  backend.copy(out.data(), previous.data(), bytes);
  const TensorView added = buffers.hidden.rows(0, out.dim(0));
  for (const Linear& block : m_heads.at(static_cast<size_t>(number)).blocks) {
    block.apply(backend, added, out);
    backend.activate(added, {.kind = Activation::Kind::kSilu});
    backend.add(out, added);
  }
}

void MedusaHeads::add_limits(StepLimits& limits, int64_t max_tokens) const {
  limits.activations.push_back({max_tokens, m_hidden_size});
}

size_t MedusaHeads::size_bytes() const {
  size_t total = 0;
  for (const Head& head : m_heads) {
    total += head.head->size_bytes();
    for (const Linear& block : head.blocks) total += block.size_bytes();
  }
  return total;
}

}  // namespace quire
