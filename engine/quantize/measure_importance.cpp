#include "engine/quantize/measure_importance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "engine/model_loader.h"
#include "engine/models/architectures/architecture.h"
#include "engine/score.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

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

Result<std::unique_ptr<Backend>> make_cpu(const ImportanceOptions& options, bool exact) {
  return create_backend(
      {.device = "cpu", .num_threads = options.num_threads, .quantize_activations = !exact});
}

/// The text's tokens, with BOS where the files ask for it.
std::vector<TokenId> tokens_of(const Tokenizer& tokenizer, std::string_view text,
                               bool with_special) {
  std::vector<TokenId> ids =
      with_special ? tokenizer.encode_with_special(text) : tokenizer.encode(text);
  if (tokenizer.adds_bos() && tokenizer.bos_token())
    ids.insert(ids.begin(), *tokenizer.bos_token());
  return ids;
}

/// Calls work(window) for consecutive windows of the tokens.
template <typename Work>
Result<void> for_each_window(std::span<const TokenId> ids, int max_positions,
                             const ImportanceOptions& options, Work work) {
  if (ids.size() < 2) {
    return Error{ErrorCode::kInvalidArgument, "the text holds less than two tokens"};
  }
  const auto size = static_cast<size_t>(std::min(options.window, max_positions));
  for (size_t begin = 0; begin + 1 < ids.size(); begin += size) {
    if (options.cancelled != nullptr && options.cancelled->load(std::memory_order_relaxed)) {
      return Error{ErrorCode::kCancelled, "measuring was cancelled"};
    }
    const auto window = ids.subspan(begin, std::min(size, ids.size() - begin));
    if (auto done = work(window); !done) return done;
    if (options.progress) options.progress(begin + window.size(), ids.size());
  }
  return {};
}

/// The logarithms of the softmax of a row, in place.
void to_log_probabilities(std::span<float> row) {
  const float most = *std::ranges::max_element(row);
  double sum = 0.0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit) - most);
  const double log_sum = std::log(sum) + most;
  for (float& logit : row) logit = static_cast<float>(logit - log_sum);
}

}  // namespace

Result<Importance> measure_importance(const fs::path& path, std::string_view text,
                                      const ImportanceOptions& options) {
  auto backend = make_cpu(options, /*exact=*/true);
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
  const std::vector<TokenId> ids = tokens_of(**tokenizer, text, /*with_special=*/true);
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

Result<ModelComparison> compare_models(const fs::path& original, const fs::path& other,
                                       std::string_view text, bool with_special,
                                       const ImportanceOptions& options) {
  auto backend = make_cpu(options, /*exact=*/false);
  if (!backend) return backend.error();
  auto first = load_model(original, **backend);
  if (!first) return first.error();
  auto second = load_model(other, **backend);
  if (!second) return second.error();
  if (first->config.vocab_size != second->config.vocab_size) {
    return Error{ErrorCode::kInvalidArgument, "the two models have different vocabularies"};
  }
  const auto vocab = static_cast<size_t>(first->config.vocab_size);
  const std::vector<TokenId> ids = tokens_of(*first->chat->tokenizer, text, with_special);
  ModelComparison sums;
  const auto compare_row = [&](std::span<float> p, std::span<float> q, TokenId target) {
    const bool is_same =
        std::ranges::max_element(p) - p.begin() == std::ranges::max_element(q) - q.begin();
    to_log_probabilities(p);
    to_log_probabilities(q);
    for (size_t i = 0; i < p.size(); ++i) {
      sums.mean_divergence += std::exp(static_cast<double>(p[i])) * (double{p[i]} - double{q[i]});
    }
    sums.perplexity -= p[static_cast<size_t>(target)];
    sums.other_perplexity -= q[static_cast<size_t>(target)];
    sums.same_top_fraction += is_same ? 1.0 : 0.0;
    ++sums.num_tokens;
  };
  const int longest = std::min(first->config.max_positions, second->config.max_positions);
  auto run =
      for_each_window(ids, longest, options, [&](std::span<const TokenId> window) -> Result<void> {
        std::vector<int32_t> rows(window.size() - 1);
        std::iota(rows.begin(), rows.end(), 0);
        if (rows.empty()) return {};
        auto p = compute_logits(*first, window.first(rows.size()), rows);
        if (!p) return p.error();
        auto q = compute_logits(*second, window.first(rows.size()), rows);
        if (!q) return q.error();
        for (size_t i = 0; i < rows.size(); ++i) {
          compare_row(std::span(*p).subspan(i * vocab, vocab),
                      std::span(*q).subspan(i * vocab, vocab), window[i + 1]);
        }
        return {};
      });
  if (!run) return run.error();
  const auto count = static_cast<double>(sums.num_tokens);
  sums.perplexity = std::exp(sums.perplexity / count);
  sums.other_perplexity = std::exp(sums.other_perplexity / count);
  sums.mean_divergence /= count;
  sums.same_top_fraction /= count;
  return sums;
}

}  // namespace quire
