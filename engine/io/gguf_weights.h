#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/io/gguf_file.h"
#include "engine/io/mapped_weights.h"
#include "engine/io/weights.h"

namespace quire {

/// The tensors of a GGUF file or of a split set, mapped, by their own names
/// ("blk.3.attn_q.weight"). Quantised tensors are views of the file's blocks. Thread: one at a
/// time.
class GgufWeights final : public MappedWeights {
 public:
  /// Opens the file, or the whole set that it is a part of.
  /// Errors: those of open_gguf_set; kCorruptFile for a tensor that two parts hold.
  static Result<std::unique_ptr<GgufWeights>> open(const std::filesystem::path& path);

  /// The file that holds the metadata: the first of a set.
  const GgufFile& metadata() const { return m_files.front(); }
  size_t num_files() const override { return m_files.size(); }
  std::string where() const override { return metadata().path().filename().string(); }

 private:
  explicit GgufWeights(std::vector<GgufFile> files) : m_files(std::move(files)) {}
  Result<void> list_tensors();
  const MappedFile& file(size_t index) const override { return m_files[index].mapped(); }
  std::string file_name(size_t index) const override {
    return m_files[index].path().filename().string();
  }
  Result<DType> dtype_of(const TensorInfo& tensor) const override;
  /// All metadata, and with it the vocabulary and the template.
  std::span<const std::byte> hashed_metadata() const override { return metadata().header_bytes(); }

  std::vector<GgufFile> m_files;
};

}  // namespace quire
