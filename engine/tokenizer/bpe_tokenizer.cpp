#include "engine/tokenizer/bpe_tokenizer.h"

#include <cstring>

#include "engine/tokenizer/byte_level.h"
#include "engine/tokenizer/token_table.h"
#include "engine/tokenizer/utf8.h"

namespace quire {
namespace {

/// How many bytes of well-formed UTF-8 `text` begins with.
size_t well_formed_bytes(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    uint64_t word = 0;
    if (i + sizeof(word) <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof(word));
      if ((word & 0x8080808080808080) == 0) {
        i += sizeof(word);
        continue;
      }
    }
    const Utf8Unit unit = next_utf8(text.substr(i));
    if (unit.status != Utf8Status::kWhole) return i;
    i += unit.length;
  }
  return i;
}

/// One call of encode.
class BpeEncoding {
 public:
  BpeEncoding(const BpeParts& parts, WorkBudget& budget)
      : m_parts(parts), m_budget(budget), m_words(parts.pre_tokenizer), m_model(parts.model) {}

  std::vector<TokenId> run(std::string_view text, bool at_start) {
    m_ids.reserve(text.size() / 3 + 8);
    std::string prefixed;
    if (at_start && takes_prefix(text)) text = prefixed.append(m_parts.prefix).append(text);
    TextPlace place{at_start, at_start};
    while (!text.empty()) {
      const size_t length = well_formed_bytes(text);
      add_well_formed(text.substr(0, length), place);
      text.remove_prefix(length);
      if (text.empty()) break;
      const size_t invalid = next_utf8(text).length;
      add_ill_formed(text.substr(0, invalid));
      text.remove_prefix(invalid);
      place = {};
    }
    return std::move(m_ids);
  }

 private:
  /// A text that begins with byte tokens gets no prefix, because decoding would not remove it.
  bool takes_prefix(std::string_view text) const {
    if (m_parts.prefix.empty() || text.empty() || text.starts_with(kSpaceMark)) return false;
    return next_utf8(text).status == Utf8Status::kWhole;
  }

  /// Some vocabularies lack tokens for bytes that valid text never has, such as 0xFF. These bytes
  /// are encoded as U+FFFD.
  void add_ill_formed(std::string_view bytes) {
    const bool has_tokens = m_parts.model.has_bytes(bytes);
    m_parts.model.append_bytes(has_tokens ? bytes : kReplacementCharacter, m_ids);
  }

  /// U+2581 in a text would become a space; where possible it is encoded as byte tokens instead.
  void add_well_formed(std::string_view text, TextPlace place) {
    while (m_parts.marks_spaces) {
      const size_t found = text.find(kSpaceMark);
      if (found == text.npos) break;
      add_text(text.substr(0, found), place);
      m_parts.model.append_bytes(kSpaceMark, m_ids);
      text.remove_prefix(found + kSpaceMark.size());
      place = {};
    }
    add_text(text, place);
  }

  void add_text(std::string_view text, TextPlace place) {
    split_at_added(m_parts.added, text, place, [this](std::string_view part, TextPlace here) {
      if (m_parts.normalizer.is_empty()) return add_normalized(part, here);
      add_normalized(m_parts.normalizer.apply(part, here.takes_prefix, m_budget), here);
    });
  }

  void add_normalized(std::string_view text, TextPlace place) {
    split_at_added(m_parts.normalized_added, text, place,
                   [this](std::string_view part, TextPlace here) { add_words(part, here); });
  }

  /// Calls `add(part, place)` for the text between the added tokens. The text after a token is
  /// encoded like the start of a text.
  template <typename Add>
  void split_at_added(const AddedTokenMatcher& matcher, std::string_view text, TextPlace place,
                      Add add) {
    size_t used = 0;
    while (!matcher.is_empty()) {
      const auto match = matcher.find(text, used, used, m_budget);
      if (!match) break;
      if (match->begin > used) add(text.substr(used, match->begin - used), place);
      m_ids.push_back(match->id);
      place = {.is_first = false, .takes_prefix = true};
      used = match->end;
    }
    if (used < text.size()) add(text.substr(used), place);
  }

  void add_words(std::string_view text, TextPlace place) {
    if (m_parts.unigram) return m_parts.unigram->append(text, m_budget, m_ids);
    if (m_parts.pre_tokenizer.is_empty()) return add_word(text);
    m_words.run(text, place, m_budget);
    const std::string_view all = m_words.text();
    for (const auto& word : m_words.words()) {
      const std::string_view piece = all.substr(word.begin, word.end - word.begin);
      if (m_parts.maps_bytes) {
        m_model.append(from_byte_level(piece).value_or(std::string()), m_ids);
      } else {
        add_word(piece);
      }
    }
  }

  void add_word(std::string_view word) {
    if (!m_parts.word_model) return m_model.append(word, m_ids);
    if (!word.empty()) m_parts.word_model->append(word, m_budget, m_ids);
  }

  const BpeParts& m_parts;
  WorkBudget& m_budget;
  PreTokenizerRun m_words;
  BpeCall m_model;
  std::vector<TokenId> m_ids;
};

class BpeTokenizer : public Tokenizer {
 public:
  explicit BpeTokenizer(BpeParts parts) : m_parts(std::move(parts)) {
    for (const std::string& content : m_parts.table.special_tokens()) {
      if (is_special(*m_parts.table.special_token(content))) m_contents.push_back(content);
    }
  }

  int vocab_size() const override { return m_parts.table.size(); }
  std::vector<TokenId> encode(std::string_view text) const override {
    WorkBudget budget = WorkBudget::for_text(text.size());
    return encode_within(budget, text, true);
  }
  std::vector<TokenId> encode_continuation(std::string_view text) const override {
    WorkBudget budget = WorkBudget::for_text(text.size());
    return encode_within(budget, text, false);
  }
  std::vector<TokenId> encode_within(WorkBudget& budget, std::string_view text,
                                     bool at_start) const override {
    return BpeEncoding(m_parts, budget).run(text, at_start);
  }
  bool strips_leading_space() const override { return m_parts.strips_leading_space; }
  bool restarts_after_special() const override { return m_parts.restarts_after_special; }
  bool strips_space_before(TokenId id) const override { return m_parts.table[id].strips_before; }
  bool strips_space_after(TokenId id) const override { return m_parts.table[id].strips_after; }
  std::optional<TokenId> special_token(std::string_view content) const override {
    return m_parts.table.special_token(content);
  }
  const std::vector<std::string>& special_tokens() const override { return m_contents; }
  bool is_special(TokenId id) const override { return m_parts.table[id].is_special; }
  std::string_view token_bytes(TokenId id) const override { return m_parts.table[id].bytes; }
  std::string_view token_piece(TokenId id) const override { return m_parts.table[id].piece; }
  std::optional<TokenId> bos_token() const override { return m_parts.bos; }
  std::optional<TokenId> eos_token() const override { return m_parts.eos; }
  bool adds_bos() const override { return m_parts.adds_bos && m_parts.bos; }
  std::optional<TokenId> appended_token() const override { return m_parts.appended; }

 private:
  BpeParts m_parts;
  /// The special tokens only; encode() finds the other added tokens in any text.
  std::vector<std::string> m_contents;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_bpe_tokenizer(BpeParts parts) {
  for (AddedTokenMatcher* const matcher : {&parts.added, &parts.normalized_added}) {
    if (auto finished = matcher->finish(); !finished) return finished.error();
  }
  return std::unique_ptr<Tokenizer>(std::make_unique<BpeTokenizer>(std::move(parts)));
}

}  // namespace quire
