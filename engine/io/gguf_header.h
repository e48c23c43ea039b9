#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"

namespace quire {

/// Types of metadata values, numbered as in files.
enum class GgufValueType : uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
};

/// Bytes of a value; 0 for strings and arrays, which carry their own length.
size_t gguf_value_bytes(GgufValueType type);

/// One entry of a file's metadata. The bytes are the file's own, unaligned and little-endian.
struct GgufValue {
  std::string_view key;
  GgufValueType type = GgufValueType::kU8;  ///< Of the value, or of an array's elements.
  bool is_array = false;
  uint64_t count = 1;  ///< Elements of an array.
  /// The value or all elements, each string with its length in front.
  std::span<const std::byte> bytes;
};

/// What a file says about one tensor.
struct GgufTensor {
  std::string_view name;
  uint32_t type = 0;           ///< ggml's number, see gguf_types.h.
  std::vector<int64_t> shape;  ///< In torch's order: the last dimension is contiguous.
  uint64_t offset = 0;         ///< Of the data, from the start of the file.
  /// Of the data. Of an unknown type, which has no known size: up to the next tensor or the end.
  uint64_t bytes = 0;
};

/// Everything before a GGUF file's data. Names and values are views of the file.
struct GgufHeader {
  uint32_t version = 0;
  std::vector<GgufValue> values;    ///< By key ascending, no key twice.
  std::vector<GgufTensor> tensors;  ///< By name ascending, no name twice.
  uint64_t data_start = 0;          ///< From the start of the file.

  /// Null if there is none.
  const GgufValue* find(std::string_view key) const;
  const GgufTensor* find_tensor(std::string_view name) const;
};

/// Reads a GGUF file of version 2 or 3
/// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Every count and offset is checked
/// against the bytes that are left before anything is stored; every tensor is whole blocks, lies
/// within the file and overlaps no other. Errors, all naming the file and the key or tensor:
/// kCorruptFile; kUnsupported for version 1, big-endian files, nested arrays and impossible counts.
Result<GgufHeader> parse_gguf_header(std::span<const std::byte> file, std::string_view file_name);

/// What the first bytes of a file say.
struct GgufHead {
  Result<GgufHeader> header;  ///< Of no meaning while bytes are needed.
  uint64_t needed_bytes = 0;  ///< So many bytes of the file, at least, say more; 0: these suffice.
};

/// The same of a file of `file_bytes`, of which only `head` has been read so far. The header views
/// `head`, which holds everything up to its data_start.
GgufHead parse_gguf_head(std::span<const std::byte> head, uint64_t file_bytes,
                         std::string_view file_name);

}  // namespace quire
