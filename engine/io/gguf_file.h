#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/io/gguf_header.h"
#include "engine/io/mmap_file.h"

namespace quire {

/// A GGUF file: its metadata by key and its tensors by name. The metadata is read, and views of it
/// stay valid as long as the object it was moved to; the tensors' values are mapped.
///
/// Getters return nothing (or an empty list) for a key that is absent or of another type. Numbers
/// are not checked and may be NaN: callers check ranges. Thread: immutable after opening; any
/// thread.
class GgufFile {
 public:
  /// The largest vocabularies take some 16 MiB.
  static constexpr uint64_t kMaxHeaderBytes = uint64_t{64} << 20;

  /// Errors: those of OpenFile, MappedFile::map and parse_gguf_header; kUnsupported for metadata of
  /// more than kMaxHeaderBytes.
  static Result<GgufFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return m_path; }
  const MappedFile& mapped() const { return m_file; }
  uint32_t version() const { return m_header.version; }

  bool has(std::string_view key) const { return m_header.find(key) != nullptr; }
  /// How many elements an array has; 0 for what is absent or no array. Costs nothing, unlike the
  /// array itself.
  uint64_t array_size(std::string_view key) const {
    const GgufValue* value = m_header.find(key);
    return value != nullptr && value->is_array ? value->count : 0;
  }
  /// Not checked to be UTF-8.
  std::optional<std::string_view> string(std::string_view key) const;
  /// Of any integer type.
  std::optional<int64_t> integer(std::string_view key) const;
  /// Of any integer or floating type.
  std::optional<double> number(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;

  std::vector<std::string_view> strings(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  /// An array of bools counts as 0s and 1s.
  std::vector<int64_t> integers(std::string_view key) const;

  /// All metadata, by key ascending: for lists of what a file says.
  std::span<const GgufValue> values() const { return m_header.values; }

  /// All tensors, by name ascending, of supported types or not.
  std::span<const GgufTensor> tensors() const { return m_header.tensors; }
  /// Null if there is none of that name.
  const GgufTensor* find_tensor(std::string_view name) const { return m_header.find_tensor(name); }
  std::span<const std::byte> tensor_bytes(const GgufTensor& tensor) const {
    return m_file.bytes().subspan(tensor.offset, tensor.bytes);
  }

  /// Everything before the tensors' data.
  std::span<const std::byte> header_bytes() const {
    return std::span(m_head).first(m_header.data_start);
  }

 private:
  GgufFile(std::filesystem::path path, std::vector<std::byte> head, MappedFile file,
           GgufHeader header);

  std::filesystem::path m_path;
  std::vector<std::byte> m_head;  ///< Moved, never copied: m_header views it.
  MappedFile m_file;
  GgufHeader m_header;
};

}  // namespace quire
