#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "engine/models/draft_layers.h"
#include "engine/models/load_options.h"
#include "engine/models/model_config.h"

namespace quire {

class WeightLoader;

/// Medusa heads (arXiv:2401.10774, section 2.1.1): each guesses one of the next tokens from the
/// decoder's last hidden state alone, through residual blocks x + silu(W x + b) and a head of its
/// own. The files are those of FasterDecoding's Medusa: config.json with medusa_num_heads and
/// medusa_num_layers, and medusa_lm_head.safetensors, or model.safetensors, with
/// "<head>.<block>.linear.weight", ".bias" and "<head>.<blocks>.weight".
class MedusaHeads final : public DraftLayers {
 public:
  /// Whether the folder's config.json has medusa_num_heads. False if it cannot be read.
  static bool is_folder_of_heads(const std::filesystem::path& folder);

  /// Loads heads for a decoder of that configuration onto the backend of its last layer. Errors:
  /// kNotFound, kCorruptFile, kOutOfMemory; kUnsupported for pickled heads, kInvalidArgument for
  /// heads of another model.
  static Result<std::unique_ptr<MedusaHeads>> load(const std::filesystem::path& folder,
                                                   const ModelConfig& config, Backend& backend,
                                                   const LoadOptions& options);

  int max_guesses() const override { return static_cast<int>(m_heads.size()); }
  bool has_cache() const override { return false; }
  void extend(const Mixer::Step&, const DecoderEnds&, const Stream&,
              ConstTensorView) const override {}
  void guess(const Mixer::Step& step, const DecoderEnds& ends, const Stream& buffers, int number,
             ConstTensorView previous, TensorView out) const override;
  const LinearWeight* head(int number) const override {
    return m_heads.at(static_cast<size_t>(number)).head.get();
  }
  void measure(Workspace&, const MaxRows&) const override {}
  void add_limits(StepLimits& limits, int64_t max_tokens) const override;
  size_t size_bytes() const override;

 private:
  struct Head {
    std::vector<Linear> blocks;          ///< (C, C) each.
    std::unique_ptr<LinearWeight> head;  ///< (V, C).
  };
  explicit MedusaHeads(int64_t hidden_size) : m_hidden_size(hidden_size) {}
  void add_head(int number, int num_blocks, int64_t vocab_size, WeightLoader& loader);

  int64_t m_hidden_size;
  std::vector<Head> m_heads;
};

}  // namespace quire
