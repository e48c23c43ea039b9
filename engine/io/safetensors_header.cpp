#include "engine/io/safetensors.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/io/json_file.h"
#include "engine/io/json_tokens.h"
#include "engine/io/safetensors_sort.h"
#include "engine/io/text.h"
#include "kernels/base/checked.h"

namespace quire {
namespace {

using Token = JsonReader::Token;

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

/// A list of natural numbers.
struct Numbers {
  bool is_given = false;
  bool is_list = false;      ///< Otherwise the value is something else.
  bool are_natural = false;  ///< Otherwise the list holds something else, too.
  std::vector<uint64_t> list;
};

/// What the header says of a tensor; used for one after the other.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  Numbers shape;
  Numbers offsets;
  bool is_object = false;
  bool has_twins = false;  ///< One of these is there twice.
};

void read_numbers(JsonReader& reader, Numbers& numbers) {
  numbers.is_given = true;
  numbers.list.clear();
  const Token first = reader.next();
  numbers.is_list = numbers.are_natural = first == Token::kArray;
  if (!numbers.is_list) return reader.skip(first);
  for (Token token = reader.next(); token != Token::kArrayEnd && token != Token::kInvalid;
       token = reader.next()) {
    if (token == Token::kNatural) {
      numbers.list.push_back(reader.natural());
    } else {
      numbers.are_natural = false;
      reader.skip(token);
    }
  }
}

/// The value of the key that has just been read.
void read_entry(JsonReader& reader, Entry& entry) {
  entry.name = reader.text();
  entry.dtype.reset();
  entry.shape.is_given = entry.offsets.is_given = entry.has_twins = false;
  const Token first = reader.next();
  entry.is_object = first == Token::kObject;
  if (!entry.is_object) return reader.skip(first);
  bool has_dtype = false;
  while (reader.next() == Token::kKey) {
    if (reader.text() == "dtype") {
      entry.has_twins = entry.has_twins || std::exchange(has_dtype, true);
      const Token value = reader.next();
      if (value == Token::kString) entry.dtype = reader.text();
      reader.skip(value);
    } else if (reader.text() == "shape" || reader.text() == "data_offsets") {
      Numbers& numbers = reader.text() == "shape" ? entry.shape : entry.offsets;
      entry.has_twins = entry.has_twins || numbers.is_given;
      read_numbers(reader, numbers);
    } else {
      reader.skip(reader.next());
    }
  }
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
  Result<std::vector<TensorInfo>> read_tensors(JsonReader& reader) const;
  Result<TensorInfo> tensor_of(const Entry& entry) const;
  Result<void> set_shape(TensorInfo& tensor, const Numbers& shape) const;
  Result<void> set_offsets(TensorInfo& tensor, const Numbers& offsets) const;
  Result<void> check_layout(const std::vector<TensorInfo>& tensors) const;
  Result<void> check_names(const std::vector<TensorInfo>& tensors) const;

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

Result<void> SafetensorsHeaderParser::set_shape(TensorInfo& tensor, const Numbers& shape) const {
  const auto bits = dtype_bits(tensor.dtype);
  if (!bits) {
    return Error{ErrorCode::kUnsupported,
                 std::string(m_name) + ": the tensor \"" + for_message(tensor.name) +
                     "\" has the unknown dtype \"" + for_message(tensor.dtype) + "\""};
  }
  if (!shape.is_list) return damaged_tensor(tensor.name, "has no shape");
  if (!shape.are_natural) {
    return damaged_tensor(tensor.name, "has a dimension that is not a whole number of 0 or more");
  }
  uint64_t total = *bits;
  for (const uint64_t n : shape.list) {
    const auto product = checked_multiply(total, n);
    if (n > kMaxTensorBits || !product || *product > kMaxTensorBits) {
      return damaged_tensor(tensor.name, "has an impossibly large shape");
    }
    total = *product;
  }
  if (total % 8 != 0) return damaged_tensor(tensor.name, "does not end on a whole byte");
  tensor.shape.assign(shape.list.begin(), shape.list.end());
  tensor.bytes = total / 8;
  return {};
}

Result<void> SafetensorsHeaderParser::set_offsets(TensorInfo& tensor,
                                                  const Numbers& offsets) const {
  if (!offsets.is_list || !offsets.are_natural || offsets.list.size() != 2) {
    return damaged_tensor(tensor.name, "has no valid data_offsets");
  }
  const uint64_t begin = offsets.list[0], end = offsets.list[1];
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

Result<TensorInfo> SafetensorsHeaderParser::tensor_of(const Entry& entry) const {
  if (entry.name.size() > kMaxNameBytes) {
    return damaged_tensor(entry.name,
                          "has a name of " + with_separators(entry.name.size()) + " bytes");
  }
  if (!entry.is_object || !entry.dtype || !entry.shape.is_given || !entry.offsets.is_given) {
    return damaged_tensor(entry.name, "lacks its dtype, shape or data_offsets");
  }
  TensorInfo tensor = {.name = entry.name, .dtype = *entry.dtype, .shape = {}};
  if (auto shape = set_shape(tensor, entry.shape); !shape) return shape.error();
  if (auto offsets = set_offsets(tensor, entry.offsets); !offsets) return offsets.error();
  return tensor;
}

/// The data must be covered from its first byte to its last, each byte once.
Result<void> SafetensorsHeaderParser::check_layout(const std::vector<TensorInfo>& tensors) const {
  struct Part {
    uint64_t offset;
    uint64_t bytes;
    size_t tensor;
    auto operator<=>(const Part&) const = default;
  };
  std::vector<Part> order;
  order.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) {
    order.push_back({tensor.offset, tensor.bytes, order.size()});
  }
  std::ranges::sort(order);
  uint64_t end = m_data_start;
  for (const auto& [offset, bytes, tensor] : order) {
    if (offset < end) return damaged_tensor(tensors[tensor].name, "overlaps another tensor");
    if (offset > end) return damaged_tensor(tensors[tensor].name, "follows a gap in the data");
    end = offset + bytes;
  }
  if (end > m_file_bytes) return truncated(end - m_file_bytes);
  if (end < m_file_bytes) {
    return damaged("it is " + with_separators(m_file_bytes - end) +
                   " bytes longer than its header says");
  }
  return {};
}

Result<std::vector<TensorInfo>> SafetensorsHeaderParser::read_tensors(JsonReader& reader) const {
  std::vector<TensorInfo> tensors;
  size_t num_members = 0, num_metadata = 0;
  Entry entry;
  reader.next();  // header_text() has seen the brace.
  while (reader.next() == Token::kKey) {
    ++num_members;
    const bool is_metadata = reader.text() == "__metadata__";
    num_metadata += is_metadata ? 1 : 0;
    if (is_metadata || num_members > kMaxShardTensors) {
      reader.skip(reader.next());
      continue;
    }
    read_entry(reader, entry);
    auto tensor = tensor_of(entry);
    if (!tensor) return tensor.error();
    if (entry.has_twins) return damaged_tensor(entry.name, "has a member twice");
    tensors.push_back(std::move(*tensor));
  }
  if (num_metadata > 1) return damaged("it has several __metadata__");
  if (num_members > kMaxShardTensors) {
    return Error{ErrorCode::kUnsupported,
                 std::string(m_name) + " has " + with_separators(num_members) +
                     " tensors; Quire reads up to " + with_separators(kMaxShardTensors)};
  }
  if (reader.next() != Token::kEnd) return damaged("its header is not a JSON object");
  return tensors;
}

/// By name ascending.
Result<void> SafetensorsHeaderParser::check_names(const std::vector<TensorInfo>& tensors) const {
  const auto twin = std::ranges::adjacent_find(tensors, {}, &TensorInfo::name);
  if (twin == tensors.end()) return {};
  return damaged_tensor(twin->name, "is there twice");
}

Result<std::vector<TensorInfo>> SafetensorsHeaderParser::parse() {
  auto text = header_text();
  if (!text) return text.error();
  JsonReader reader(*text, kHeaderLimits);
  auto tensors = read_tensors(reader);
  Result<void> checked = tensors ? check_layout(*tensors) : tensors.error();
  if (checked) {
    sort_by_name(*tensors, &TensorInfo::name);
    checked = check_names(*tensors);
  }
  if (checked) return tensors;
  // A text that is no JSON may also be the cause of other faults.
  auto valid = check_json(*text, std::string(m_name) + "'s header", kHeaderLimits);
  return valid ? checked.error() : valid.error();
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
