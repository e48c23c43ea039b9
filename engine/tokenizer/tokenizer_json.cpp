#include "engine/tokenizer/tokenizer_loader.h"

#include <algorithm>
#include <unordered_map>

#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/json_unigram.h"
#include "engine/tokenizer/json_values.h"
#include "engine/tokenizer/merge_batch.h"
#include "engine/tokenizer/token_decoder.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/tokenizer_json_parts.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"
#include "engine/tokenizer/word_piece.h"
#include "kernels/base/hash_bytes.h"

namespace quire {
namespace {

using Json = nlohmann::json;

/// How many ids more than tokens a vocabulary may span, because some ids are left out.
constexpr size_t kMaxUnusedJsonIds = 1 << 16;

/// For normalising all added tokens, once: real vocabularies need a thousandth of it.
const WorkBudget::Limits kAddedTokenLimits = {
    .steps = 50'000'000, .bytes = 32 << 20, .cpu_time = std::chrono::milliseconds(1000)};

/// For compiling all patterns; real files need a tenth of it.
const WorkBudget::Limits kPatternLimits = {.cpu_time = std::chrono::milliseconds(500)};

Error corrupt_json(std::string what) {
  return {ErrorCode::kCorruptFile, std::move(what)};
}

/// Builds a tokenizer from the document, step by step.
class TokenizerJsonBuilder {
 public:
  TokenizerJsonBuilder(TokenizerJsonDocument document, const SpecialTokens& special)
      : m_document(std::move(document)),
        m_special(special),
        m_names(special.names.begin(), special.names.end()) {}

  Result<std::unique_ptr<Tokenizer>> build() {
    for (const auto step :
         {&TokenizerJsonBuilder::check_model, &TokenizerJsonBuilder::read_steps,
          &TokenizerJsonBuilder::read_vocabulary, &TokenizerJsonBuilder::read_merges,
          &TokenizerJsonBuilder::read_added_tokens}) {
      if (auto done = (this->*step)(); !done) return done.error();
    }
    if (auto finished = finish_table(); !finished) return finished.error();
    finish_model();
    return make_bpe_tokenizer(std::move(m_parts));
  }

 private:
  const Json& model() const { return json_member(m_document.rest, "model"); }

  Result<void> check_model() {
    std::string kind = json_text(model(), "type");
    // Older files do not say it.
    if (kind.empty() && !m_document.merges.empty()) kind = "BPE";
    if (kind.empty()) return corrupt_json("model.type is not there");
    if (kind == "WordPiece") m_kind = Kind::kWordPiece;
    if (kind == "Unigram") m_kind = Kind::kUnigram;
    if (kind != "BPE" && m_kind == Kind::kBpe) {
      return Error{ErrorCode::kUnsupported,
                   "its model is of the kind \"" + for_message(kind) +
                       "\"; only BPE, WordPiece and Unigram are supported"};
    }
    if (m_kind == Kind::kUnigram) return take_pieces();
    if (m_document.vocab.empty()) return corrupt_json("model.vocab is empty or not there");
    if (m_kind != Kind::kBpe) return {};
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      if (json_text(model(), key).empty()) continue;
      return Error{ErrorCode::kUnsupported,
                   std::string("its model has a ") + key + ", which is not supported"};
    }
    return {};
  }

  /// The pieces of a unigram model as a vocabulary, whose ids are their places.
  Result<void> take_pieces() {
    if (m_document.pieces.empty()) return corrupt_json("model.vocab is empty or not there");
    m_document.vocab.clear();
    for (const auto& [piece, score] : m_document.pieces) {
      m_document.vocab.emplace_back(piece, static_cast<int64_t>(m_document.vocab.size()));
    }
    return {};
  }

  Result<void> make_word_model() {
    if (m_kind == Kind::kBpe) return {};
    if (m_kind == Kind::kWordPiece) return make_word_piece();
    const Json& unknown = json_member(model(), "unk_id");
    JsonUnigram::Spec spec;
    if (unknown.is_number_integer()) {
      const auto id = unknown.get<int64_t>();
      if (id < 0 || id >= std::ssize(m_document.pieces)) {
        return corrupt_json("model.unk_id is no id of model.vocab");
      }
      spec.unknown = static_cast<TokenId>(id);
    }
    spec.has_byte_fallback = json_flag(model(), "byte_fallback");
    auto made = JsonUnigram::create(m_document.pieces, spec);
    if (!made) return made.error();
    m_parts.word_model = std::move(*made);
    m_parts.model.unknown = spec.unknown;
    return {};
  }

  Result<void> make_word_piece() {
    WordPiece::Spec spec;
    spec.prefix = json_text(model(), "continuing_subword_prefix", "##");
    const Json& most = json_member(model(), "max_input_chars_per_word");
    if (most.is_number_integer()) {
      spec.max_characters =
          static_cast<size_t>(std::clamp<int64_t>(most.get<int64_t>(), 0, 100'000));
    }
    const std::string unknown = json_text(model(), "unk_token");
    const auto id = m_tokens.find(unknown);
    if (!id) return corrupt_json("model.unk_token is not in model.vocab");
    spec.unknown = *id;
    auto made = WordPiece::create(m_document.vocab, spec);
    if (!made) return made.error();
    m_parts.word_model = std::move(*made);
    return {};
  }

  Result<void> read_steps() {
    WorkBudget budget(kPatternLimits);
    auto normalizer = read_normalizer(json_member(m_document.rest, "normalizer"), budget);
    if (!normalizer) return normalizer.error();
    auto pre_tokenizer = read_pre_tokenizer(json_member(m_document.rest, "pre_tokenizer"), budget);
    if (!pre_tokenizer) return pre_tokenizer.error();
    auto decoder = read_decoder(json_member(m_document.rest, "decoder"));
    if (!decoder) return decoder.error();
    auto outer = read_outer_tokens(json_member(m_document.rest, "post_processor"));
    if (!outer) return outer.error();
    m_parts.normalizer = std::move(*normalizer);
    m_pre_tokenizer = std::move(*pre_tokenizer);
    m_outer = std::move(*outer);
    m_parts.model.is_byte_level = m_pre_tokenizer.is_byte_level;
    m_parts.maps_bytes = m_pre_tokenizer.maps_bytes;
    const bool is_byte_level = m_pre_tokenizer.is_byte_level || decoder->is_byte_level;
    const bool has_byte_tokens = decoder->has_byte_fallback || json_flag(model(), "byte_fallback");
    m_decoder = TokenDecoder(std::move(*decoder), is_byte_level, has_byte_tokens);
    return {};
  }

  Result<void> check_id(int64_t id, std::string_view token, const char* key) const {
    if (id >= 0 && static_cast<uint64_t>(id) < m_max_ids) return {};
    return corrupt_json(std::string(key) + " gives \"" + for_message(token) +
                        "\" the impossible id " + std::to_string(id));
  }

  static Error too_long(const char* key, std::string_view token, size_t limit) {
    return corrupt_json(std::string(key) + " has the token \"" + for_message(token) + "\" of " +
                        with_separators(token.size()) + " bytes; a token has up to " +
                        with_separators(limit));
  }

  Result<void> read_vocabulary() {
    const auto& vocab = m_document.vocab;
    const size_t added =
        json_member(m_document.rest, "added_tokens").size() + m_special.added.size();
    m_max_ids = vocab.size() + added + kMaxUnusedJsonIds;
    m_has_byte_fallback = json_flag(model(), "byte_fallback");
    m_parts.model.ignores_merges = json_flag(model(), "ignore_merges");
    m_parts.table.texts() = std::move(m_document.texts);
    m_parts.table.reserve(vocab.size());
    m_tokens.reserve(vocab.size());
    for (size_t i = 0; i < vocab.size(); ++i) {
      constexpr size_t kAhead = 8;
      if (i + kAhead < vocab.size()) m_tokens.prefetch(vocab[i + kAhead].first);
      if (auto added_token = add_token(vocab[i].first, vocab[i].second); !added_token) {
        return added_token;
      }
    }
    if (auto made = make_word_model(); !made) return made;
    m_document.vocab = decltype(m_document.vocab)();  // Unlike {}, this frees the memory.
    m_document.pieces = decltype(m_document.pieces)();
    const std::string unknown = json_text(model(), "unk_token");
    if (!unknown.empty()) m_parts.model.unknown = m_tokens.find(unknown);
    m_parts.model.fuses_unknown = json_flag(model(), "fuse_unk");
    return {};
  }

  /// `token` is in the table's store.
  Result<void> add_token(std::string_view token, int64_t wide_id) {
    if (token.size() > kMaxTokenBytes) return too_long("model.vocab", token, kMaxTokenBytes);
    if (auto valid = check_id(wide_id, token, "model.vocab"); !valid) return valid;
    const auto id = static_cast<TokenId>(wide_id);
    TokenEntry& entry = m_parts.table.at_or_grow(id);
    if (!entry.piece.empty()) {
      return corrupt_json("model.vocab gives the id " + std::to_string(id) + " to both \"" +
                          for_message(entry.piece) + "\" and \"" + for_message(token) + "\"");
    }
    if (!m_tokens.insert(token, id)) {
      return corrupt_json("model.vocab has \"" + for_message(token) + "\" twice");
    }
    auto bytes = m_decoder.decode(token);
    if (!bytes) return bytes.error();
    entry.piece = token;
    entry.bytes = *bytes == token ? token : m_parts.table.texts().add(*bytes);
    index_word(token, id);
    return {};
  }

  /// The words of a model that is not byte-level are the tokens (finish_model), and those of one
  /// that is are only looked up if they come before the merges.
  void index_word(std::string_view token, TokenId id) {
    BpeModel& bpe = m_parts.model;
    if (!bpe.is_byte_level) {
      const auto byte = m_has_byte_fallback ? byte_token_value(token) : std::nullopt;
      if (byte) bpe.byte_ids[static_cast<uint8_t>(*byte)] = id;
      return;
    }
    constexpr size_t kMaxByteSpelling = 2;
    const bool has_words = bpe.ignores_merges && m_kind == Kind::kBpe;
    if (!has_words && token.size() > kMaxByteSpelling) return;
    const auto bytes = from_byte_level(token);
    if (!bytes || bytes->empty()) return;
    if (has_words) bpe.words.insert(*bytes, id);
    if (bytes->size() == 1) bpe.byte_ids[static_cast<uint8_t>(bytes->front())] = id;
  }

  Result<void> read_merges() {
    const MergeTexts& merges = m_document.merges;
    m_parts.model.merges.reserve(merges.size());
    MergeBatch batch(m_tokens, m_parts.model.merges);
    for (size_t rank = 0; rank <= merges.size(); ++rank) {
      const bool is_end = rank == merges.size();
      const auto missing =
          is_end ? batch.finish() : batch.add(merges[rank].first, merges[rank].second);
      if (!missing) continue;
      return corrupt_json("model.merges entry " + std::to_string(missing->rank) + " names \"" +
                          for_message(missing->token) + "\", which is not in model.vocab");
    }
    m_document.merges = {};
    return {};
  }

  Result<void> read_added_tokens() {
    const Json& list = json_member(m_document.rest, "added_tokens");
    if (!list.is_array() && !list.is_null()) return corrupt_json("added_tokens is not an array");
    if (list.size() > kMaxAddedTokens) {
      return Error{ErrorCode::kUnsupported, "it has " + with_separators(list.size()) +
                                                " added tokens; Quire reads up to " +
                                                with_separators(kMaxAddedTokens)};
    }
    for (const Json& token : list) {
      const Json& id = json_member(token, "id");
      const std::string content = json_text(token, "content");
      if (!id.is_number_integer() || content.empty()) {
        return corrupt_json("added_tokens has an entry without an \"id\" or a \"content\"");
      }
      if (content.size() > kMaxAddedBytes) return too_long("added_tokens", content, kMaxAddedBytes);
      if (auto valid = check_id(id.get<int64_t>(), content, "added_tokens"); !valid) return valid;
      add_rule(added_token_of(token, static_cast<TokenId>(id.get<int64_t>()), content));
    }
    for (const AddedToken& token : m_special.added) {
      if (token.content.empty()) continue;
      if (token.content.size() > kMaxAddedBytes) {
        return too_long("added tokens", token.content, kMaxAddedBytes);
      }
      if (auto valid = check_id(token.id, token.content, "added tokens"); !valid) return valid;
      add_rule(token);
    }
    return {};
  }

  /// If a token is given twice, the later one counts.
  void add_rule(const AddedToken& token) {
    AddedToken rule = token;
    rule.is_special = token.is_special || m_names.contains(token.content);
    const auto [place, is_new] = m_rule_of.emplace(rule.id, m_rules.size());
    if (is_new) {
      m_rules.push_back(std::move(rule));
    } else {
      m_rules[place->second] = std::move(rule);
    }
  }

  Result<void> finish_table() {
    WorkBudget budget(kAddedTokenLimits);
    for (const AddedToken& rule : m_rules) {
      add_to_table(rule, budget);
      if (budget.is_spent()) return budget.error("normalising its added tokens");
    }
    for (const std::string& name : m_special.names) {
      const auto id = m_tokens.find(name);
      if (!id) continue;
      TokenEntry& entry = m_parts.table.at_or_grow(*id);
      entry.is_special = true;
      entry.bytes = {};
    }
    m_parts.table.index_special();
    const auto find = [&](const std::optional<std::string>& name) -> std::optional<TokenId> {
      return name ? m_parts.table.special_token(*name) : std::nullopt;
    };
    m_parts.bos = find(m_special.bos ? m_special.bos : m_outer.first);
    m_parts.eos = find(m_special.eos);
    m_parts.appended = find(m_outer.last);
    m_parts.adds_bos = m_special.is_adds_bos_given ? m_special.adds_bos : m_outer.first.has_value();
    return {};
  }

  void add_to_table(const AddedToken& rule, WorkBudget& budget) {
    TokenEntry& entry = m_parts.table.at_or_grow(rule.id);
    // An ordinary token that is only listed keeps its bytes.
    const bool is_new = entry.piece != rule.content;
    if (is_new) entry.piece = entry.bytes = m_parts.table.texts().add(rule.content);
    if (rule.is_special) entry.bytes = {};
    entry.is_special = rule.is_special;
    entry.is_added = true;
    entry.strips_before = rule.strips_before;
    entry.strips_after = rule.strips_after;
    if (!rule.normalized || m_parts.normalizer.is_empty()) return m_parts.added.add(rule);
    AddedToken normalized = rule;
    normalized.content = m_parts.normalizer.apply(rule.content, true, budget);
    m_parts.normalized_added.add(normalized);
  }

  void finish_model() {
    BpeModel& bpe = m_parts.model;
    m_parts.pre_tokenizer = std::move(m_pre_tokenizer.steps);
    const bool prepends = m_parts.normalizer.prepends();
    m_parts.strips_leading_space =
        prepends || m_pre_tokenizer.prepends_space || m_decoder.begins_words_with_space();
    m_parts.restarts_after_special = prepends || m_pre_tokenizer.prepends_always;
    if (bpe.is_byte_level) return;
    if (m_kind == Kind::kBpe) bpe.words = std::move(m_tokens);  // Other models have their own.
    const auto mark = m_decoder.decode(kSpaceMark);
    const bool decodes_mark = mark && *mark == " ";
    m_parts.marks_spaces = decodes_mark && bpe.has_all_bytes();
    if (!decodes_mark || !bpe.words.find(kSpaceMark)) return;
    bpe.cuts = SpaceCuts{std::string(kSpaceMark)};
    std::vector<bool> is_merged(static_cast<size_t>(m_parts.table.size()));
    bpe.merges.for_each([&](Merge merge) { is_merged[static_cast<size_t>(merge.id)] = true; });
    for (TokenId id = 0; id < m_parts.table.size(); ++id) {
      if (is_merged[static_cast<size_t>(id)]) bpe.cuts.add_token(m_parts.table[id].piece);
    }
    bpe.cuts.finish();
  }

  enum class Kind { kBpe, kWordPiece, kUnigram };
  /// They may replace the text of any token, which an answer or a text may have many of.
  static constexpr size_t kMaxAddedBytes = AddedTokenMatcher::kMaxContentBytes;

  TokenizerJsonDocument m_document;
  size_t m_max_ids = 0;
  bool m_has_byte_fallback = false;
  Kind m_kind = Kind::kBpe;
  const SpecialTokens& m_special;
  BpeParts m_parts;
  PreTokenizerSpec m_pre_tokenizer;
  TokenDecoder m_decoder;
  OuterTokens m_outer;
  StringIndex m_tokens;  ///< By spelling.
  StringSet m_names;     ///< Of m_special.
  std::vector<AddedToken> m_rules;
  std::unordered_map<TokenId, size_t> m_rule_of;  ///< Places in m_rules.
};

Result<std::unique_ptr<Tokenizer>> build_tokenizer(Result<TokenizerJsonDocument> document,
                                                   const std::string& name,
                                                   const SpecialTokens& special) {
  if (!document) return tokenizer_error(name, document.error());
  auto tokenizer = TokenizerJsonBuilder(std::move(*document), special).build();
  if (!tokenizer) return tokenizer_error(name, tokenizer.error());
  return tokenizer;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> parse_tokenizer(std::string_view text, const std::string& name,
                                                   const SpecialTokens& special) {
  return build_tokenizer(parse_tokenizer_json(text), name, special);
}

Result<std::unique_ptr<Tokenizer>> load_tokenizer_json(const std::filesystem::path& path,
                                                       const SpecialTokens& special) {
  Result<std::string> text = read_file(path, kMaxTokenizerBytes);
  if (!text) return text.error();
  Result<TokenizerJsonDocument> document = parse_tokenizer_json(*text);
  text = std::string();  // Not needed beside what is built of it.
  return build_tokenizer(std::move(document), path.string(), special);
}

}  // namespace quire
