#include "engine/tokenizer/sentencepiece_tokenizer.h"

#include <array>
#include <unordered_set>

#include "engine/io/mmap_file.h"
#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/score_bpe.h"
#include "engine/tokenizer/sentencepiece_encoder.h"
#include "engine/tokenizer/sentencepiece_proto.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/tokenizer_error.h"

namespace quire {
namespace {

constexpr size_t kMaxFileBytes = size_t{256} << 20;
/// How many ids more than tokens a vocabulary may span: room for those that were left out.
constexpr size_t kMaxUnusedIds = 1 << 16;

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(TokenTable table, std::unique_ptr<SentencePieceEncoder> encoder,
                         SpecialTokens special, std::array<std::optional<TokenId>, 2> bos_eos)
      : m_table(std::move(table)),
        m_encoder(std::move(encoder)),
        m_special(std::move(special)),
        m_bos(bos_eos[0]),
        m_eos(bos_eos[1]) {}

  int vocab_size() const override { return m_table.size(); }
  std::vector<TokenId> encode(std::string_view text) const override {
    return m_encoder->encode(text, true);
  }
  std::vector<TokenId> encode_continuation(std::string_view text) const override {
    return m_encoder->encode(text, false);
  }
  bool strips_leading_space() const override { return m_encoder->has_dummy_prefix(); }
  bool restarts_after_special() const override { return m_special.restarts_after_special; }
  bool strips_space_before(TokenId id) const override { return m_table[id].strips_before; }
  bool strips_space_after(TokenId id) const override { return m_table[id].strips_after; }
  std::optional<TokenId> special_token(std::string_view content) const override {
    return m_table.special_token(content);
  }
  const std::vector<std::string>& special_tokens() const override {
    return m_table.special_tokens();
  }
  bool is_special(TokenId id) const override { return m_table[id].is_special; }
  std::string_view token_bytes(TokenId id) const override { return m_table[id].bytes; }
  std::string_view token_piece(TokenId id) const override { return m_table[id].piece; }
  std::optional<TokenId> bos_token() const override { return m_bos; }
  std::optional<TokenId> eos_token() const override { return m_eos; }
  bool adds_bos() const override { return m_special.adds_bos && m_bos; }

 private:
  TokenTable m_table;
  std::unique_ptr<SentencePieceEncoder> m_encoder;
  SpecialTokens m_special;
  std::optional<TokenId> m_bos;
  std::optional<TokenId> m_eos;
};

TokenEntry entry_of(const SentencePiece& piece, bool escapes) {
  TokenEntry entry;
  entry.piece = piece.text;
  entry.is_special = piece.type == PieceType::kControl || piece.type == PieceType::kUnknown;
  if (piece.type == PieceType::kByte) {
    const auto byte = byte_token_value(piece.text);
    if (byte) entry.bytes = std::string(1, *byte);
  } else if (!entry.is_special) {
    entry.bytes = escapes ? unescape_piece(piece.text) : entry.piece;
  }
  return entry;
}

Result<void> add_token(const AddedToken& token, bool is_special, size_t max_id, TokenTable& table) {
  if (token.id < 0 || static_cast<size_t>(token.id) > max_id || token.content.empty()) {
    return Error{ErrorCode::kCorruptFile, "the added token \"" + token.content +
                                              "\" has no content or the impossible id " +
                                              std::to_string(token.id)};
  }
  TokenEntry& entry = table.at_or_grow(token.id);
  // An ordinary piece that is only listed keeps its bytes ("\xE2\x96\x81" as a space).
  const bool is_new = entry.piece != token.content;
  entry.piece = token.content;
  if (is_new || is_special) entry.bytes = is_special ? "" : token.content;
  entry.is_special = is_special;
  entry.is_added = true;
  entry.strips_before = token.strips_before;
  entry.strips_after = token.strips_after;
  return {};
}

Result<TokenTable> make_table(const SentencePieceModel& model, const SpecialTokens& special) {
  const std::unordered_set<std::string> names(special.names.begin(), special.names.end());
  TokenTable table;
  table.at_or_grow(static_cast<TokenId>(model.pieces.size()) - 1);
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    TokenEntry& entry = table.at_or_grow(static_cast<TokenId>(id));
    entry = entry_of(model.pieces[id], model.escape_whitespaces);
    if (!names.contains(entry.piece)) continue;
    entry.is_special = true;
    entry.bytes.clear();
  }
  const size_t max_id = model.pieces.size() + special.added.size() + kMaxUnusedIds;
  for (const AddedToken& token : special.added) {
    const bool is_special = token.is_special || names.contains(token.content);
    if (Result<void> added = add_token(token, is_special, max_id, table); !added)
      return added.error();
  }
  table.index_special();
  return table;
}

std::optional<TokenId> find_named(const TokenTable& table, const SentencePieceModel& model,
                                  const std::optional<std::string>& name, TokenId fallback) {
  if (name) return table.special_token(*name);
  if (!table.contains(fallback)) return std::nullopt;
  const bool is_control = model.pieces[static_cast<size_t>(fallback)].type == PieceType::kControl;
  return is_control ? std::optional(fallback) : std::nullopt;
}

/// Whether this is what score_bpe.h does, some ten times as fast as the library: BPE that leaves
/// text as it is, with a token for each byte.
bool is_plain_bpe(const SentencePieceModel& model) {
  size_t num_bytes = 0;
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kUnused) return false;
    num_bytes += piece.type == PieceType::kByte ? 1 : 0;
  }
  return model.is_bpe && model.charsmap.empty() && model.escape_whitespaces &&
         !model.remove_extra_whitespaces && !model.treat_whitespace_as_suffix && num_bytes == 256;
}

/// The id of the piece that is spelt so; -1 for none.
TokenId find_piece(const SentencePieceModel& model, std::string_view text) {
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].text == text) return static_cast<TokenId>(id);
  }
  return -1;
}

/// User-defined pieces and added tokens, which are found before anything else.
void add_rules(const SentencePieceModel& model, const SpecialTokens& special, BpeParts& parts) {
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const auto token = static_cast<TokenId>(id);
    const bool is_user = model.pieces[id].type == PieceType::kUserDefined;
    if (!is_user || parts.table[token].is_special) continue;
    parts.added.add({.id = token, .content = unescape_piece(model.pieces[id].text)});
  }
  for (const AddedToken& token : special.added) {
    const bool is_special = parts.table[token.id].is_special;
    parts.added.add({.id = token.id,
                     .content = token.content,
                     .is_special = is_special,
                     .single_word = token.single_word,
                     .takes_before = token.strips_before,
                     .takes_after = token.strips_after});
  }
}

Result<std::unique_ptr<Tokenizer>> build_plain_bpe(const SentencePieceModel& model,
                                                   TokenTable table, const SpecialTokens& special) {
  std::vector<ScoredPiece> pieces;
  pieces.reserve(model.pieces.size());
  for (const SentencePiece& piece : model.pieces) {
    const bool is_never = table[static_cast<TokenId>(pieces.size())].is_special;
    pieces.push_back({piece.text, piece.type, piece.score, is_never});
  }
  auto bpe = make_score_bpe(pieces);
  if (!bpe) return bpe.error();
  BpeParts parts;
  parts.table = std::move(table);
  parts.model = std::move(*bpe);
  if (model.add_dummy_prefix) parts.prefix = " ";
  parts.strips_leading_space = model.add_dummy_prefix;
  parts.restarts_after_special = special.restarts_after_special;
  parts.adds_bos = special.adds_bos;
  parts.bos = find_named(parts.table, model, special.bos, find_piece(model, model.bos));
  parts.eos = find_named(parts.table, model, special.eos, find_piece(model, model.eos));
  add_rules(model, special, parts);
  if (parts.added.is_full()) return AddedTokenMatcher::too_many();
  return make_bpe_tokenizer(std::move(parts));
}

Result<std::unique_ptr<Tokenizer>> build(std::string_view bytes, SpecialTokens special) {
  Result<SentencePieceModel> model = parse_sentencepiece_model(bytes);
  if (!model) return model.error();
  Result<TokenTable> table = make_table(*model, special);
  if (!table) return table.error();
  if (is_plain_bpe(*model)) return build_plain_bpe(*model, std::move(*table), special);
  std::vector<bool> never(static_cast<size_t>(table->size()));
  for (TokenId id = 0; id < table->size(); ++id) {
    const bool is_unknown = static_cast<size_t>(id) < model->pieces.size() &&
                            model->pieces[static_cast<size_t>(id)].type == PieceType::kUnknown;
    never[static_cast<size_t>(id)] = (*table)[id].is_special && !is_unknown;
  }
  auto encoder = SentencePieceEncoder::create(bytes, *model, std::move(never));
  if (!encoder) return encoder.error();
  const std::array bos_eos = {find_named(*table, *model, special.bos, (*encoder)->library_bos()),
                              find_named(*table, *model, special.eos, (*encoder)->library_eos())};
  return std::unique_ptr<Tokenizer>(std::make_unique<SentencePieceTokenizer>(
      std::move(*table), std::move(*encoder), std::move(special), bos_eos));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_sentencepiece(const std::string& path,
                                                      SpecialTokens special) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const auto bytes = file->bytes();
  if (bytes.size() > kMaxFileBytes) {
    return Error{ErrorCode::kCorruptFile, "The tokenizer " + path + " is larger than 256 MiB."};
  }
  auto tokenizer =
      build({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, std::move(special));
  if (tokenizer) return tokenizer;
  return tokenizer_error(path, tokenizer.error());
}

}  // namespace quire
