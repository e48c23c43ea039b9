#include "engine/io/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "engine/io/json_file.h"
#include "engine/io/text.h"
#include "kernels/base/checked.h"

namespace quire {
namespace {

using nlohmann::json;

constexpr uint64_t kLengthBytes = 8;
/// Real headers take up to 5 MB, for some 50,000 tensors.
constexpr uint64_t kMaxHeaderBytes = 32 << 20;
constexpr size_t kMaxShardTensors = 1 << 16;
/// Of a tensor's name, of which readers keep several copies. Real ones have up to some 150.
constexpr size_t kMaxNameBytes = 1024;
constexpr JsonLimits kHeaderLimits = {.max_bytes = kMaxHeaderBytes,
                                      .max_depth = 4,
                                      .max_values = 1'000'000,  ///< Some 13 for each tensor.
                                      .unique_keys = true};
constexpr uint64_t kMaxTensorBits = uint64_t{1} << 62;

/// Bits of one element, for every dtype that the format knows.
std::optional<uint64_t> dtype_bits(std::string_view dtype) {
  static constexpr std::pair<std::string_view, uint64_t> kBits[] = {
      {"F64", 64},    {"F32", 32},   {"F16", 16}, {"BF16", 16},       {"I64", 64},
      {"I32", 32},    {"I16", 16},   {"I8", 8},   {"U64", 64},        {"U32", 32},
      {"U16", 16},    {"U8", 8},     {"BOOL", 8}, {"F8_E4M3", 8},     {"F8_E5M2", 8},
      {"F8_E8M0", 8}, {"C64", 64},   {"F4", 4},   {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
      {"F6_E2M3", 6}, {"F6_E3M2", 6}};
  for (const auto& [name, bits] : kBits) {
    if (name == dtype) return bits;
  }
  return std::nullopt;
}

/// Of the JSON, by the file's first 8 bytes.
uint64_t header_length(std::span<const std::byte> start) {
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::to_integer<uint64_t>(start[i]);
  return length;
}

class SafetensorsHeaderParser {
 public:
  SafetensorsHeaderParser(std::span<const std::byte> head, uint64_t file_bytes,
                          std::string_view name)
      : m_head(head), m_file_bytes(file_bytes), m_name(name) {}

  Result<std::vector<TensorInfo>> parse();

 private:
  /// `fault` continues "<file> is damaged: ".
  Error damaged(std::string fault) const {
    return make_error(ErrorCode::kCorruptFile, "%1 is damaged: %2; download it again",
                      {std::string(m_name), std::move(fault)});
  }
  Error damaged_tensor(const std::string& tensor, const std::string& fault) const {
    return damaged("the tensor \"" + for_message(tensor) + "\" " + fault);
  }
  Error truncated(uint64_t missing) const {
    return make_error(ErrorCode::kCorruptFile,
                      "%1 is %2 bytes shorter than its header says; download it again",
                      {std::string(m_name), with_separators(missing)});
  }

  Result<std::string_view> header_text();
  Result<TensorInfo> entry(const std::string& name, const json& value) const;
  Result<void> read_shape(TensorInfo& tensor, const json& value) const;
  Result<void> read_offsets(TensorInfo& tensor, const json& value) const;
  Result<void> check_layout(const std::vector<TensorInfo>& tensors) const;

  std::span<const std::byte> m_head;  ///< The file, or its first bytes.
  uint64_t m_file_bytes;
  std::string_view m_name;
  uint64_t m_data_start = 0;
};

Result<std::string_view> SafetensorsHeaderParser::header_text() {
  if (m_file_bytes < kLengthBytes + 2) {
    return make_error(ErrorCode::kCorruptFile, "%1 is only %2 bytes long; download it again",
                      {std::string(m_name), with_separators(m_file_bytes)});
  }
  const uint64_t length = header_length(m_head);
  const char* text = reinterpret_cast<const char*>(m_head.data()) + kLengthBytes;
  if (length > kMaxHeaderBytes || length < 2 || *text != '{') {
    return make_error(ErrorCode::kCorruptFile,
                      "%1 is not a safetensors file, or its header is damaged; download it again",
                      {std::string(m_name)});
  }
  if (length > m_file_bytes - kLengthBytes) {
    return truncated(length - (m_file_bytes - kLengthBytes));
  }
  m_data_start = kLengthBytes + length;
  return std::string_view(text, length);
}

Result<void> SafetensorsHeaderParser::read_shape(TensorInfo& tensor, const json& value) const {
  const auto bits = dtype_bits(tensor.dtype);
  if (!bits) {
    return Error{ErrorCode::kUnsupported,
                 std::string(m_name) + ": the tensor \"" + for_message(tensor.name) +
                     "\" has the unknown dtype \"" + for_message(tensor.dtype) + "\""};
  }
  if (!value.is_array()) return damaged_tensor(tensor.name, "has no shape");
  uint64_t total = *bits;
  for (const json& size : value) {
    if (!size.is_number_unsigned()) {
      return damaged_tensor(tensor.name, "has a dimension that is not a whole number of 0 or more");
    }
    const auto n = size.get<uint64_t>();
    const auto product = checked_multiply(total, n);
    if (n > kMaxTensorBits || !product || *product > kMaxTensorBits) {
      return damaged_tensor(tensor.name, "has an impossibly large shape");
    }
    total = *product;
    tensor.shape.push_back(static_cast<int64_t>(n));
  }
  if (total % 8 != 0) return damaged_tensor(tensor.name, "does not end on a whole byte");
  tensor.bytes = total / 8;
  return {};
}

Result<void> SafetensorsHeaderParser::read_offsets(TensorInfo& tensor, const json& value) const {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() ||
      !value[1].is_number_unsigned()) {
    return damaged_tensor(tensor.name, "has no valid data_offsets");
  }
  const auto begin = value[0].get<uint64_t>(), end = value[1].get<uint64_t>();
  if (begin > end || end > kMaxTensorBits) {
    return damaged_tensor(tensor.name, "has impossible data_offsets");
  }
  if (end - begin != tensor.bytes) {
    return damaged_tensor(tensor.name, "has " + with_separators(end - begin) +
                                           " bytes where its shape " + shape_text(tensor.shape) +
                                           " in " + tensor.dtype + " needs " +
                                           with_separators(tensor.bytes));
  }
  tensor.offset = m_data_start + begin;
  return {};
}

Result<TensorInfo> SafetensorsHeaderParser::entry(const std::string& name,
                                                  const json& value) const {
  TensorInfo tensor;
  tensor.name = name;
  if (name.size() > kMaxNameBytes) {
    return damaged_tensor(name, "has a name of " + with_separators(name.size()) + " bytes");
  }
  if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string() ||
      !value.contains("shape") || !value.contains("data_offsets")) {
    return damaged_tensor(name, "lacks its dtype, shape or data_offsets");
  }
  tensor.dtype = value["dtype"].get<std::string>();
  if (auto shape = read_shape(tensor, value["shape"]); !shape) return shape.error();
  if (auto offsets = read_offsets(tensor, value["data_offsets"]); !offsets) return offsets.error();
  return tensor;
}

/// The data must be covered from its first byte to its last, each byte once.
Result<void> SafetensorsHeaderParser::check_layout(const std::vector<TensorInfo>& tensors) const {
  std::vector<const TensorInfo*> order;
  for (const TensorInfo& tensor : tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const TensorInfo* t) { return std::pair(t->offset, t->bytes); });
  uint64_t end = m_data_start;
  for (const TensorInfo* tensor : order) {
    if (tensor->offset < end) return damaged_tensor(tensor->name, "overlaps another tensor");
    if (tensor->offset > end) return damaged_tensor(tensor->name, "follows a gap in the data");
    end = tensor->offset + tensor->bytes;
  }
  if (end > m_file_bytes) return truncated(end - m_file_bytes);
  if (end < m_file_bytes) {
    return damaged("it is " + with_separators(m_file_bytes - end) +
                   " bytes longer than its header says");
  }
  return {};
}

Result<std::vector<TensorInfo>> SafetensorsHeaderParser::parse() {
  auto text = header_text();
  if (!text) return text.error();
  auto header = parse_json(*text, std::string(m_name) + "'s header", kHeaderLimits);
  if (!header) return header.error();
  if (!header->is_object()) return damaged("its header is not a JSON object");
  if (header->size() > kMaxShardTensors) {
    return Error{ErrorCode::kUnsupported,
                 std::string(m_name) + " has " + with_separators(header->size()) +
                     " tensors; Quire reads up to " + with_separators(kMaxShardTensors)};
  }
  std::vector<TensorInfo> tensors;
  for (const auto& [name, value] : header->items()) {  // nlohmann::json keeps keys sorted.
    if (name == "__metadata__") continue;
    auto tensor = entry(name, value);
    if (!tensor) return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  if (auto layout = check_layout(tensors); !layout) return layout.error();
  return tensors;
}

}  // namespace

Result<std::vector<TensorInfo>> parse_safetensors_header(std::span<const std::byte> file,
                                                         std::string_view file_name) {
  return SafetensorsHeaderParser(file, file.size(), file_name).parse();
}

Result<std::vector<TensorInfo>> parse_safetensors_header(std::span<const std::byte> head,
                                                         uint64_t file_bytes,
                                                         std::string_view file_name) {
  return SafetensorsHeaderParser(head, file_bytes, file_name).parse();
}

uint64_t safetensors_head_bytes(std::span<const std::byte> start, uint64_t file_bytes) {
  if (start.size() < kLengthBytes) return start.size();
  const uint64_t length = header_length(start);
  return std::min(file_bytes, kLengthBytes + (length <= kMaxHeaderBytes ? length : 0));
}

}  // namespace quire
