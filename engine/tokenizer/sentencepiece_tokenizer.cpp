#include "engine/tokenizer/tokenizer_loader.h"

#include <algorithm>

#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/score_bpe.h"
#include "engine/tokenizer/sentencepiece_model.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/vocabulary_limits.h"
#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

/// How many ids more than tokens a vocabulary may span, because some ids are left out.
constexpr size_t kMaxUnusedIds = 1 << 16;

TokenEntry entry_of(const SentencePiece& piece, bool escapes, TextStore& texts) {
  TokenEntry entry;
  entry.piece = texts.add(piece.text);
  entry.is_special = piece.type == PieceType::kControl || piece.type == PieceType::kUnknown;
  if (piece.type == PieceType::kByte) {
    const auto byte = byte_token_value(piece.text);
    if (byte) entry.bytes = texts.add({&*byte, 1});
  } else if (!entry.is_special) {
    entry.bytes = escapes ? unescaped(entry.piece, texts) : entry.piece;
  }
  return entry;
}

Result<void> add_token(const AddedToken& token, bool is_special, size_t max_id, TokenTable& table) {
  if (token.id < 0 || static_cast<size_t>(token.id) > max_id || token.content.empty()) {
    return Error{ErrorCode::kCorruptFile, "the added token \"" + for_message(token.content) +
                                              "\" has no content or the impossible id " +
                                              std::to_string(token.id)};
  }
  constexpr size_t kMaxAddedBytes = AddedTokenMatcher::kMaxContentBytes;
  if (token.content.size() > kMaxAddedBytes) {
    return Error{ErrorCode::kCorruptFile, "the added token \"" + for_message(token.content) +
                                              "\" has over " + with_separators(kMaxAddedBytes) +
                                              " bytes"};
  }
  TokenEntry& entry = table.at_or_grow(token.id);
  // An ordinary piece that is only listed keeps its bytes ("\xE2\x96\x81" as a space).
  const bool is_new = entry.piece != token.content;
  entry.piece = table.texts().add(token.content);
  if (is_new) entry.bytes = entry.piece;
  if (is_special) entry.bytes = {};
  entry.is_special = is_special;
  entry.is_added = true;
  entry.strips_before = token.strips_before;
  entry.strips_after = token.strips_after;
  return {};
}

Result<TokenTable> make_table(const SentencePieceModel& model, const SpecialTokens& special) {
  const auto num_special =
      std::ranges::count_if(model.pieces, is_special_type, &SentencePiece::type);
  if (auto checked = check_num_special(static_cast<size_t>(num_special)); !checked)
    return checked.error();
  const StringSet names(special.names.begin(), special.names.end());
  TokenTable table;
  table.at_or_grow(static_cast<TokenId>(model.pieces.size()) - 1);
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    TokenEntry& entry = table.at_or_grow(static_cast<TokenId>(id));
    entry = entry_of(model.pieces[id], model.escape_whitespaces, table.texts());
    if (!names.contains(entry.piece)) continue;
    entry.is_special = true;
    entry.bytes = {};
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

/// Whether the model is a BPE that does not normalise and has a token for each byte.
bool is_plain_bpe(const SentencePieceModel& model) {
  size_t num_bytes = 0;
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kUnused) return false;
    num_bytes += piece.type == PieceType::kByte ? 1 : 0;
  }
  return model.is_bpe && model.charsmap.empty() && model.escape_whitespaces &&
         !model.remove_extra_whitespaces && !model.treat_whitespace_as_suffix && num_bytes == 256;
}

class SentencePieceBuilder {
 public:
  SentencePieceBuilder(const SentencePieceModel& model, const SpecialTokens& special)
      : m_model(model), m_special(special) {}

  Result<std::unique_ptr<Tokenizer>> build() {
    Result<TokenTable> table = make_table(m_model, m_special);
    if (!table) return table.error();
    m_parts.table = std::move(*table);
    const bool is_plain = is_plain_bpe(m_model);
    if (auto made = m_model.is_bpe ? make_bpe(is_plain) : make_unigram(); !made)
      return made.error();
    if (is_plain) {
      if (m_model.add_dummy_prefix) m_parts.prefix = " ";
    } else {
      m_parts.normalizer.add(SentencePieceNormalizer(m_model, m_model.is_bpe ? " " : kSpaceMark));
      m_parts.marks_spaces = m_parts.model.has_all_bytes() && m_model.escape_whitespaces;
    }
    m_parts.strips_leading_space = m_model.add_dummy_prefix;
    m_parts.restarts_after_special = m_special.restarts_after_special;
    m_parts.adds_bos = m_special.adds_bos;
    m_parts.bos = find_named(m_special.bos, m_model.bos);
    m_parts.eos = find_named(m_special.eos, m_model.eos);
    add_rules(is_plain ? m_parts.added : m_parts.normalized_added);
    return make_bpe_tokenizer(std::move(m_parts));
  }

 private:
  bool is_special(TokenId id) const { return m_parts.table[id].is_special; }

  Result<void> make_bpe(bool is_plain) {
    // SentencePiece splits unused pieces again after merging; Quire does not.
    const bool has_unused = std::ranges::any_of(
        m_model.pieces, [](const SentencePiece& p) { return p.type == PieceType::kUnused; });
    if (!is_plain && (has_unused || !m_model.escape_whitespaces)) {
      return Error{ErrorCode::kUnsupported, "its BPE has unused pieces or plain spaces"};
    }
    std::vector<ScoredPiece> pieces;
    pieces.reserve(m_model.pieces.size());
    for (const SentencePiece& piece : m_model.pieces) {
      const bool is_never = is_special(static_cast<TokenId>(pieces.size()));
      pieces.push_back({piece.text, piece.type, piece.score, is_never});
    }
    auto bpe = make_score_bpe(pieces);
    if (!bpe) return bpe.error();
    m_parts.model = std::move(*bpe);
    return {};
  }

  Result<void> make_unigram() {
    if (!m_model.is_unigram) {
      return Error{ErrorCode::kUnsupported, "it is a model of words or characters"};
    }
    for (size_t id = 0; id < m_model.pieces.size(); ++id) {
      const SentencePiece& piece = m_model.pieces[id];
      const auto token = static_cast<TokenId>(id);
      if (piece.type == PieceType::kUnknown) m_parts.model.unknown = token;
      const auto byte = byte_token_value(piece.text);
      if (!byte || piece.type != PieceType::kByte) continue;
      m_parts.model.byte_ids[static_cast<uint8_t>(*byte)] = token;
    }
    auto unigram = UnigramModel::create(
        m_model, [this](TokenId id) { return !is_special(id); }, m_parts.model.byte_ids);
    if (!unigram) return unigram.error();
    m_parts.unigram = std::move(*unigram);
    return {};
  }

  std::optional<TokenId> find_named(const std::optional<std::string>& name,
                                    std::string_view piece) const {
    if (name) return m_parts.table.special_token(*name);
    const auto found = std::ranges::find(m_model.pieces, piece, &SentencePiece::text);
    if (found == m_model.pieces.end() || found->type != PieceType::kControl) return std::nullopt;
    return static_cast<TokenId>(found - m_model.pieces.begin());
  }

  /// User-defined pieces and added tokens, which a BPE has to find before anything else.
  void add_rules(AddedTokenMatcher& user_defined) {
    for (size_t id = 0; m_model.is_bpe && id < m_model.pieces.size(); ++id) {
      const auto token = static_cast<TokenId>(id);
      const SentencePiece& piece = m_model.pieces[id];
      if (piece.type != PieceType::kUserDefined || is_special(token)) continue;
      user_defined.add({.id = token, .content = unescape_piece(piece.text), .is_special = false});
    }
    for (const AddedToken& token : m_special.added) {
      AddedToken rule = token;
      rule.is_special = is_special(token.id);
      m_parts.added.add(rule);
    }
  }

  const SentencePieceModel& m_model;
  const SpecialTokens& m_special;
  BpeParts m_parts;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_sentencepiece(const std::string& path,
                                                      const SpecialTokens& special) {
  const Result<std::string> file = read_file(path, kMaxTokenizerBytes);
  if (!file) return file.error();
  Result<SentencePieceModel> model = parse_sentencepiece_model(*file);
  if (!model) return tokenizer_error(path, model.error());
  auto tokenizer = SentencePieceBuilder(*model, special).build();
  if (tokenizer) return tokenizer;
  return tokenizer_error(path, tokenizer.error());
}

}  // namespace quire
