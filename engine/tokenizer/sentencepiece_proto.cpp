#include "engine/tokenizer/sentencepiece_proto.h"

#include <cstring>
#include <optional>

#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

/// One field of a message in protocol buffers' wire format.
struct ProtoField {
  uint32_t number = 0;
  uint32_t wire_type = 0;  ///< 0 varint, 1 and 5 fixed, 2 length-delimited.
  uint64_t value = 0;      ///< Of a varint.
  std::string_view bytes;  ///< Of a length-delimited field: its content.
  std::string_view raw;    ///< The whole field, tag included.
};

/// Walks the fields of a message; bounds are checked, nothing is allocated.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : m_rest(message) {}

  /// The next field; nothing at the end, or where the message breaks (then is_corrupt()).
  std::optional<ProtoField> next();
  bool is_corrupt() const { return m_corrupt; }

 private:
  std::optional<uint64_t> read_varint();
  std::optional<std::string_view> take(uint64_t count);
  bool read_content(ProtoField& field);

  std::string_view m_rest;
  bool m_corrupt = false;
};

std::optional<ProtoField> ProtoReader::next() {
  if (m_rest.empty() || m_corrupt) return std::nullopt;
  const std::string_view begin = m_rest;
  ProtoField field;
  const std::optional<uint64_t> tag = read_varint();
  if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1FFFFFFF) {
    m_corrupt = true;
    return std::nullopt;
  }
  field.number = static_cast<uint32_t>(*tag >> 3);
  field.wire_type = static_cast<uint32_t>(*tag & 7);
  if (!read_content(field)) {
    m_corrupt = true;
    return std::nullopt;
  }
  field.raw = begin.substr(0, begin.size() - m_rest.size());
  return field;
}

bool ProtoReader::read_content(ProtoField& field) {
  if (field.wire_type == 0) {
    const std::optional<uint64_t> value = read_varint();
    field.value = value.value_or(0);
    return value.has_value();
  }
  if (field.wire_type == 1) return take(8).has_value();
  if (field.wire_type == 5) return take(4).has_value();
  if (field.wire_type != 2) return false;  // Groups are not used by the format.
  const std::optional<uint64_t> length = read_varint();
  if (!length) return false;
  const std::optional<std::string_view> content = take(*length);
  field.bytes = content.value_or(std::string_view());
  return content.has_value();
}

std::optional<uint64_t> ProtoReader::read_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(m_rest.front());
    m_rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> ProtoReader::take(uint64_t count) {
  if (count > m_rest.size()) return std::nullopt;
  const std::string_view taken = m_rest.substr(0, count);
  m_rest.remove_prefix(count);
  return taken;
}

// Field numbers of sentencepiece_model.proto.
constexpr uint32_t kModelPieces = 1;
constexpr uint32_t kModelTrainerSpec = 2;
constexpr uint32_t kModelNormalizerSpec = 3;
constexpr uint32_t kPieceText = 1;
constexpr uint32_t kPieceScore = 2;
constexpr uint32_t kPieceType = 3;
constexpr uint32_t kTrainerModelType = 3;
constexpr uint64_t kModelTypeUnigram = 1;
constexpr uint64_t kModelTypeBpe = 2;
constexpr uint32_t kTrainerByteFallback = 35;
constexpr uint32_t kTrainerWhitespaceAsSuffix = 24;
constexpr uint32_t kTrainerBos = 46;
constexpr uint32_t kTrainerEos = 47;
constexpr uint32_t kNormalizerCharsmap = 2;
constexpr uint32_t kNormalizerDummyPrefix = 3;
constexpr uint32_t kNormalizerExtraWhitespaces = 4;
constexpr uint32_t kNormalizerEscapeWhitespaces = 5;

/// Real pieces are much shorter. A search takes time in proportion to the longest piece.
constexpr size_t kMaxPieceBytes = 1024;
constexpr size_t kMaxPieces = size_t{1} << 22;

Error corrupt_proto(std::string what) {
  return {ErrorCode::kCorruptFile, std::move(what)};
}

Result<SentencePiece> parse_piece(std::string_view message, size_t id) {
  SentencePiece piece;
  ProtoReader reader(message);
  uint64_t type = static_cast<uint64_t>(PieceType::kNormal);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (field->number == kPieceText && field->wire_type == 2) piece.text = field->bytes;
    if (field->number == kPieceType && field->wire_type == 0) type = field->value;
    if (field->number == kPieceScore && field->wire_type == 5) {
      std::memcpy(&piece.score, field->raw.data() + field->raw.size() - 4, 4);
    }
  }
  const std::string where = "piece " + std::to_string(id);
  if (reader.is_corrupt()) return corrupt_proto(where + " is cut short");
  if (piece.text.empty()) return corrupt_proto(where + " is empty");
  if (piece.text.size() > kMaxPieceBytes)
    return corrupt_proto(where + " is longer than 1024 bytes");
  if (!is_valid_utf8(piece.text)) return corrupt_proto(where + " is not UTF-8");
  if (type < 1 || type > 6)
    return corrupt_proto(where + " has the unknown type " + std::to_string(type));
  piece.type = static_cast<PieceType>(type);
  return piece;
}

bool parse_trainer_spec(std::string_view message, SentencePieceModel& model) {
  ProtoReader reader(message);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (field->number == kTrainerModelType) {
      model.is_bpe = field->value == kModelTypeBpe;
      model.is_unigram = field->value == kModelTypeUnigram;
    }
    if (field->number == kTrainerByteFallback) model.byte_fallback = field->value != 0;
    if (field->number == kTrainerBos && field->wire_type == 2) model.bos = field->bytes;
    if (field->number == kTrainerEos && field->wire_type == 2) model.eos = field->bytes;
    if (field->number == kTrainerWhitespaceAsSuffix) {
      model.treat_whitespace_as_suffix = field->value != 0;
    }
  }
  return !reader.is_corrupt();
}

bool parse_normalizer_spec(std::string_view message, SentencePieceModel& model) {
  ProtoReader reader(message);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (field->number == kNormalizerCharsmap) model.charsmap = field->bytes;
    if (field->number == kNormalizerDummyPrefix) model.add_dummy_prefix = field->value != 0;
    if (field->number == kNormalizerExtraWhitespaces) {
      model.remove_extra_whitespaces = field->value != 0;
    }
    if (field->number == kNormalizerEscapeWhitespaces) model.escape_whitespaces = field->value != 0;
  }
  return !reader.is_corrupt();
}

uint32_t read_u32(std::string_view bytes, size_t index) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return value;
}

/// The compiled rules: a byte count, a double-array trie of that size whose values are offsets, and
/// the zero-terminated replacements they point to. The trie is walked unchecked; here
/// every step that any text could cause is shown to stay within it (units as in darts-clone).
bool is_safe_charsmap(std::string_view charsmap) {
  if (charsmap.empty()) return true;
  if (charsmap.size() <= sizeof(uint32_t)) return false;
  const size_t trie_bytes = read_u32(charsmap, 0);
  charsmap.remove_prefix(sizeof(uint32_t));
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes >= charsmap.size()) return false;
  const std::string_view trie = charsmap.substr(0, trie_bytes);
  const std::string_view replacements = charsmap.substr(trie_bytes);
  if (replacements.back() != '\0') return false;
  const size_t num_units = trie_bytes / 4;
  for (size_t i = 0; i < num_units; ++i) {
    const uint32_t unit = read_u32(trie, i);
    if (i != 0 && (unit >> 31) != 0) continue;  // A value, which has no children.
    const size_t offset = static_cast<size_t>(unit >> 10) << ((unit & (1u << 9)) >> 6);
    const size_t next = i ^ offset;
    if ((next | 0xFF) >= num_units) return false;
    const bool has_leaf = ((unit >> 8) & 1) != 0;
    if (has_leaf && (read_u32(trie, next) & 0x7FFFFFFF) >= replacements.size()) return false;
  }
  return true;
}

Result<void> parse_field(const ProtoField& field, SentencePieceModel& model) {
  if (field.wire_type != 2) return {};
  if (field.number == kModelPieces) {
    if (model.pieces.size() == kMaxPieces) return corrupt_proto("it has more than 4194304 pieces");
    Result<SentencePiece> piece = parse_piece(field.bytes, model.pieces.size());
    if (!piece) return piece.error();
    model.pieces.push_back(*piece);
  }
  if (field.number == kModelTrainerSpec && !parse_trainer_spec(field.bytes, model)) {
    return corrupt_proto("its trainer_spec is cut short");
  }
  if (field.number == kModelNormalizerSpec && !parse_normalizer_spec(field.bytes, model)) {
    return corrupt_proto("its normalizer_spec is cut short");
  }
  return {};
}

}  // namespace

Result<SentencePieceModel> parse_sentencepiece_model(std::string_view bytes) {
  SentencePieceModel model;
  ProtoReader reader(bytes);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (Result<void> parsed = parse_field(*field, model); !parsed) return parsed.error();
  }
  if (reader.is_corrupt()) return corrupt_proto("it is cut short or no SentencePiece model");
  if (model.pieces.empty()) return corrupt_proto("it has no pieces");
  if (!is_safe_charsmap(model.charsmap))
    return corrupt_proto("its normalisation rules are damaged");
  return model;
}

}  // namespace quire
