#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/folder_quantization.h"
#include "engine/models/quantized_layer.h"

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
  QuantizedFolder(std::unique_ptr<WeightSource> files, const FolderQuantization& quantization)
      : m_files(std::move(files)), m_quantization(quantization) {}
  /// A tensor while all of them are listed.
  struct Listed {
    TensorInfo info;
    size_t layer;  ///< kNoLayer for one of the files' own.
  };
  static constexpr size_t kNoLayer = SIZE_MAX;

  Result<void> list();
  Result<void> limit_orders() const;
  Result<std::vector<Listed>> list_layers();
  Result<void> keep(std::vector<Listed>& listed, NamedLayer layer);
  Result<void> add_layer(std::vector<Listed>& listed, std::string_view base,
                         const TensorInfo& codes);
  TensorInfo info_of(std::string name, const QuantizedLayer& layer) const;
  std::vector<bool> hidden_tensors() const;
  Result<void> refuse_twins(const std::vector<Listed>& listed) const;
  std::vector<const TensorInfo*> parts_of(const QuantizedLayer& layer) const;
  const QuantizedLayer* layer_of(std::string_view name) const;
  LayerFiles files() const { return {*m_files, m_quantization}; }

  std::unique_ptr<WeightSource> m_files;
  FolderQuantization m_quantization;
  std::vector<TensorInfo> m_tensors;
  std::vector<QuantizedLayer> m_layers;
  std::vector<size_t> m_layer_of;  ///< Of each tensor; kNoLayer for one of the files' own.
  size_t m_name_bytes = 0;         ///< Of the layers.
  std::map<std::string, std::vector<std::byte>, std::less<>> m_blocks;
};

}  // namespace quire
