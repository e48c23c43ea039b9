#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/gguf_header.h"

namespace quire {

/// The metadata of a GGUF file to be written, in the order of the first setting of each key.
/// Setting a key again replaces its value. Thread: one at a time.
class GgufMetadata {
 public:
  void set_u32(std::string_view key, uint32_t value);
  void set_i32(std::string_view key, int32_t value);
  void set_f32(std::string_view key, float value);
  void set_bool(std::string_view key, bool value);
  void set_string(std::string_view key, std::string_view value);
  void set_strings(std::string_view key, std::span<const std::string> values);
  void set_bools(std::string_view key, const std::vector<bool>& values);
  void set_f32s(std::string_view key, std::span<const float> values);
  void set_i32s(std::string_view key, std::span<const int32_t> values);
  /// A value of another file, byte for byte.
  void copy(const GgufValue& value);
  bool has(std::string_view key) const;

  size_t size() const { return m_entries.size(); }
  /// All keys and values as they stand in a file.
  std::string bytes() const;

 private:
  struct Entry {
    std::string key;
    std::string bytes;  ///< The type and the value.
  };
  void set(std::string_view key, std::string bytes);

  std::vector<Entry> m_entries;
};

/// A tensor to be written.
struct GgufTensorPlan {
  std::string name;
  uint32_t type = 0;           ///< ggml's number, see gguf_types.h.
  std::vector<int64_t> shape;  ///< In torch's order.
  uint64_t bytes = 0;          ///< Of the data.
  uint64_t offset = 0;         ///< From the start of the file, set by lay_out_gguf().
};

/// Where everything stands in a file of GGUF version 3.
struct GgufLayout {
  std::string header;  ///< All bytes before the first tensor's data, padded.
  std::vector<GgufTensorPlan> tensors;
  uint64_t file_bytes = 0;  ///< The last tensor's padding included.
};

inline constexpr uint64_t kGgufAlignment = 32;

/// The layout of a file with these tensors in this order, each aligned to kGgufAlignment.
GgufLayout lay_out_gguf(const GgufMetadata& metadata, std::vector<GgufTensorPlan> tensors);

}  // namespace quire
