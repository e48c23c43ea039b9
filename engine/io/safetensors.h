#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/mapped_weights.h"
#include "engine/io/mmap_file.h"
#include "engine/io/weights.h"

namespace quire {

/// The tensors of a folder's safetensors files, mapped: model.safetensors, or the shards that
/// model.safetensors.index.json lists.
/// Thread: one at a time.
class SafetensorsWeights final : public MappedWeights {
 public:
  /// Errors: kNotFound naming what is missing; kCorruptFile; kUnsupported where the weights come in
  /// another format only, or the shards' headers are too large together.
  static Result<std::unique_ptr<SafetensorsWeights>> open(const std::filesystem::path& folder);
  /// The tensors of one file.
  static Result<std::unique_ptr<SafetensorsWeights>> open_file(const std::filesystem::path& path);

  std::string where() const override { return m_where; }

 private:
  struct Shard {
    std::string name;
    MappedFile file;
    std::vector<TensorInfo> tensors;
  };

  /// Of the shards that have been opened, used or not.
  struct ShardSizes {
    uint64_t header_bytes = 0;
    size_t num_tensors = 0;
  };

  SafetensorsWeights() = default;
  std::string file_name(size_t index) const override { return m_file_names[index]; }
  /// Adds the shard's to `sizes`. Errors: also kUnsupported if they are too large together.
  static Result<Shard> open_shard(const std::filesystem::path& path, ShardSizes& sizes);
  Result<void> add_single(const std::filesystem::path& path);
  Result<void> add_indexed(const std::filesystem::path& index_path);
  size_t num_files() const override { return m_files.size(); }
  const MappedFile& file(size_t index) const override { return m_files[index]; }
  Result<DType> dtype_of(const TensorInfo& tensor) const override;

  std::string m_where;
  std::vector<MappedFile> m_files;
  std::vector<std::string> m_file_names;
};

/// The tensors of one safetensors file: eight bytes with the length of a JSON header, the header,
/// the data (https://huggingface.co/docs/safetensors). Every tensor's size is its shape's times its
/// dtype's, and together they cover the data exactly, without overlap or holes.
/// Errors: kCorruptFile, kUnsupported for an unknown dtype; all name the file and the tensor.
Result<std::vector<TensorInfo>> parse_safetensors_header(std::span<const std::byte> file,
                                                         std::string_view file_name);

/// The same of a file of `file_bytes`, of which only `head` has been read: as many bytes as
/// safetensors_head_bytes() says.
Result<std::vector<TensorInfo>> parse_safetensors_header(std::span<const std::byte> head,
                                                         uint64_t file_bytes,
                                                         std::string_view file_name);

/// How many bytes of a file its length and its header take, by its first 8 bytes, or fewer if it is
/// shorter; of an impossible length, which parse_safetensors_header() refuses, only those 8.
uint64_t safetensors_head_bytes(std::span<const std::byte> start, uint64_t file_bytes);

}  // namespace quire
