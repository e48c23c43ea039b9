#include "engine/quantize/measure_importance.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "engine/model_loader.h"
#include "engine/models/architectures/architecture.h"
#include "engine/score.h"

namespace quire {
namespace {

/// Where the mapped bytes of each tensor begin, to find a tensor by a pointer into it.
class TensorPlaces {
 public:
  explicit TensorPlaces(WeightSource& weights) {
    for (const TensorInfo& tensor : weights.tensors()) {
      const auto bytes = weights.bytes(tensor.name);
      if (bytes && !bytes->empty()) m_places.push_back({bytes->data(), bytes->size(), &tensor});
    }
    std::ranges::sort(m_places, {}, &Place::data);
  }

  struct Found {
    const TensorInfo* tensor = nullptr;
    size_t offset = 0;
  };
  Found find(const void* pointer) const {
    const auto* const at = static_cast<const std::byte*>(pointer);
    auto place = std::ranges::upper_bound(m_places, at, {}, &Place::data);
    if (place == m_places.begin()) return {};
    --place;
    const auto offset = static_cast<size_t>(at - place->data);
    return offset < place->size ? Found{place->tensor, offset} : Found{};
  }

 private:
  struct Place {
    const std::byte* data;
    size_t size;
    const TensorInfo* tensor;
  };
  std::vector<Place> m_places;
};

/// Sums of squared inputs of one weight.
struct ColumnSums {
  std::vector<double> squares;
  int64_t rows = 0;
};

/// A part of a packed weight: a tensor of the files, or the rows of one of its experts.
struct PackedPart {
  std::string file_name;
  int64_t expert = -1;  ///< -1: the tensor is no stack of experts.
};

/// Thread: as LinearObserver.
class ImportanceObserver final : public LinearObserver {
 public:
  explicit ImportanceObserver(const TensorPlaces& places) : m_places(places) {}

  void packed(const LinearWeight& weight, std::span<const ConstTensorView> parts) override {
    Packed& entry = m_weights[&weight];
    entry.sums.squares.assign(static_cast<size_t>(weight.num_inputs()), 0.0);
    for (const ConstTensorView& part : parts) add_part(part, entry.parts);
  }

  void multiplied(const LinearWeight& weight, const float* row) override {
    const auto at = m_weights.find(&weight);
    if (at == m_weights.end()) return;
    ColumnSums& sums = at->second.sums;
    for (size_t i = 0; i < sums.squares.size(); ++i) {
      sums.squares[i] += static_cast<double>(row[i]) * row[i];
    }
    ++sums.rows;
  }

  /// Calls f(part, sums) for every part of every weight.
  template <typename F>
  void for_each(F f) const {
    for (const auto& [weight, entry] : m_weights) {
      for (const PackedPart& part : entry.parts) f(part, entry.sums);
    }
  }

 private:
  struct Packed {
    std::vector<PackedPart> parts;
    ColumnSums sums;
  };

  void add_part(ConstTensorView view, std::vector<PackedPart>& parts) const {
    const auto [tensor, offset] = m_places.find(view.data());
    if (tensor == nullptr) return;
    PackedPart part{.file_name = tensor->name};
    if (tensor->shape.size() == 3 && tensor->shape[0] > 0) {
      part.expert = static_cast<int64_t>(offset / (tensor->bytes / tensor->shape[0]));
    }
    const bool is_known = std::ranges::any_of(parts, [&](const PackedPart& other) {
      return other.file_name == part.file_name && other.expert == part.expert;
    });
    if (!is_known) parts.push_back(std::move(part));
  }

  const TensorPlaces& m_places;
  std::unordered_map<const LinearWeight*, Packed> m_weights;
};

/// GGUF's names of the files' tensors; of experts in tensors of their own also which one.
class GgufNames {
 public:
  GgufNames(const ModelFiles& files) {
    if (files.format == FileFormat::kGguf) return;
    const Architecture& architecture = *find_architecture(files.config.architecture);
    const TensorNames names = TensorNames::of_hugging_face(architecture, *files.weights);
    const TensorNames gguf = TensorNames::of_gguf(architecture);
    for (const char* role : {"token_embd", "output"}) add(names, gguf, role);
    for (int layer = 0; layer < files.config.num_layers; ++layer) {
      const std::string prefix = "blk." + std::to_string(layer) + ".";
      for (const char* role : {"attn_q", "attn_k", "attn_v", "attn_qkv", "attn_output", "ffn_gate",
                               "ffn_up", "ffn_down", "ffn_gate_inp"}) {
        add(names, gguf, prefix + role);
      }
      for (const char* role : {"ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"}) {
        for (int e = 0; e < files.config.experts.num_experts; ++e) {
          const std::string own = prefix + role + ".weight";
          m_names[names.in_file(own, e)].push_back({gguf.in_file(own), e});
        }
      }
      const std::string fused = names.in_file(prefix + "ffn_gate_up_exps.weight");
      for (const char* role : {"ffn_gate_exps", "ffn_up_exps"}) {
        m_names[fused].push_back({gguf.in_file(prefix + role + ".weight"), -1});
      }
    }
    m_is_folder = true;
  }

  std::vector<PackedPart> of(const PackedPart& part) const {
    if (!m_is_folder) return {part};
    const auto at = m_names.find(part.file_name);
    if (at == m_names.end()) return {};
    std::vector<PackedPart> parts = at->second;
    if (part.expert < 0) return parts;
    // One tensor of all experts, listed once for each.
    std::erase_if(parts, [](const PackedPart& other) { return other.expert > 0; });
    for (PackedPart& other : parts) other.expert = part.expert;
    return parts;
  }

 private:
  void add(const TensorNames& names, const TensorNames& gguf, const std::string& own) {
    m_names[names.in_file(own + ".weight")].push_back({gguf.in_file(own + ".weight"), -1});
  }
  bool m_is_folder = false;
  std::map<std::string, std::vector<PackedPart>, std::less<>> m_names;
};

std::vector<float> means_of(const ColumnSums& sums) {
  std::vector<float> means;
  for (const double square : sums.squares) {
    means.push_back(
        static_cast<float>(square / static_cast<double>(std::max<int64_t>(sums.rows, 1))));
  }
  return means;
}

/// All experts' columns one after the other; those that no token chose take the mean of the others.
std::vector<float> stacked_columns(const std::map<int64_t, ColumnSums>& experts, int64_t count) {
  const size_t width = experts.begin()->second.squares.size();
  ColumnSums all{.squares = std::vector<double>(width)};
  for (const auto& [expert, sums] : experts) {
    for (size_t i = 0; i < width; ++i) all.squares[i] += sums.squares[i];
    all.rows += sums.rows;
  }
  std::vector<float> columns;
  for (int64_t e = 0; e < count; ++e) {
    const auto at = experts.find(e);
    const bool is_used = at != experts.end() && at->second.rows > 0;
    const std::vector<float> own = means_of(is_used ? at->second : all);
    columns.insert(columns.end(), own.begin(), own.end());
  }
  return columns;
}

Importance collect(const ImportanceObserver& observer, const ModelFiles& files) {
  const GgufNames names(files);
  std::map<std::string, std::map<int64_t, ColumnSums>> by_name;
  observer.for_each([&](const PackedPart& part, const ColumnSums& sums) {
    for (const PackedPart& own : names.of(part)) {
      ColumnSums& total = by_name[own.file_name][own.expert];
      total.squares.resize(sums.squares.size());
      for (size_t i = 0; i < sums.squares.size(); ++i) total.squares[i] += sums.squares[i];
      total.rows += sums.rows;
    }
  });
  Importance importance;
  for (const auto& [name, experts] : by_name) {
    const bool is_stack = experts.begin()->first >= 0 || experts.size() > 1;
    const bool is_used =
        std::ranges::any_of(experts, [](const auto& entry) { return entry.second.rows > 0; });
    if (!is_used) continue;
    importance.columns[name] = is_stack ? stacked_columns(experts, files.config.experts.num_experts)
                                        : means_of(experts.begin()->second);
  }
  return importance;
}

}  // namespace

Result<Importance> measure_importance(const std::filesystem::path& path, std::string_view text,
                                      const MeasureOptions& options) {
  auto backend = create_backend(
      {.device = "cpu", .num_threads = options.num_threads, .quantize_activations = false});
  if (!backend) return backend.error();
  auto files = open_model_files(path);
  if (!files) return files.error();
  const TensorPlaces places(*files->weights);
  ImportanceObserver observer(places);
  (*backend)->observe_linear(&observer);
  LoadedModel model;
  auto decoder = make_decoder(*files, **backend);
  if (!decoder) return decoder.error();
  model.config = files->config;
  model.decoder = std::move(*decoder);
  auto tokenizer = load_model_tokenizer(path);
  if (!tokenizer) return tokenizer.error();
  const std::vector<TokenId> ids = text_tokens(**tokenizer, text, /*with_special=*/true);
  const int32_t none[] = {0};
  auto run = for_each_window(ids, model.config.max_positions, options,
                             [&](std::span<const TokenId> window) -> Result<void> {
                               auto logits = compute_logits(model, window, none);
                               if (!logits) return logits.error();
                               return {};
                             });
  if (!run) return run.error();
  Importance importance = collect(observer, *files);
  importance.num_tokens = static_cast<int64_t>(ids.size());
  return importance;
}

}  // namespace quire
