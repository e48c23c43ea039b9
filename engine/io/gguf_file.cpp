#include "engine/io/gguf_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/io/gguf_reader.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"

namespace quire {
namespace {

using Type = GgufValueType;

/// The next element as a whole number, if that is what it is and it fits.
std::optional<int64_t> take_integer(GgufReader& reader, Type type) {
  switch (type) {
    case Type::kU8:
      return reader.take<uint8_t>();
    case Type::kI8:
      return reader.take<int8_t>();
    case Type::kU16:
      return reader.take<uint16_t>();
    case Type::kI16:
      return reader.take<int16_t>();
    case Type::kU32:
      return reader.take<uint32_t>();
    case Type::kI32:
      return reader.take<int32_t>();
    case Type::kI64:
      return reader.take<int64_t>();
    case Type::kU64: {
      const auto value = reader.take<uint64_t>();
      if (!value || *value > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
      return static_cast<int64_t>(*value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> take_number(GgufReader& reader, Type type) {
  if (type == Type::kF32) return reader.take<float>();
  if (type == Type::kF64) return reader.take<double>();
  const auto value = take_integer(reader, type);
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

/// All elements of an array, or nothing if one of them cannot be taken.
template <typename T, typename Take>
std::vector<T> take_all(const GgufValue* value, Take take) {
  std::vector<T> all;
  if (value == nullptr || !value->is_array) return all;
  all.reserve(value->count);  // The parser has bounded it by the file's bytes and by itself.
  GgufReader reader(value->bytes);
  for (uint64_t i = 0; i < value->count; ++i) {
    const auto element = take(reader, value->type);
    if (!element) return {};
    all.push_back(*element);
  }
  return all;
}

/// The value, if it is there and no array.
template <typename T, typename Take>
std::optional<T> take_one(const GgufValue* value, Take take) {
  if (value == nullptr || value->is_array) return std::nullopt;
  GgufReader reader(value->bytes);
  return take(reader, value->type);
}

std::optional<std::string_view> take_string(GgufReader& reader, Type type) {
  return type == Type::kString ? reader.take_string() : std::nullopt;
}

std::optional<bool> take_bool(GgufReader& reader, Type type) {
  if (type != Type::kBool) return std::nullopt;
  return reader.take<uint8_t>().value_or(0) != 0;
}

std::optional<int64_t> take_integer_or_bool(GgufReader& reader, Type type) {
  if (type != Type::kBool) return take_integer(reader, type);
  return int64_t{*take_bool(reader, type)};
}

/// A header with the bytes that it views.
struct ReadHead {
  std::vector<std::byte> bytes;
  GgufHeader header;
};

/// How much of a file is read at first. Metadata without a vocabulary takes a few kB.
constexpr uint64_t kFirstBytes = uint64_t{1} << 20;

Error too_much_metadata(const std::string& name) {
  return make_error(ErrorCode::kUnsupported,
                    "%1 has more than %2 bytes of metadata, which Quire does not read",
                    {name, with_separators(GgufFile::kMaxHeaderBytes)});
}

/// Keeps no more memory than the header takes: a set can have many small parts.
ReadHead without_data(ReadHead head, uint64_t file_bytes, const std::string& name) {
  const uint64_t used = head.header.data_start;
  if (head.bytes.size() / 2 <= used) return head;
  std::vector<std::byte> bytes(head.bytes.begin(),
                               head.bytes.begin() + static_cast<ptrdiff_t>(used));
  auto parsed = parse_gguf_head(bytes, file_bytes, name);
  CHECK(parsed.needed_bytes == 0 && parsed.header);
  return {std::move(bytes), std::move(*parsed.header)};
}

/// Reads ever more of the file until the header is whole. Nothing beyond it is looked at.
Result<ReadHead> read_gguf_head(const OpenFile& file) {
  const std::string name = file.path().filename().string();
  ReadHead head;
  uint64_t wanted = kFirstBytes;
  while (true) {
    const uint64_t held = head.bytes.size();
    head.bytes.resize(std::min({wanted, file.size(), GgufFile::kMaxHeaderBytes}));
    if (auto read = file.read_at(held, std::span(head.bytes).subspan(held)); !read)
      return read.error();
    auto parsed = parse_gguf_head(head.bytes, file.size(), name);
    if (parsed.needed_bytes > GgufFile::kMaxHeaderBytes) return too_much_metadata(name);
    if (parsed.needed_bytes == 0) {
      if (!parsed.header) return parsed.header.error();
      head.header = std::move(*parsed.header);
      return without_data(std::move(head), file.size(), name);
    }
    wanted = std::max(parsed.needed_bytes, 2 * wanted);
  }
}

}  // namespace

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  const auto file = OpenFile::open(path);
  if (!file) return file.error();
  auto head = read_gguf_head(*file);
  if (!head) return head.error();
  auto mapped = MappedFile::map(*file);
  if (!mapped) return mapped.error();
  return GgufFile(path, std::move(head->bytes), std::move(*mapped), std::move(head->header));
}

GgufFile::GgufFile(std::filesystem::path path, std::vector<std::byte> head, MappedFile file,
                   GgufHeader header)
    : m_path(std::move(path)),
      m_head(std::move(head)),
      m_file(std::move(file)),
      m_header(std::move(header)) {}

std::optional<std::string_view> GgufFile::string(std::string_view key) const {
  return take_one<std::string_view>(m_header.find(key), take_string);
}

std::optional<int64_t> GgufFile::integer(std::string_view key) const {
  return take_one<int64_t>(m_header.find(key), take_integer);
}

std::optional<double> GgufFile::number(std::string_view key) const {
  return take_one<double>(m_header.find(key), take_number);
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  return take_one<bool>(m_header.find(key), take_bool);
}

std::vector<std::string_view> GgufFile::strings(std::string_view key) const {
  return take_all<std::string_view>(m_header.find(key), take_string);
}

std::vector<double> GgufFile::numbers(std::string_view key) const {
  return take_all<double>(m_header.find(key), take_number);
}

std::vector<int64_t> GgufFile::integers(std::string_view key) const {
  return take_all<int64_t>(m_header.find(key), take_integer_or_bool);
}

}  // namespace quire
