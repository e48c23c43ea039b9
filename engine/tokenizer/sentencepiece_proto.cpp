#include "engine/tokenizer/sentencepiece_proto.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"

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

Error corrupt_proto(std::string what) {
  return {ErrorCode::kCorruptFile, std::move(what)};
}

constexpr uint32_t kVarint = 0;
constexpr uint32_t kLengthDelimited = 2;
constexpr uint32_t kFixed32 = 5;

/// A field that Quire reads, and the only wire type in which it may come. Programs differ in what
/// they make of another type, so that such a file has two meanings; it is refused.
struct KnownField {
  uint32_t number;
  uint32_t wire_type;
};
constexpr KnownField kModelFields[] = {{kModelPieces, kLengthDelimited},
                                       {kModelTrainerSpec, kLengthDelimited},
                                       {kModelNormalizerSpec, kLengthDelimited}};
constexpr KnownField kPieceFields[] = {
    {kPieceText, kLengthDelimited}, {kPieceScore, kFixed32}, {kPieceType, kVarint}};
constexpr KnownField kTrainerFields[] = {{kTrainerModelType, kVarint},
                                         {kTrainerByteFallback, kVarint},
                                         {kTrainerWhitespaceAsSuffix, kVarint},
                                         {kTrainerBos, kLengthDelimited},
                                         {kTrainerEos, kLengthDelimited}};
constexpr KnownField kNormalizerFields[] = {{kNormalizerCharsmap, kLengthDelimited},
                                            {kNormalizerDummyPrefix, kVarint},
                                            {kNormalizerExtraWhitespaces, kVarint},
                                            {kNormalizerEscapeWhitespaces, kVarint}};

/// Fields that Quire does not read may have any.
bool has_wire_type(std::span<const KnownField> known, const ProtoField& field) {
  return std::ranges::all_of(known, [&](const KnownField& k) {
    return k.number != field.number || k.wire_type == field.wire_type;
  });
}

Error wrong_wire_type(const std::string& where, const ProtoField& field) {
  return corrupt_proto(where + " has its field " + std::to_string(field.number) +
                       " in the wrong wire type " + std::to_string(field.wire_type));
}

Result<SentencePiece> parse_piece(std::string_view message, size_t id) {
  SentencePiece piece;
  const auto where = [id] { return "piece " + std::to_string(id); };
  ProtoReader reader(message);
  uint64_t type = static_cast<uint64_t>(PieceType::kNormal);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (!has_wire_type(kPieceFields, *field)) return wrong_wire_type(where(), *field);
    if (field->number == kPieceText) piece.text = field->bytes;
    if (field->number == kPieceType) type = field->value;
    if (field->number == kPieceScore) {
      std::memcpy(&piece.score, field->raw.data() + field->raw.size() - 4, 4);
    }
  }
  if (reader.is_corrupt()) return corrupt_proto(where() + " is cut short");
  if (piece.text.empty()) return corrupt_proto(where() + " is empty");
  if (piece.text.size() > kMaxPieceBytes)
    return corrupt_proto(where() + " is longer than 1024 bytes");
  if (!is_valid_utf8(piece.text)) return corrupt_proto(where() + " is not UTF-8");
  if (type < 1 || type > 6)
    return corrupt_proto(where() + " has the unknown type " + std::to_string(type));
  piece.type = static_cast<PieceType>(type);
  return piece;
}

Result<void> parse_trainer_spec(std::string_view message, SentencePieceModel& model) {
  ProtoReader reader(message);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (!has_wire_type(kTrainerFields, *field)) return wrong_wire_type("its trainer_spec", *field);
    if (field->number == kTrainerModelType) {
      model.is_bpe = field->value == kModelTypeBpe;
      model.is_unigram = field->value == kModelTypeUnigram;
    }
    if (field->number == kTrainerByteFallback) model.byte_fallback = field->value != 0;
    if (field->number == kTrainerBos) model.bos = field->bytes;
    if (field->number == kTrainerEos) model.eos = field->bytes;
    if (field->number == kTrainerWhitespaceAsSuffix) {
      model.treat_whitespace_as_suffix = field->value != 0;
    }
  }
  if (reader.is_corrupt()) return corrupt_proto("its trainer_spec is cut short");
  return {};
}

Result<void> parse_normalizer_spec(std::string_view message, SentencePieceModel& model) {
  ProtoReader reader(message);
  while (const std::optional<ProtoField> field = reader.next()) {
    if (!has_wire_type(kNormalizerFields, *field)) {
      return wrong_wire_type("its normalizer_spec", *field);
    }
    if (field->number == kNormalizerCharsmap) model.charsmap = field->bytes;
    if (field->number == kNormalizerDummyPrefix) model.add_dummy_prefix = field->value != 0;
    if (field->number == kNormalizerExtraWhitespaces) {
      model.remove_extra_whitespaces = field->value != 0;
    }
    if (field->number == kNormalizerEscapeWhitespaces) model.escape_whitespaces = field->value != 0;
  }
  if (reader.is_corrupt()) return corrupt_proto("its normalizer_spec is cut short");
  return {};
}

uint32_t read_u32(std::string_view bytes, size_t index) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + index * sizeof(value), sizeof(value));
  return value;
}

}  // namespace

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

namespace {

Result<void> parse_field(const ProtoField& field, SentencePieceModel& model) {
  if (!has_wire_type(kModelFields, field)) return wrong_wire_type("it", field);
  if (field.number == kModelPieces) {
    if (model.pieces.size() == kMaxVocabularyTokens)
      return corrupt_proto("it has more than 524288 pieces");
    Result<SentencePiece> piece = parse_piece(field.bytes, model.pieces.size());
    if (!piece) return piece.error();
    model.num_bytes += piece->text.size();
    if (model.num_bytes > kMaxVocabularyBytes)
      return corrupt_proto("its pieces are together longer than 8 MiB");
    model.pieces.push_back(*piece);
  }
  if (field.number == kModelTrainerSpec) return parse_trainer_spec(field.bytes, model);
  if (field.number == kModelNormalizerSpec) return parse_normalizer_spec(field.bytes, model);
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
