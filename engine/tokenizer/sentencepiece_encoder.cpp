#include "engine/tokenizer/sentencepiece_encoder.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <exception>
#include <new>

#include "engine/tokenizer/space_mark.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

/// The library needs some 100 bytes of memory for a byte of text.
constexpr size_t kChunkBytes = size_t{64} << 10;

using Processor = sentencepiece::SentencePieceProcessor;

/// The library's messages end their sentences.
std::string without_stop(std::string message) {
  while (message.ends_with('.')) message.pop_back();
  return message;
}

Result<void> load(Processor& processor, const std::string& bytes) {
  try {
    const sentencepiece::util::Status status = processor.LoadFromSerializedProto(bytes);
    if (status.ok()) return {};
    return Error{ErrorCode::kCorruptFile, without_stop(status.error_message())};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "there is not enough memory for it"};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kCorruptFile, failure.what()};
  }
}

/// Whether a space in the piece follows anything but a space.
bool crosses_space(std::string_view piece) {
  bool after_other = false;
  while (!piece.empty()) {
    const bool is_mark = piece.starts_with(kSpaceMark);
    const bool is_space = is_mark || piece.front() == ' ';
    if (is_space && after_other) return true;
    after_other = !is_space;
    piece.remove_prefix(is_mark ? kSpaceMark.size() : 1);
  }
  return false;
}

/// The end of the first chunk of `text`: before a space that follows something else.
size_t chunk_end(std::string_view text) {
  for (size_t i = kChunkBytes; i < text.size(); ++i) {
    if (text[i] == ' ' && text[i - 1] != ' ') return i;
  }
  return text.size();
}

}  // namespace

struct SentencePieceEncoder::Library {
  Processor plain;     ///< Without the dummy prefix.
  Processor prefixed;  ///< Loaded only if the model has one.
};

SentencePieceEncoder::SentencePieceEncoder() : m_library(std::make_unique<Library>()) {}
SentencePieceEncoder::~SentencePieceEncoder() = default;

Result<std::unique_ptr<SentencePieceEncoder>> SentencePieceEncoder::create(
    std::string_view bytes, const SentencePieceModel& model, std::vector<bool> never) {
  std::unique_ptr<SentencePieceEncoder> encoder(new SentencePieceEncoder);
  SentencePiecePatch patch{.make_control = never, .disable_dummy_prefix = false};
  if (model.add_dummy_prefix) {
    auto loaded = load(encoder->m_library->prefixed, patch_sentencepiece_model(bytes, patch));
    if (!loaded) return loaded.error();
  }
  patch.disable_dummy_prefix = true;
  auto loaded = load(encoder->m_library->plain, patch_sentencepiece_model(bytes, patch));
  if (!loaded) return loaded.error();
  encoder->m_never = std::move(never);
  encoder->m_has_dummy_prefix = model.add_dummy_prefix;
  encoder->index_pieces(model);
  return encoder;
}

void SentencePieceEncoder::index_pieces(const SentencePieceModel& model) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const Processor& processor = m_library->plain;
  bool has_all_bytes = true;
  for (size_t byte = 0; byte < 256; ++byte) {
    const std::string piece = {'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'};
    const int id = processor.PieceToId(piece);
    m_byte_ids[byte] = id;
    has_all_bytes = has_all_bytes && processor.IsByte(id);
  }
  m_escapes_exactly = has_all_bytes && model.escape_whitespaces;
  const bool has_space = processor.PieceToId(kSpaceMark) != processor.unk_id();
  m_splits_at_spaces =
      model.is_bpe && has_space && model.charsmap.empty() && model.escape_whitespaces &&
      !model.remove_extra_whitespaces && !model.treat_whitespace_as_suffix &&
      std::none_of(model.pieces.begin(), model.pieces.end(), [](const SentencePiece& piece) {
        return piece.type != PieceType::kControl && crosses_space(piece.text);
      });
}

std::vector<TokenId> SentencePieceEncoder::encode(std::string_view text, bool at_start) const {
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 8);
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const Utf8Unit unit = next_utf8(text.substr(i));
    const std::string_view character = text.substr(i, unit.length);
    i += unit.length;
    if (unit.status == Utf8Status::kWhole && !is_literal(character)) continue;
    append_valid(text.substr(begin, i - unit.length - begin), at_start && begin == 0, ids);
    append_bytes(character, ids);
    begin = i;
  }
  append_valid(text.substr(begin), at_start && begin == 0, ids);
  return ids;
}

/// The library would take the character for a space.
bool SentencePieceEncoder::is_literal(std::string_view character) const {
  return m_escapes_exactly && character == kSpaceMark;
}

/// Pieces of a BPE model merge only with what they form a piece with, so that chunks which end
/// where no piece crosses have the same ids as the whole. A unigram model's text is not cut: the
/// library adds up scores in floats along the whole text, and their rounding decides ties.
void SentencePieceEncoder::append_valid(std::string_view text, bool at_start,
                                        std::vector<TokenId>& ids) const {
  while (!text.empty()) {
    const size_t length = m_splits_at_spaces ? chunk_end(text) : text.size();
    append_chunk(text.substr(0, length), at_start, ids);
    text.remove_prefix(length);
    at_start = false;
  }
}

void SentencePieceEncoder::append_chunk(std::string_view text, bool at_start,
                                        std::vector<TokenId>& ids) const {
  const bool prefixes = at_start && m_has_dummy_prefix;
  const Processor& processor = prefixes ? m_library->prefixed : m_library->plain;
  std::vector<int> chunk;
  if (!processor.Encode(text, &chunk).ok()) return append_bytes(text, ids);
  for (const int id : chunk) {
    const auto index = static_cast<size_t>(id);
    if (index < m_never.size() && m_never[index]) {
      // A control token of one character: the library looks every character up by name.
      append_bytes(processor.IdToPiece(id), ids);
    } else {
      ids.push_back(id);
    }
  }
}

void SentencePieceEncoder::append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const {
  for (const char byte : bytes) ids.push_back(m_byte_ids[static_cast<uint8_t>(byte)]);
}

TokenId SentencePieceEncoder::library_bos() const {
  return m_library->plain.bos_id();
}
TokenId SentencePieceEncoder::library_eos() const {
  return m_library->plain.eos_id();
}

}  // namespace quire
