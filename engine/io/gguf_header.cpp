#include "engine/io/gguf_header.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/io/gguf_reader.h"
#include "engine/io/gguf_types.h"
#include "engine/io/text.h"
#include "kernels/base/checked.h"

namespace quire {
namespace {

constexpr uint32_t kMaxDimensions = 4;
constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 60;
constexpr uint64_t kDefaultAlignment = 32;
/// Real files have under a hundred keys and a few thousand tensors. Each entry takes several times
/// as much memory as it takes of the file.
constexpr uint64_t kMaxKeys = 4096;
constexpr uint64_t kMaxTensors = 1 << 16;
/// Of a tensor's name, of which readers keep several copies. ggml allows 63.
constexpr size_t kMaxTensorNameBytes = 1024;
/// Of one array. The largest vocabularies have some 300,000 tokens and as many merges; a number
/// takes eight bytes of memory and as little as one byte of the file.
constexpr uint64_t kMaxElements = 1 << 21;

/// The fewest bytes that an entry can have: an empty name and its fixed fields.
constexpr uint64_t kMinKeyBytes = 8 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 4 + 4 + 8;

class GgufHeaderParser {
 public:
  GgufHeaderParser(std::span<const std::byte> head, uint64_t file_bytes, std::string_view name)
      : m_head(head), m_file_bytes(file_bytes), m_name(name), m_reader(head) {}

  Result<GgufHeader> parse();

  /// Bytes of the file that parse() needed but were not in the head; 0 if it needed none.
  uint64_t missing_head() const;

 private:
  /// The file's name is the format's first argument.
  Error corrupt(ErrorFormat format, std::vector<std::string> arguments = {}) const {
    arguments.emplace(arguments.begin(), m_name);
    return make_error(ErrorCode::kCorruptFile, format, std::move(arguments));
  }
  /// `fault` continues "<file> is damaged: ".
  Error damaged(const std::string& fault) const {
    return corrupt("%1 is damaged: %2; download it again", {fault});
  }
  Error unsupported(const std::string& fault) const {
    return {ErrorCode::kUnsupported, std::string(m_name) + " " + fault};
  }
  Error at_key(std::string_view key, const std::string& fault) const {
    return damaged("the key \"" + for_message(key) + "\" " + fault);
  }
  Error at_tensor(std::string_view tensor, const std::string& fault) const {
    return damaged("the tensor \"" + for_message(tensor) + "\" " + fault);
  }

  Result<void> read_start();
  Result<uint64_t> read_count(const char* what, uint64_t min_bytes, uint64_t max);
  Result<GgufValue> read_value(uint64_t index);
  Result<void> read_array(GgufValue& value);
  Result<void> read_values();
  Result<GgufTensor> read_tensor(uint64_t index);
  Result<void> read_shape(GgufTensor& tensor);
  Result<void> measure(GgufTensor& tensor, uint64_t elements);
  Result<void> read_tensors();
  Result<uint64_t> alignment() const;
  Result<void> place_tensors();
  Result<void> check_layout();

  uint64_t left_in_file() const { return m_file_bytes - m_reader.position(); }

  std::span<const std::byte> m_head;  ///< The file, or its first bytes.
  uint64_t m_file_bytes;
  std::string_view m_name;
  GgufReader m_reader;
  GgufHeader m_header;
  uint64_t m_num_tensors = 0;
  uint64_t m_num_keys = 0;
  uint64_t m_data_start = 0;  ///< Once the header is parsed.
};

bool is_known(uint32_t type) {
  return type <= static_cast<uint32_t>(GgufValueType::kF64);
}

Result<void> GgufHeaderParser::read_start() {
  const auto magic = m_reader.take_bytes(4);
  if (!magic)
    return corrupt("%1 is only %2 bytes long; download it again", {with_separators(m_file_bytes)});
  const std::string_view letters(reinterpret_cast<const char*>(magic->data()), 4);
  if (letters == "tjgg" || letters == "lmgg" || letters == "fmgg") {
    return unsupported(
        "is a GGML file of before 2023's GGUF, which Quire does not read; "
        "get the GGUF version");
  }
  if (letters != "GGUF") return corrupt("%1 is not a GGUF file; download it again");
  const auto version = m_reader.take<uint32_t>();
  if (!version) return corrupt("%1 ends within its header; download it again");
  if (*version != 0 && (*version & 0xffff) == 0) {
    return unsupported("is big-endian GGUF, which Quire does not read; get the little-endian one");
  }
  if (*version != 2 && *version != 3) {
    return make_error(ErrorCode::kUnsupported, "%1 is GGUF version %2; Quire reads %3",
                      {std::string(m_name), std::to_string(*version),
                       "versions 2 and 3, so convert the model again"});
  }
  m_header.version = *version;
  return {};
}

Result<uint64_t> GgufHeaderParser::read_count(const char* what, uint64_t min_bytes, uint64_t max) {
  const auto count = m_reader.take<uint64_t>();
  if (!count) return corrupt("%1 ends within its header; download it again");
  if (*count > left_in_file() / min_bytes) {
    return damaged("it claims " + with_separators(*count) + " " + what + ", more than its " +
                   with_separators(m_file_bytes) + " bytes could hold");
  }
  if (*count > max) {
    return unsupported("has " + with_separators(*count) + " " + what + "; Quire reads up to " +
                       with_separators(max));
  }
  return *count;
}

Result<GgufValue> GgufHeaderParser::read_value(uint64_t index) {
  GgufValue value;
  const auto key = m_reader.take_string();
  if (!key)
    return corrupt("%1 ends within its key number %2; download it again",
                   {with_separators(index + 1)});
  if (key->empty()) {
    return damaged("its key number " + with_separators(index + 1) + " has no name");
  }
  value.key = *key;
  const auto type = m_reader.take<uint32_t>();
  if (!type) return at_key(*key, "is cut off");
  if (!is_known(*type)) return at_key(*key, "has the unknown type " + std::to_string(*type));
  value.type = GgufValueType{*type};
  if (value.type == GgufValueType::kArray) {
    if (auto array = read_array(value); !array) return array.error();
    return value;
  }
  const uint64_t start = m_reader.position();
  const bool is_whole = value.type == GgufValueType::kString
                            ? m_reader.take_string().has_value()
                            : m_reader.take_bytes(gguf_value_bytes(value.type)).has_value();
  if (!is_whole) return at_key(*key, "has a value that is longer than the rest of the file");
  value.bytes = m_head.subspan(start, m_reader.position() - start);
  return value;
}

Result<void> GgufHeaderParser::read_array(GgufValue& value) {
  const auto type = m_reader.take<uint32_t>();
  const auto count = m_reader.take<uint64_t>();
  if (!type || !count) return at_key(value.key, "is cut off");
  if (!is_known(*type)) {
    return at_key(value.key, "has elements of the unknown type " + std::to_string(*type));
  }
  value.type = GgufValueType{*type};
  value.is_array = true;
  value.count = *count;
  if (value.type == GgufValueType::kArray) {
    return unsupported("has an array of arrays under the key \"" + for_message(value.key) +
                       "\", which Quire does not read");
  }
  const size_t size = gguf_value_bytes(value.type);
  const uint64_t min_bytes = size > 0 ? size : sizeof(uint64_t);
  const auto too_long = [&] {
    return at_key(value.key, "claims " + with_separators(*count) +
                                 " elements, more than the rest of the file could hold");
  };
  if (*count > left_in_file() / min_bytes) return too_long();
  if (*count > kMaxElements) {
    return unsupported("has " + with_separators(*count) + " elements under the key \"" +
                       for_message(value.key) + "\"; Quire reads up to " +
                       with_separators(kMaxElements));
  }
  const uint64_t start = m_reader.position();
  if (size > 0) {
    if (!m_reader.take_bytes(*count * size)) return too_long();
  } else {
    for (uint64_t i = 0; i < *count; ++i) {
      if (!m_reader.take_string()) return too_long();
    }
  }
  value.bytes = m_head.subspan(start, m_reader.position() - start);
  return {};
}

Result<void> GgufHeaderParser::read_values() {
  auto& values = m_header.values;
  for (uint64_t i = 0; i < m_num_keys; ++i) {
    auto value = read_value(i);
    if (!value) return value.error();
    values.push_back(*value);
  }
  std::ranges::sort(values, {}, &GgufValue::key);
  const auto twice = std::ranges::adjacent_find(values, {}, &GgufValue::key);
  if (twice != values.end()) return at_key(twice->key, "is there twice");
  return {};
}

Result<void> GgufHeaderParser::read_shape(GgufTensor& tensor) {
  const auto rank = m_reader.take<uint32_t>();
  if (!rank) return at_tensor(tensor.name, "is cut off");
  if (*rank > kMaxDimensions) {
    return at_tensor(tensor.name, "has " + with_separators(*rank) + " dimensions; GGUF allows 4");
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < *rank; ++i) {
    const auto size = m_reader.take<uint64_t>();
    if (!size) return at_tensor(tensor.name, "is cut off");
    if (*size == 0) return at_tensor(tensor.name, "has a dimension of 0");
    if (*size > kMaxTensorBytes || elements > kMaxTensorBytes / *size) {
      return at_tensor(tensor.name, "has an impossibly large shape");
    }
    elements *= *size;
    tensor.shape.push_back(static_cast<int64_t>(*size));
  }
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  return measure(tensor, elements);
}

/// Reads the type, which says how many bytes the elements take.
Result<void> GgufHeaderParser::measure(GgufTensor& tensor, uint64_t elements) {
  const auto type = m_reader.take<uint32_t>();
  if (!type) return at_tensor(tensor.name, "is cut off");
  tensor.type = *type;
  const GgmlType* known = find_ggml_type(*type);
  if (known == nullptr) return {};
  const uint64_t row = tensor.shape.empty() ? 1 : static_cast<uint64_t>(tensor.shape.back());
  if (row % known->block_elements != 0) {
    return at_tensor(tensor.name, "has rows of " + with_separators(row) +
                                      " elements, which are not whole blocks of " +
                                      std::string(known->name) + " (" +
                                      std::to_string(known->block_elements) + " elements)");
  }
  const auto bytes =
      checked_multiply<uint64_t>(elements / known->block_elements, known->block_bytes);
  if (!bytes) return at_tensor(tensor.name, "has an impossibly large shape");
  tensor.bytes = *bytes;
  return {};
}

Result<GgufTensor> GgufHeaderParser::read_tensor(uint64_t index) {
  GgufTensor tensor;
  const auto name = m_reader.take_string();
  if (!name)
    return corrupt("%1 ends within its tensor number %2; download it again",
                   {with_separators(index + 1)});
  if (name->empty()) {
    return damaged("its tensor number " + with_separators(index + 1) + " has no name");
  }
  tensor.name = *name;
  if (name->size() > kMaxTensorNameBytes) {
    return at_tensor(*name, "has a name of " + with_separators(name->size()) + " bytes");
  }
  if (auto shape = read_shape(tensor); !shape) return shape.error();
  const auto offset = m_reader.take<uint64_t>();
  if (!offset) return at_tensor(*name, "is cut off");
  tensor.offset = *offset;
  return tensor;
}

Result<void> GgufHeaderParser::read_tensors() {
  auto& tensors = m_header.tensors;
  for (uint64_t i = 0; i < m_num_tensors; ++i) {
    auto tensor = read_tensor(i);
    if (!tensor) return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  std::ranges::sort(tensors, {}, &GgufTensor::name);
  const auto twice = std::ranges::adjacent_find(tensors, {}, &GgufTensor::name);
  if (twice != tensors.end()) return at_tensor(twice->name, "is there twice");
  return {};
}

Result<uint64_t> GgufHeaderParser::alignment() const {
  const GgufValue* value = m_header.find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  if (value->is_array || value->type != GgufValueType::kU32) {
    return at_key(value->key, "is not a u32");
  }
  const uint32_t alignment = *GgufReader(value->bytes).take<uint32_t>();
  if (!std::has_single_bit(alignment)) {
    return at_key(value->key, "is " + with_separators(alignment) + ", which is no power of two");
  }
  return uint64_t{alignment};
}

/// Turns offsets within the data into offsets within the file.
Result<void> GgufHeaderParser::place_tensors() {
  const auto aligned = alignment();
  if (!aligned) return aligned.error();
  const uint64_t mask = *aligned - 1;
  // A file may end within the padding if no tensor has data.
  m_header.data_start = std::min<uint64_t>((m_reader.position() + mask) & ~mask, m_file_bytes);
  for (GgufTensor& tensor : m_header.tensors) {
    if ((tensor.offset & mask) != 0) {
      return at_tensor(tensor.name, "starts at " + with_separators(tensor.offset) +
                                        ", which is no multiple of the alignment " +
                                        with_separators(*aligned));
    }
    const uint64_t size = m_file_bytes;
    const uint64_t data = size > m_header.data_start ? size - m_header.data_start : 0;
    if (tensor.offset > data || tensor.bytes > data - tensor.offset) {
      return corrupt(
          "%1 is damaged: the tensor \"%2\" ends after the end of the file, which has "
          "%3 bytes; download it again",
          {for_message(tensor.name), with_separators(size)});
    }
    tensor.offset += m_header.data_start;
  }
  return check_layout();
}

/// Checks that no byte belongs to two tensors. Tensors of unknown types end where the next begins.
Result<void> GgufHeaderParser::check_layout() {
  std::vector<GgufTensor*> order;
  for (GgufTensor& tensor : m_header.tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const GgufTensor* t) { return std::pair(t->offset, t->bytes); });
  for (size_t i = 0; i < order.size(); ++i) {
    const uint64_t next = i + 1 < order.size() ? order[i + 1]->offset : m_file_bytes;
    if (order[i]->bytes > next - order[i]->offset) {
      return at_tensor(order[i]->name,
                       "overlaps the tensor \"" + for_message(order[i + 1]->name) + "\"");
    }
    if (find_ggml_type(order[i]->type) == nullptr) order[i]->bytes = next - order[i]->offset;
  }
  return {};
}

uint64_t GgufHeaderParser::missing_head() const {
  const uint64_t needed = std::max(m_reader.missed_end(), m_data_start);
  return needed > m_head.size() && needed <= m_file_bytes ? needed : 0;
}

Result<GgufHeader> GgufHeaderParser::parse() {
  if (auto start = read_start(); !start) return start.error();
  auto tensors = read_count("tensors", kMinTensorBytes, kMaxTensors);
  if (!tensors) return tensors.error();
  m_num_tensors = *tensors;
  auto keys = read_count("keys", kMinKeyBytes, kMaxKeys);
  if (!keys) return keys.error();
  m_num_keys = *keys;
  if (auto values = read_values(); !values) return values.error();
  if (auto read = read_tensors(); !read) return read.error();
  if (auto placed = place_tensors(); !placed) return placed.error();
  m_data_start = m_header.data_start;
  return std::move(m_header);
}

}  // namespace

size_t gguf_value_bytes(GgufValueType type) {
  static constexpr size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return kBytes[static_cast<size_t>(type)];
}

const GgufValue* GgufHeader::find(std::string_view key) const {
  const auto at = std::ranges::lower_bound(values, key, {}, &GgufValue::key);
  return at != values.end() && at->key == key ? &*at : nullptr;
}

const GgufTensor* GgufHeader::find_tensor(std::string_view name) const {
  const auto at = std::ranges::lower_bound(tensors, name, {}, &GgufTensor::name);
  return at != tensors.end() && at->name == name ? &*at : nullptr;
}

Result<GgufHeader> parse_gguf_header(std::span<const std::byte> file, std::string_view file_name) {
  return GgufHeaderParser(file, file.size(), file_name).parse();
}

GgufHead parse_gguf_head(std::span<const std::byte> head, uint64_t file_bytes,
                         std::string_view file_name) {
  GgufHeaderParser parser(head, file_bytes, file_name);
  auto header = parser.parse();
  return {std::move(header), parser.missing_head()};
}

}  // namespace quire
