#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/mapped_tensor.h"
#include "engine/io/mmap_file.h"
#include "engine/io/weights.h"

namespace quire {

/// The tensors of a folder's safetensors files, mapped: model.safetensors, or the shards that
/// model.safetensors.index.json lists.
/// Thread: one at a time.
class SafetensorsWeights final : public WeightSource {
 public:
  /// Errors: kNotFound naming what is missing; kCorruptFile; kUnsupported where the weights come in
  /// another format only.
  static Result<std::unique_ptr<SafetensorsWeights>> open(const std::filesystem::path& folder);
  /// The tensors of one file.
  static Result<std::unique_ptr<SafetensorsWeights>> open_file(const std::filesystem::path& path);

  std::span<const TensorInfo> tensors() const override { return m_tensors; }
  const TensorInfo* find(std::string_view name) const override;
  Result<ConstTensorView> tensor(std::string_view name) override;
  Result<std::span<const std::byte>> bytes(std::string_view name) override;
  void release(std::string_view name) override;
  std::string where() const override { return m_where; }
  uint64_t file_bytes() const override;
  void hash_into(Sha256& hash) const override;

 private:
  struct Shard {
    std::string name;
    MappedFile file;
    std::vector<TensorInfo> tensors;
  };

  SafetensorsWeights() = default;
  static Result<Shard> open_shard(const std::filesystem::path& path);
  Result<void> add_single(const std::filesystem::path& path);
  Result<void> add_indexed(const std::filesystem::path& index_path);
  std::span<const std::byte> data(size_t index) const;

  std::string m_where;
  std::vector<MappedFile> m_files;
  std::vector<TensorInfo> m_tensors;  ///< By name ascending.
  std::vector<size_t> m_file_of;      ///< For each tensor, its file.
  AlignedCopies m_aligned;
};

}  // namespace quire
