#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/folder_quantization.h"

namespace quire {

/// A folder's tensors with the several tensors of each quantised layer (codes, scales, zero points)
/// presented as one: "x.weight" (outputs, inputs) in blocks of kI4_32 to kNF4_64, which hold the
/// file's codes and scales unchanged (quant_blocks.h). Blocks are made when a tensor is asked for
/// and freed by release(), so that a model is never in memory twice.
/// Thread: one at a time.
class QuantizedFolder final : public WeightSource {
 public:
  /// Errors: kUnsupported or kCorruptFile naming the tensor whose parts do not fit together.
  static Result<std::unique_ptr<WeightSource>> wrap(std::unique_ptr<WeightSource> files,
                                                    const FolderQuantization& quantization);

  std::span<const TensorInfo> tensors() const override { return m_tensors; }
  const TensorInfo* find(std::string_view name) const override;
  Result<ConstTensorView> tensor(std::string_view name) override;
  Result<ConstTensorView> described(std::string_view name) override;
  Result<std::span<const std::byte>> bytes(std::string_view name) override;
  void release(std::string_view name) override;
  std::string where() const override { return m_files->where(); }
  uint64_t file_bytes() const override { return m_files->file_bytes(); }
  void hash_into(Sha256& hash) const override { m_files->hash_into(hash); }
  Result<void> check_whole() const override { return m_files->check_whole(); }

 private:
  /// How a layer's codes are stored.
  enum class Codes {
    kGptq,        ///< I32 (K / 8, N), four bits each.
    kGptq8,       ///< I32 (K / 4, N), eight bits each.
    kAwq,         ///< I32 (K, N / 8), in the order of AWQ's kernels.
    kPackedInt4,  ///< I32 (N, K / 8).
    kPackedInt8,  ///< I32 (N, K / 4).
    kBytes,       ///< I8 or F8_E4M3 (N, K).
    kNf4,         ///< U8 (N K / 2, 1), the first of two in the upper half.
  };
  struct Layer {
    std::string base;  ///< "model.layers.0.mlp.up_proj."
    Codes codes;
    DType dtype;
    int64_t num_outputs;
    int64_t num_inputs;
    std::string codes_name;
    std::string scales_name;
    std::string zeros_name;  ///< Empty: none.
    int64_t group_outputs;   ///< That share a scale.
    int64_t group_inputs;
    std::vector<std::string> parts;  ///< All tensors of the layer.

    /// Whether the tensors' columns are outputs.
    bool has_columns() const {
      return codes == Codes::kGptq || codes == Codes::kGptq8 || codes == Codes::kAwq;
    }
  };
  struct Reader;

  QuantizedFolder(std::unique_ptr<WeightSource> files, const FolderQuantization& quantization)
      : m_files(std::move(files)), m_quantization(quantization) {}
  Result<void> list();
  Result<void> add_layer(const std::string& base, const TensorInfo& codes);
  Result<Layer> describe(const std::string& base, const TensorInfo& codes) const;
  Result<void> describe_columns(Layer& layer, const TensorInfo& codes) const;
  Result<void> check_middle_zeros(const Layer& layer) const;
  Result<void> describe_packed_rows(Layer& layer, const TensorInfo& codes) const;
  Result<void> describe_nf4(Layer& layer, const TensorInfo& codes) const;
  Result<void> describe_bytes(Layer& layer, const TensorInfo& codes) const;
  Result<void> set_groups(Layer& layer, bool along_inputs_first) const;
  Result<void> check_order(const Layer& layer) const;
  const TensorInfo* part(const std::string& name) const { return m_files->find(name); }
  Error refused(const std::string& name, const std::string& why) const;
  Result<Reader> read(const Layer& layer);
  Result<std::vector<std::byte>> make_blocks(const Layer& layer);

  std::unique_ptr<WeightSource> m_files;
  FolderQuantization m_quantization;
  std::vector<TensorInfo> m_tensors;
  std::map<std::string, Layer, std::less<>> m_layers;  ///< By the name of "x.weight".
  std::map<std::string, std::vector<std::byte>, std::less<>> m_blocks;
};

}  // namespace quire
