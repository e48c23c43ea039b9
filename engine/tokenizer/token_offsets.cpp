#include "engine/tokenizer/token_offsets.h"

#include <algorithm>
#include <string>

#include "engine/tokenizer/special_finder.h"

namespace quire {

namespace {

/// Follows the tokens through their text. Special tokens are found in the text as encode_runs finds
/// them, and each one corrects the position.
class TextWalk {
 public:
  TextWalk(const Tokenizer& tokenizer, std::span<const TextRun> runs) : m_tokenizer(tokenizer) {
    SpecialFinder finder(tokenizer.special_tokens());
    for (const TextRun& run : runs) {
      if (!run.is_plain) find_specials(run.text, finder);
      m_text += run.text;
    }
  }

  /// Goes past this token and returns the offset behind it.
  size_t pass(TokenId id) {
    const bool expected = m_next < m_specials.size() && m_specials[m_next].id == id;
    if (m_tokenizer.is_special(id)) {
      // An unknown character's token may count as special too, and stands nowhere in the text.
      if (expected) m_at = m_specials[m_next++].end;
      return m_at;
    }
    std::string_view bytes = m_tokenizer.token_bytes(id);
    const bool at_space = m_at < m_text.size() && m_text[m_at] == ' ';
    // The space that some vocabularies put before the first word.
    if (bytes.starts_with(' ') && !at_space) bytes.remove_prefix(1);
    const size_t limit = m_next < m_specials.size() ? m_specials[m_next].begin : m_text.size();
    m_at = std::max(m_at, std::min(limit, m_at + bytes.size()));
    return m_at;
  }

 private:
  struct Special {
    TokenId id = 0;
    size_t begin = 0;
    size_t end = 0;  ///< With the white space that the token strips.
  };

  void find_specials(std::string_view text, SpecialFinder& finder) {
    for (size_t from = 0; from < text.size();) {
      const SpecialFinder::Match match = finder.find(text, from);
      if (match.length == 0) return;
      from = match.begin + match.length;
      const TokenId id = *m_tokenizer.special_token(text.substr(match.begin, match.length));
      if (m_tokenizer.strips_space_after(id)) {
        from = std::min(text.size(), text.find_first_not_of(" \t\n\v\f\r", from));
      }
      m_specials.push_back({id, m_text.size() + match.begin, m_text.size() + from});
    }
  }

  const Tokenizer& m_tokenizer;
  std::string m_text;
  std::vector<Special> m_specials;
  size_t m_next = 0;  ///< Of m_specials.
  size_t m_at = 0;
};

}  // namespace

std::vector<size_t> tokens_at(const Tokenizer& tokenizer, std::span<const TextRun> runs,
                              std::span<const TokenId> ids, std::span<const size_t> offsets) {
  std::vector<size_t> tokens;
  if (offsets.empty()) return tokens;
  TextWalk walk(tokenizer, runs);
  for (size_t i = 0; i < ids.size() && tokens.size() < offsets.size(); ++i) {
    const size_t end = walk.pass(ids[i]);
    while (tokens.size() < offsets.size() && end > offsets[tokens.size()]) tokens.push_back(i);
  }
  tokens.resize(offsets.size(), ids.size());
  return tokens;
}

}  // namespace quire
