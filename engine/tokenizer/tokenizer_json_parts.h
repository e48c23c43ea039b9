#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/pre_tokenizer.h"
#include "engine/tokenizer/text_normalizer.h"
#include "engine/tokenizer/text_store.h"
#include "kernels/base/result.h"
#include "kernels/base/work_budget.h"

namespace quire {

/// Pairs of texts in one block of memory: as two std::string each would take 64 bytes or more.
class MergeTexts {
 public:
  /// All texts together have up to 4 GiB.
  void add(std::string_view left, std::string_view right) {
    for (const std::string_view text : {left, right}) {
      m_text += text;
      m_ends.push_back(static_cast<uint32_t>(m_text.size()));
    }
  }
  size_t size() const { return m_ends.size() / 2; }
  bool empty() const { return m_ends.empty(); }
  size_t num_bytes() const { return m_text.size(); }
  std::pair<std::string_view, std::string_view> operator[](size_t index) const {
    return {text_at(2 * index), text_at(2 * index + 1)};
  }

 private:
  std::string_view text_at(size_t place) const {
    const uint32_t begin = place > 0 ? m_ends[place - 1] : 0;
    return std::string_view(m_text).substr(begin, m_ends[place] - begin);
  }

  std::string m_text;
  std::vector<uint32_t> m_ends;
};

/// A parsed tokenizer.json. The vocabulary and the merges, which are large, are lists of their own:
/// as JSON values they would take ten times the file's size.
struct TokenizerJsonDocument {
  nlohmann::json rest;  ///< All but model.vocab and (if an array) model.merges.
  TextStore texts;      ///< Of `vocab` and `pieces`.
  std::vector<std::pair<std::string_view, int64_t>> vocab;
  MergeTexts merges;                                        ///< Of "a b" or ["a", "b"].
  std::vector<std::pair<std::string_view, double>> pieces;  ///< model.vocab of ["a", -1.5].
};

/// Errors: kCorruptFile, a sentence without the file's name: no JSON, nested too deeply, an id that
/// is no integer, a merge that is not of two tokens, a piece without a score.
Result<TokenizerJsonDocument> parse_tokenizer_json(std::string_view text);

/// The parts of a tokenizer.json that say how text is treated. All readers take the value of their
/// key, null for none. Errors: kUnsupported for a kind that Quire does not know, kCorruptFile for
/// one that lacks what it needs; sentences that name the kind, without the file's name.

/// Supported: Sequence, NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Replace, Prepend,
/// BertNormalizer, Precompiled.
/// `budget` counts the time for compiling patterns, here and in read_pre_tokenizer().
Result<TextNormalizer> read_normalizer(const nlohmann::json& value, WorkBudget& budget);

struct PreTokenizerSpec {
  PreTokenizer steps;
  bool is_byte_level = false;
  bool maps_bytes = false;       ///< Its words are spelt in GPT-2's characters.
  bool prepends_space = false;   ///< To a text that does not begin with one.
  bool prepends_always = false;  ///< Not only at the start of a sequence.
};

/// Supported: Sequence, Split, ByteLevel, Digits, Whitespace, WhitespaceSplit, Punctuation,
/// Metaspace, CharDelimiterSplit, BertPreTokenizer.
Result<PreTokenizerSpec> read_pre_tokenizer(const nlohmann::json& value, WorkBudget& budget);

/// What turns tokens into text, as far as it concerns a single token.
struct DecoderSpec {
  bool is_byte_level = false;
  bool has_byte_fallback = false;
  std::vector<std::pair<std::string, std::string>> replacements{};
  std::string word_prefix{};  ///< Of tokens that continue a word; others begin with a space.
};

/// Supported: Sequence, ByteLevel, Replace (of a string), ByteFallback, Fuse, Strip, Metaspace,
/// WordPiece (without its changes around punctuation).
Result<DecoderSpec> read_decoder(const nlohmann::json& value);

/// The tokens that a post-processor puts around a single text.
struct OuterTokens {
  std::optional<std::string> first;
  std::optional<std::string> last;
};
/// Supported: Sequence, ByteLevel, TemplateProcessing, RobertaProcessing, BertProcessing.
Result<OuterTokens> read_outer_tokens(const nlohmann::json& value);

}  // namespace quire
