#include "engine/tokenizer/tokenizer_loader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/io/text.h"
#include "engine/tokenizer/bpe_pairs.h"
#include "engine/tokenizer/bpe_tokenizer.h"
#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/gguf_pre_tokenizers.h"
#include "engine/tokenizer/merge_batch.h"
#include "engine/tokenizer/score_bpe.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/utf8.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

std::string key(std::string_view name) {
  return "tokenizer.ggml." + std::string(name);
}

Error corrupt_gguf(std::string what) {
  return {ErrorCode::kCorruptFile, std::move(what)};
}

/// The token that a key names. Published files have ids beyond the vocabulary for tokens that they
/// do not use; these count as absent.
std::optional<TokenId> token_of(const GgufFile& file, std::string_view name, size_t num_tokens) {
  const auto id = file.integer(key(name));
  if (!id || *id < 0 || static_cast<uint64_t>(*id) >= num_tokens) return std::nullopt;
  return static_cast<TokenId>(*id);
}

class GgufTokenizerBuilder {
 public:
  explicit GgufTokenizerBuilder(const GgufFile& file) : m_file(file) {}

  Result<std::unique_ptr<Tokenizer>> build() {
    if (!m_file.has(key("model"))) {
      return make_error(ErrorCode::kUnsupported,
                        "%1 is absent, so that it has no tokenizer; choose another conversion",
                        {key("model")});
    }
    const std::string_view model = m_file.string(key("model")).value_or("");
    if (model != "llama" && model != "gpt2" && model != "gemma4") {
      return Error{ErrorCode::kUnsupported,
                   key("model") + " is \"" + for_message(model) +
                       "\"; the supported kinds are llama, gpt2 and gemma4"};
    }
    if (auto read = read_tokens(); !read) return read.error();
    auto done = model == "llama" ? build_by_scores() : build_by_merges(model);
    if (!done) return done.error();
    finish();
    return make_bpe_tokenizer(std::move(m_parts));
  }

 private:
  Result<void> read_tokens() {
    const uint64_t num_tokens = num_entries("tokens");
    if (num_tokens == 0 || num_tokens > kMaxVocabularyTokens) {
      return corrupt_gguf(key("tokens") + " is empty, not there or has over 524288 entries");
    }
    m_tokens = m_file.strings(key("tokens"));
    if (m_tokens.empty()) return corrupt_gguf(key("tokens") + " is not a list of texts");
    if (auto checked = check_tokens(); !checked) return checked;
    if (auto checked = check_count("token_type"); !checked) return checked;
    const std::vector<int64_t> types = m_file.integers(key("token_type"));
    for (size_t id = 0; id < m_tokens.size(); ++id) {
      // 0 and unknown numbers count as "normal".
      const bool is_known = id < types.size() && types[id] >= 1 && types[id] <= 6;
      m_types.push_back(is_known ? static_cast<PieceType>(types[id]) : PieceType::kNormal);
    }
    const auto num_special = std::ranges::count_if(m_types, is_special_type);
    if (auto checked = check_num_special(static_cast<size_t>(num_special)); !checked)
      return checked;
    // Without types, and in some files with them, only these are known to be special. Files have
    // been published whose BOS is an ordinary token that the model never uses as such.
    for (const char* name : {"bos_token_id", "eos_token_id"}) {
      const auto id = token_of(m_file, name, m_tokens.size());
      if (id && type(*id) == PieceType::kNormal && looks_special(*id)) {
        m_types[static_cast<size_t>(*id)] = PieceType::kControl;
      }
    }
    m_parts.table.at_or_grow(static_cast<TokenId>(m_tokens.size()) - 1);
    return {};
  }

  /// The length of an array, to be checked before reading it.
  uint64_t num_entries(std::string_view name) const { return m_file.array_size(key(name)); }

  /// An array that goes with the tokens is empty or as long as they are.
  Result<void> check_count(std::string_view name) const {
    const uint64_t count = num_entries(name);
    if (count == 0 || count == m_tokens.size()) return {};
    return corrupt_gguf(key(name) + " has " + std::to_string(count) + " entries for " +
                        std::to_string(m_tokens.size()) + " tokens");
  }

  Result<void> check_tokens() const {
    size_t total = 0;
    for (size_t id = 0; id < m_tokens.size(); ++id) {
      total += m_tokens[id].size();
      if (m_tokens[id].size() <= kMaxTokenBytes && total <= kMaxVocabularyBytes) continue;
      return corrupt_gguf(key("tokens") + " entry " + std::to_string(id) + " has " +
                          with_separators(m_tokens[id].size()) + " bytes, and all up to it " +
                          with_separators(total) + "; a token has up to " +
                          with_separators(kMaxTokenBytes) + ", a vocabulary up to " +
                          with_separators(kMaxVocabularyBytes));
    }
    return {};
  }

  bool looks_special(TokenId id) const {
    const std::string_view token = m_tokens[static_cast<size_t>(id)];
    return token.size() > 2 && ((token.front() == '<' && token.back() == '>') ||
                                (token.front() == '[' && token.back() == ']'));
  }

  PieceType type(TokenId id) const { return m_types[static_cast<size_t>(id)]; }

  /// `llama`: SentencePiece's BPE.
  Result<void> build_by_scores() {
    if (auto checked = check_count("scores"); !checked) return checked;
    const std::vector<double> scores = m_file.numbers(key("scores"));
    std::vector<ScoredPiece> pieces(m_tokens.size());
    for (size_t id = 0; id < pieces.size(); ++id) {
      const double score = scores.empty() ? 0.0 : scores[id];
      // An F64 score may not fit a float; make_score_bpe() refuses NaN.
      const bool is_float = std::abs(score) <= double{std::numeric_limits<float>::max()};
      pieces[id] = {m_tokens[id], m_types[id], is_float ? static_cast<float>(score) : NAN};
    }
    auto model = make_score_bpe(pieces);
    if (!model) return corrupt_gguf(key("tokens") + ": " + model.error().message);
    m_parts.model = std::move(*model);
    if (!m_parts.model.unknown) {
      m_parts.model.unknown = token_of(m_file, "unknown_token_id", m_tokens.size());
    }
    for (TokenId id = 0; id < m_parts.table.size(); ++id) fill(id, Spelling::kSpaceMarks);
    if (m_file.boolean(key("add_space_prefix")).value_or(true)) m_parts.prefix = " ";
    m_parts.adds_bos = true;
    return {};
  }

  /// `gpt2` and `gemma4`: merges by rank.
  Result<void> build_by_merges(std::string_view model) {
    const std::string_view named = m_file.string(key("pre")).value_or("default");
    const std::string_view pre = model == "gemma4" ? model : named;
    const GgufPreTokenizer* kind = find_gguf_pre_tokenizer(pre);
    if (kind == nullptr) return unknown_pre(pre);
    for (const std::string_view pattern : kind->patterns) {
      Result<Regex> regex = Regex::compile_trusted(pattern);
      if (!regex) return Error{ErrorCode::kInternal, regex.error().message};
      m_parts.pre_tokenizer.add(PreTokenizer::Split{std::move(*regex)});
    }
    m_parts.model.is_byte_level = kind->is_byte_level;
    m_parts.model.ignores_merges = kind->ignores_merges;
    m_parts.adds_bos = kind->adds_bos;
    const bool by_id = kind->merges_by_id && !m_file.has(key("merges"));
    // A byte-level model looks up words only if they come before the merges.
    const bool has_words = !kind->is_byte_level || kind->ignores_merges || by_id;
    if (auto filled = fill_words(has_words); !filled) return filled;
    if (!kind->is_byte_level) use_space_marks();
    return by_id ? merge_by_id() : read_merges();
  }

  static Error unknown_pre(std::string_view pre) {
    std::string names;
    for (const std::string_view name : gguf_pre_tokenizer_names()) {
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return {ErrorCode::kUnsupported, key("pre") + " is \"" + for_message(pre) +
                                         "\", which is not supported; these are: " + names};
  }

  enum class Spelling { kByteLevel, kSpaceMarks };

  void fill(TokenId id, Spelling spelling) {
    const std::string_view token = m_tokens[static_cast<size_t>(id)];
    TextStore& texts = m_parts.table.texts();
    TokenEntry& entry = m_parts.table.at_or_grow(id);
    entry.piece = texts.add(token);
    entry.is_special = type(id) == PieceType::kControl || type(id) == PieceType::kUnknown;
    entry.is_added = type(id) == PieceType::kUserDefined;
    if (entry.is_special) return;
    entry.bytes = entry.piece;
    const auto byte = type(id) == PieceType::kByte ? byte_token_value(token) : std::nullopt;
    if (byte) {
      entry.bytes = texts.add({&*byte, 1});
    } else if (spelling == Spelling::kSpaceMarks) {
      entry.bytes = unescaped(entry.piece, texts);
    } else if (!entry.is_added) {
      const auto bytes = from_byte_level(token);
      if (bytes && *bytes != token) entry.bytes = texts.add(*bytes);
    }
  }

  Result<void> fill_words(bool has_words) {
    BpeModel& bpe = m_parts.model;
    m_spellings.reserve(m_tokens.size());
    if (has_words) bpe.words.reserve(m_tokens.size());
    for (TokenId id = 0; id < m_parts.table.size(); ++id) {
      fill(id, bpe.is_byte_level ? Spelling::kByteLevel : Spelling::kSpaceMarks);
      const std::string_view token = m_tokens[static_cast<size_t>(id)];
      if (!token.empty() && !m_spellings.insert(token, id)) {
        return corrupt_gguf(key("tokens") + " has \"" + for_message(token) +
                            "\" twice, the second as " + std::to_string(id));
      }
      if (type(id) == PieceType::kUnknown) bpe.unknown = id;
      const TokenEntry& entry = m_parts.table[id];
      if (type(id) == PieceType::kByte && entry.bytes.size() == 1) {
        bpe.byte_ids[static_cast<uint8_t>(entry.bytes[0])] = id;
        continue;
      }
      if (entry.is_special || entry.is_added || entry.bytes.empty()) continue;
      if (has_words) bpe.words.insert(bpe.is_byte_level ? entry.bytes : token, id);
      if (bpe.is_byte_level && entry.bytes.size() == 1) {
        bpe.byte_ids[static_cast<uint8_t>(entry.bytes[0])] = id;
      }
    }
    return {};
  }

  void use_space_marks() {
    Result<Regex> space = Regex::compile_literal(" ");
    if (!space) return;
    m_parts.normalizer.add(
        TextNormalizer::Replace{std::move(*space), " ", std::string(kSpaceMark)});
    m_parts.marks_spaces = m_parts.model.has_all_bytes();
    m_parts.model.fuses_unknown = true;
    if (!m_parts.model.words.find(kSpaceMark)) return;
    m_parts.model.cuts = SpaceCuts{std::string(kSpaceMark)};
    for (const std::string_view token : m_tokens) {
      if (is_valid_utf8(token)) m_parts.model.cuts.add_token(token);
    }
    m_parts.model.cuts.finish();
  }

  Result<void> read_merges() {
    if (num_entries("merges") > kMaxVocabularyMerges) {
      return corrupt_gguf(key("merges") + " has over " + with_separators(kMaxVocabularyMerges) +
                          " entries");
    }
    const std::vector<std::string_view> merges = m_file.strings(key("merges"));
    if (merges.empty()) return corrupt_gguf(key("merges") + " is empty or not there");
    m_parts.model.merges.reserve(merges.size());
    MergeBatch batch(m_spellings, m_parts.model.merges);
    Result<void> fault;
    std::optional<MergeBatch::Missing> missing;
    size_t num_bytes = 0;
    for (size_t rank = 0; rank < merges.size() && fault && !missing; ++rank) {
      const std::string_view merge = merges[rank];
      const size_t space = merge.find(' ', 1);
      num_bytes += merge.size();
      if (num_bytes > kMaxMergeBytes) {
        fault = corrupt_gguf(key("merges") + " is of over " + with_separators(kMaxMergeBytes) +
                             " bytes");
      } else if (space == merge.npos) {
        fault = bad_merge(rank, merge);
      } else {
        missing = batch.add(merge.substr(0, space), merge.substr(space + 1));
      }
    }
    if (!missing) missing = batch.finish();
    return missing ? bad_merge(missing->rank, merges[missing->rank]) : fault;
  }

  static Error bad_merge(size_t rank, std::string_view merge) {
    return corrupt_gguf(key("merges") + " entry " + std::to_string(rank) + " (\"" +
                        for_message(merge) + "\") is not of two tokens that form a token");
  }

  Result<void> merge_by_id() {
    BpePairs pairs(m_parts.model.words, BpePairs::Cuts::kBetweenBytes);
    BpeMerges& merges = m_parts.model.merges;
    for (TokenId id = 0; id < m_parts.table.size(); ++id) {
      const TokenEntry& entry = m_parts.table[id];
      if (entry.is_special || entry.is_added || entry.bytes.size() > 1024) continue;
      for (const auto& [left, right] : pairs.of(entry.bytes)) {
        merges.add(left, right, {static_cast<uint32_t>(id), id});
      }
      if (pairs.budget().is_spent()) return pairs.budget().error("looking for its merges");
      if (merges.size() > 2 * kMaxVocabularyMerges)
        return corrupt_gguf(key("tokens") + " merge in too many ways");
    }
    return {};
  }

  void finish() {
    for (TokenId id = 0; id < m_parts.table.size(); ++id) {
      const TokenEntry& entry = m_parts.table[id];
      if (!entry.is_special && !entry.is_added) continue;
      m_parts.added.add({.id = id,
                         .content = std::string(entry.is_special ? entry.piece : entry.bytes),
                         .is_special = entry.is_special});
    }
    set_stripping();
    m_parts.table.index_special();
    m_parts.strips_leading_space = m_parts.restarts_after_special = !m_parts.prefix.empty();
    m_parts.bos = token_of(m_file, "bos_token_id", m_tokens.size());
    if (m_parts.bos && type(*m_parts.bos) == PieceType::kNormal) m_parts.bos.reset();
    m_parts.eos = token_of(m_file, "eos_token_id", m_tokens.size());
    m_parts.adds_bos = m_file.boolean(key("add_bos_token")).value_or(m_parts.adds_bos);
    if (m_file.boolean(key("add_eos_token")).value_or(false)) m_parts.appended = m_parts.eos;
    // Gemma 4 was published with a false `add_bos_token` (llama.cpp, pull request 21500).
    if (m_file.string(key("model")) == "gemma4") m_parts.adds_bos = true;
  }

  /// Phi-3's special tokens strip the white space after them, which the format cannot say.
  void set_stripping() {
    std::string name(m_file.string("general.name").value_or(""));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.find("phi-3") == name.npos && name.find("phi3") == name.npos) return;
    for (TokenId id = 0; id < m_parts.table.size(); ++id) {
      TokenEntry& entry = m_parts.table.at_or_grow(id);
      const bool is_plain =
          entry.piece == "<unk>" || entry.piece == "<s>" || entry.piece == "<|endoftext|>";
      entry.strips_after = (entry.is_special || entry.is_added) && !is_plain;
    }
  }

  const GgufFile& m_file;
  std::vector<std::string_view> m_tokens;
  std::vector<PieceType> m_types;
  StringIndex m_spellings;
  BpeParts m_parts;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_gguf_tokenizer(const GgufFile& file) {
  auto tokenizer = GgufTokenizerBuilder(file).build();
  if (tokenizer) return tokenizer;
  return tokenizer_error("in " + file.path().string(), tokenizer.error());
}

std::vector<TokenId> gguf_end_tokens(const GgufFile& file) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
       "<|eom_id|>", "<EOT>", "<|end_of_sentence|>",
       "<\xEF\xBD\x9C"
       "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",
       "<|return|>", "<|call|>", "<|END_OF_TURN_TOKEN|>", "<turn|>", "_<EOT>"});
  const std::vector<std::string_view> tokens = file.strings(key("tokens"));
  const std::vector<int64_t> types = file.integers(key("token_type"));
  std::vector<TokenId> ends;
  for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    if (const auto id = token_of(file, name, tokens.size())) ends.push_back(*id);
  }
  for (size_t id = 0; id < std::min(tokens.size(), kMaxVocabularyTokens); ++id) {
    const bool is_control = id < types.size() && (types[id] == 3 || types[id] == 4);
    if (!is_control || std::find(kNames.begin(), kNames.end(), tokens[id]) == kNames.end())
      continue;
    ends.push_back(static_cast<TokenId>(id));
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace quire
