#include "engine/quantize/folder_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/io/gguf_types.h"
#include "engine/io/gguf_weights.h"
#include "engine/io/text.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/null_backend.h"
#include "engine/quantize/folder_rows.h"

namespace quire {
namespace {

constexpr uint32_t kF32Type = 0;
constexpr uint32_t kMxfp4Type = 39;

/// How a GGUF tensor is made of the folder's.
struct Making {
  enum class Kind {
    kRows,     ///< Rows of one or several tensors, perhaps in another order.
    kVector,   ///< One dimension, or the biases of experts (E, N).
    kColumns,  ///< Experts with inputs as rows (E, K, N).
    kMxfp4,    ///< Experts as blocks and scales.
    kFixed,    ///< Numbers that the configuration gives.
  };
  Kind kind = Kind::kRows;
  std::vector<std::string> files;  ///< The folder's names; of experts perhaps one for each.
  int64_t first = 0;               ///< The first row (or column) of each file or expert.
  int64_t step = 1;                ///< From one row to the next.
  int head_dim = 0;                ///< Rows of queries or keys, whose halves become pairs.
  int rotary_dim = 0;
  float added = 0.0f;          ///< To every number.
  std::vector<float> numbers;  ///< kFixed.
};

class FolderSource final : public TensorSource {
 public:
  FolderSource(WeightSource& weights, const ModelConfig& config, const Architecture& architecture)
      : m_weights(weights),
        m_config(config),
        m_architecture(architecture),
        m_conventions(conventions_of(architecture, FileFormat::kHuggingFace, weights)),
        m_gguf_names(TensorNames::of_gguf(architecture)) {}

  Result<void> list();

  std::span<const SourceTensor> tensors() const override { return m_tensors; }
  const GgufMetadata& metadata() const override { return m_metadata; }
  const WeightSource& weights() const override { return m_weights; }
  GgufMetadata& own_metadata() { return m_metadata; }

  Result<std::unique_ptr<RowReader>> open(const SourceTensor& tensor) override;
  std::span<const std::byte> stored(const SourceTensor&) override { return {}; }
  void release(const SourceTensor& tensor) override {
    for (const std::string& file : m_makings.at(tensor.name).files) m_weights.release(file);
  }

 private:
  std::string in_file(const std::string& own) const { return m_conventions.names.in_file(own); }
  /// "blk.2.attn_q" of a layer, "output" of -1.
  static std::string own_name(int layer, const std::string& role) {
    return layer < 0 ? role : "blk." + std::to_string(layer) + "." + role;
  }
  void add(const std::string& own, Making making, std::vector<int64_t> shape, uint32_t type);
  void add_matrix(int layer, const std::string& role, int head_dim = 0, int rotary_dim = 0);
  void add_norm(int layer, const std::string& role);
  void add_layer(int layer);
  void add_experts(int layer);
  void add_expert_rows(int layer, const char* role);
  void add_transposed_experts(int layer);
  void add_rope_factors();
  Result<void> refuse_unread() const;
  uint32_t type_of(const std::string& file) const;
  Result<std::unique_ptr<RowReader>> open_rows(const SourceTensor& tensor, const Making& making);
  Result<std::unique_ptr<RowReader>> open_vector(const SourceTensor& tensor, const Making& making);

  WeightSource& m_weights;
  const ModelConfig& m_config;
  const Architecture& m_architecture;
  const WeightConventions m_conventions;
  const TensorNames m_gguf_names;
  std::vector<SourceTensor> m_tensors;
  std::map<std::string, Making, std::less<>> m_makings;
  GgufMetadata m_metadata;
};

uint32_t FolderSource::type_of(const std::string& file) const {
  const TensorInfo* const info = m_weights.find(file);
  for (uint32_t id = 0; info != nullptr && id < 256; ++id) {
    if (ggml_type_name(id) == info->dtype) return id;
  }
  return 256;
}

void FolderSource::add(const std::string& own, Making making, std::vector<int64_t> shape,
                       uint32_t type) {
  const std::string name = m_gguf_names.in_file(own);
  m_tensors.push_back({name, type, std::move(shape)});
  m_makings.emplace(name, std::move(making));
}

/// A matrix and its bias, as far as the folder has them.
void FolderSource::add_matrix(int layer, const std::string& role, int head_dim, int rotary_dim) {
  for (const char* part : {".weight", ".bias"}) {
    const std::string own = own_name(layer, role) + part;
    const TensorInfo* const info = m_weights.find(in_file(own));
    if (info == nullptr || in_file(own).find('#') != std::string::npos) continue;
    const auto kind = info->shape.size() == 1 ? Making::Kind::kVector : Making::Kind::kRows;
    const bool is_paired = m_architecture.rotates_pairs_in_gguf;
    add(own,
        {.kind = kind,
         .files = {in_file(own)},
         .head_dim = is_paired ? head_dim : 0,
         .rotary_dim = rotary_dim},
        info->shape, type_of(in_file(own)));
  }
}

void FolderSource::add_norm(int layer, const std::string& role) {
  const std::string own = own_name(layer, role) + ".weight";
  const TensorInfo* const info = m_weights.find(in_file(own));
  if (info == nullptr) return;
  add(own,
      {.kind = Making::Kind::kVector,
       .files = {in_file(own)},
       .added = m_conventions.norms_minus_one ? 1.0f : 0.0f},
      info->shape, type_of(in_file(own)));
}

void FolderSource::add_layer(int layer) {
  const LayerConfig& config = m_config.layers[static_cast<size_t>(layer)];
  const int rotary =
      config.rope < 0 ? 0 : m_config.ropes[static_cast<size_t>(config.rope)].rotary_dim;
  add_matrix(layer, "attn_qkv");
  add_matrix(layer, "attn_q", m_config.head_dim, rotary);
  add_matrix(layer, "attn_k", m_config.head_dim, rotary);
  add_matrix(layer, "attn_v");
  add_matrix(layer, "attn_output");
  add_norm(layer, "attn_q_norm");
  add_norm(layer, "attn_k_norm");
  if (m_config.has_sinks) {
    const std::string own = own_name(layer, "attn_sinks.weight");
    add(own, {.kind = Making::Kind::kVector, .files = {in_file(own)}}, {m_config.num_heads},
        type_of(in_file(own)));
  }
  const NormPlacement placement = m_config.norm_placement;
  if (placement != NormPlacement::kPost) {
    add_norm(layer, "attn_norm");
    add_norm(layer, "ffn_norm");
  }
  if (placement != NormPlacement::kPre) {
    add_norm(layer, "post_attention_norm");
    add_norm(layer, "post_ffw_norm");
  }
  if (config.has_experts) return add_experts(layer);
  for (const char* role : {"ffn_gate", "ffn_up", "ffn_down"}) add_matrix(layer, role);
}

void FolderSource::add_experts(int layer) {
  add_matrix(layer, "ffn_gate_inp");
  if (m_conventions.transposes_experts) return add_transposed_experts(layer);
  const std::string fused = in_file(own_name(layer, "ffn_gate_up_exps.weight"));
  if (const TensorInfo* const info = m_weights.find(fused);
      info != nullptr && info->shape.size() == 3) {
    const int64_t half = info->shape[1] / 2;
    for (const auto& [role, first] :
         {std::pair("ffn_gate_exps", int64_t{0}), {"ffn_up_exps", half}}) {
      add(own_name(layer, role) + ".weight", {.files = {fused}, .first = first},
          {info->shape[0], half, info->shape[2]}, type_of(fused));
    }
  } else {
    add_expert_rows(layer, "ffn_gate_exps");
    add_expert_rows(layer, "ffn_up_exps");
  }
  add_expert_rows(layer, "ffn_down_exps");
}

/// A tensor for each expert, or one of all.
void FolderSource::add_expert_rows(int layer, const char* role) {
  const std::string own = own_name(layer, role) + ".weight";
  Making making;
  if (in_file(own).find('#') == std::string::npos) {
    making.files = {in_file(own)};
  } else {
    for (int e = 0; e < m_config.experts.num_experts; ++e) {
      making.files.push_back(m_conventions.names.in_file(own, e));
    }
  }
  const TensorInfo* const info = m_weights.find(making.files.front());
  if (info == nullptr || info->shape.size() < 2) return;
  const uint32_t type = type_of(making.files.front());
  const std::vector<int64_t> shape = {m_config.experts.num_experts,
                                      info->shape[info->shape.size() - 2], info->shape.back()};
  add(own, std::move(making), shape, type);
}

/// gpt-oss: gate and up interleaved, inputs as rows or MXFP4.
void FolderSource::add_transposed_experts(int layer) {
  const int64_t count = m_config.experts.num_experts, width = m_config.experts.intermediate_size;
  const int64_t hidden = m_config.hidden_size;
  struct Half {
    const char* role;
    const char* stored;
    int64_t first, step, outputs, inputs;
  };
  for (const Half& half : {Half{"ffn_gate_exps", "ffn_gate_up_exps", 0, 2, width, hidden},
                           Half{"ffn_up_exps", "ffn_gate_up_exps", 1, 2, width, hidden},
                           Half{"ffn_down_exps", "ffn_down_exps", 0, 1, hidden, width}}) {
    const std::string file = in_file(own_name(layer, half.stored) + ".weight");
    const bool is_packed = m_weights.find(file + "_blocks") != nullptr;
    Making making{.kind = is_packed ? Making::Kind::kMxfp4 : Making::Kind::kColumns,
                  .files = {file},
                  .first = half.first,
                  .step = half.step};
    if (is_packed) making.files = {file + "_blocks", file + "_scales"};
    add(own_name(layer, half.role) + ".weight", making, {count, half.outputs, half.inputs},
        is_packed ? kMxfp4Type : type_of(file));
    const std::string bias = in_file(own_name(layer, half.stored) + ".bias");
    if (m_weights.find(bias) == nullptr) continue;
    add(own_name(layer, half.role) + ".bias",
        {.kind = Making::Kind::kVector, .files = {bias}, .first = half.first, .step = half.step},
        {count, half.outputs}, type_of(bias));
  }
}

/// Divisors of frequencies that GGUF files hold as tensors.
void FolderSource::add_rope_factors() {
  const auto add_factors = [&](const char* name, std::vector<float> factors) {
    const auto size = static_cast<int64_t>(factors.size());
    add(name, {.kind = Making::Kind::kFixed, .files = {}, .numbers = std::move(factors)}, {size},
        kF32Type);
  };
  const RopeConfig& rope = m_config.ropes.front();
  if (rope.scaling == RopeConfig::Scaling::kLongRope) {
    add_factors("rope_factors_long.weight", rope.long_factors);
    add_factors("rope_factors_short.weight", rope.short_factors);
  } else if (rope.scaling == RopeConfig::Scaling::kLlama3) {
    add_factors("rope_freqs.weight", llama3_divisors(rope, m_config.head_dim));
  }
}

Result<void> FolderSource::list() {
  add_matrix(-1, "token_embd");
  add_norm(-1, "output_norm");
  if (!m_config.tie_word_embeddings) add_matrix(-1, "output");
  add_rope_factors();
  for (int layer = 0; layer < m_config.num_layers; ++layer) add_layer(layer);
  sort_by_layer(m_tensors);
  return refuse_unread();
}

Result<void> FolderSource::refuse_unread() const {
  std::vector<std::string> read;
  for (const auto& [name, making] : m_makings) {
    read.insert(read.end(), making.files.begin(), making.files.end());
  }
  std::ranges::sort(read);
  for (const TensorInfo& tensor : m_weights.tensors()) {
    if (std::ranges::binary_search(read, tensor.name)) continue;
    if (!m_conventions.names.changes_results(tensor.name)) continue;
    return Error{ErrorCode::kUnsupported, "the tensor " + for_message(tensor.name) + " of " +
                                              for_message(m_weights.where()) +
                                              " has no place in a GGUF file of " +
                                              std::string(m_architecture.name)};
  }
  return {};
}

Result<std::unique_ptr<RowReader>> FolderSource::open(const SourceTensor& tensor) {
  const Making& making = m_makings.at(tensor.name);
  switch (making.kind) {
    case Making::Kind::kRows:
      return open_rows(tensor, making);
    case Making::Kind::kVector:
      return open_vector(tensor, making);
    case Making::Kind::kFixed:
      return float_rows(making.numbers, tensor.row_size());
    case Making::Kind::kColumns: {
      auto view = m_weights.tensor(making.files.front());
      if (!view) return view.error();
      return column_rows(*view, tensor, making.first, making.step);
    }
    case Making::Kind::kMxfp4: {
      auto blocks = m_weights.bytes(making.files[0]);
      auto scales = m_weights.bytes(making.files[1]);
      if (!blocks) return blocks.error();
      if (!scales) return scales.error();
      return mxfp4_rows(*blocks, *scales, tensor, making.first, making.step);
    }
  }
  return Error{ErrorCode::kInternal, "a tensor of no kind"};
}

Result<std::unique_ptr<RowReader>> FolderSource::open_rows(const SourceTensor& tensor,
                                                           const Making& making) {
  std::vector<RowPlace> rows;
  for (const std::string& file : making.files) {
    auto view = m_weights.tensor(file);
    if (!view) return view.error();
    append_rows(*view, tensor, making.first, static_cast<int64_t>(making.files.size()), rows);
  }
  if (making.head_dim > 0) pair_halves(std::span(rows), making.head_dim, making.rotary_dim);
  return placed_rows(std::move(rows), tensor);
}

Result<std::unique_ptr<RowReader>> FolderSource::open_vector(const SourceTensor& tensor,
                                                             const Making& making) {
  auto view = m_weights.tensor(making.files.front());
  if (!view) return view.error();
  if (!is_weight_dtype(view->dtype())) return misshapen(tensor, m_weights);
  std::vector<float> all = all_floats(*view);
  const int64_t size = tensor.row_size();
  std::vector<float> numbers;
  for (int64_t row = 0; row < tensor.num_rows(); ++row) {
    for (int64_t i = 0; i < size; ++i) {
      const int64_t at = row * size * making.step + making.first + i * making.step;
      if (at >= static_cast<int64_t>(all.size())) break;
      numbers.push_back(all[static_cast<size_t>(at)] + making.added);
    }
  }
  if (static_cast<int64_t>(numbers.size()) != size * tensor.num_rows()) {
    return misshapen(tensor, m_weights);
  }
  if (making.head_dim > 0) pair_halves(std::span(numbers), making.head_dim, making.rotary_dim);
  return float_rows(std::move(numbers), size);
}

constexpr std::string_view kWritten[] = {"llama",    "mistral", "mixtral", "qwen2", "qwen3",
                                         "qwen3moe", "gemma2",  "gemma3",  "phi3",  "granite",
                                         "olmo2",    "smollm3", "gpt-oss"};

/// Whether the tensors have the shapes and types that the configuration asks for.
Result<void> check_tensors(OpenedModel& model) {
  NullBackend nothing;
  ModelFiles files = {*model.config, std::move(model.weights), model.format};
  const auto decoder = make_decoder(files, nothing, {.check_only = true});
  model.weights = std::move(files.weights);
  return decoder ? Result<void>() : decoder.error();
}

}  // namespace

Result<std::unique_ptr<TensorSource>> open_folder_source(OpenedModel& model,
                                                         const std::filesystem::path& folder) {
  if (!model.config) return model.config.error();
  const ModelConfig& config = *model.config;
  if (std::ranges::find(kWritten, config.architecture) == std::end(kWritten)) {
    std::string names;
    for (const std::string_view name : kWritten) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return make_error(ErrorCode::kUnsupported,
                      "Quire does not write %1 as a GGUF file yet; it writes folders of %2",
                      {config.architecture, names});
  }
  if (auto loads = check_tensors(model); !loads) return loads.error();
  auto source = std::make_unique<FolderSource>(*model.weights, config,
                                               *find_architecture(config.architecture));
  if (auto listed = source->list(); !listed) return listed.error();
  auto metadata = folder_metadata(folder, config);
  if (!metadata) return metadata.error();
  source->own_metadata() = std::move(*metadata);
  if (auto same = check_metadata(config, *source); !same) return same.error();
  return std::unique_ptr<TensorSource>(std::move(source));
}

Result<std::unique_ptr<TensorSource>> open_tensor_source(OpenedModel& model,
                                                         const std::filesystem::path& path) {
  if (model.format == FileFormat::kGguf) {
    return open_gguf_source(static_cast<GgufWeights&>(*model.weights));
  }
  return open_folder_source(model, path);
}

}  // namespace quire
