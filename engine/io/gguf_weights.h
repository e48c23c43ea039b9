#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/io/mapped_tensor.h"
#include "engine/io/weights.h"

namespace quire {

/// The tensors of a GGUF file or of a split set, mapped, by their own names
/// ("blk.3.attn_q.weight"). Quantised tensors are views of the file's blocks. Thread: one at a
/// time.
class GgufWeights final : public WeightSource {
 public:
  /// Opens the file, or the whole set that it is a part of.
  /// Errors: those of open_gguf_set; kCorruptFile for a tensor that two parts hold.
  static Result<std::unique_ptr<GgufWeights>> open(const std::filesystem::path& path);

  /// The file that holds the metadata: the first of a set.
  const GgufFile& metadata() const { return m_files.front(); }
  size_t num_files() const { return m_files.size(); }

  std::span<const TensorInfo> tensors() const override { return m_tensors; }
  const TensorInfo* find(std::string_view name) const override;
  Result<ConstTensorView> tensor(std::string_view name) override;
  Result<std::span<const std::byte>> bytes(std::string_view name) override;
  void release(std::string_view name) override;
  std::string where() const override { return metadata().path().filename().string(); }
  uint64_t file_bytes() const override;
  /// Also feeds all metadata, and with it the vocabulary and the template.
  void hash_into(Sha256& hash) const override;

 private:
  explicit GgufWeights(std::vector<GgufFile> files) : m_files(std::move(files)) {}
  Result<void> list_tensors();
  const GgufFile& file_of(const TensorInfo& tensor) const;
  std::span<const std::byte> data(const TensorInfo& tensor) const;

  std::vector<GgufFile> m_files;
  std::vector<TensorInfo> m_tensors;  ///< By name ascending.
  std::vector<size_t> m_file_of;      ///< For each tensor, its file.
  AlignedCopies m_aligned;
};

}  // namespace quire
