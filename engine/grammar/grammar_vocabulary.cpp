#include "engine/grammar/grammar_vocabulary.h"

#include <algorithm>
#include <utility>

#include "engine/grammar/json_strings.h"

namespace quire {
namespace {

/// Of masks by number of characters. Longer tokens are few (indentation, rows of dashes).
constexpr uint32_t kMaskedCharacters = 16;
/// Of all texts together, each byte of which takes 12 in the trie. The largest real vocabularies
/// have 3 MB. Tokens beyond it are in no constrained answer.
constexpr size_t kMaxBytes = size_t{1} << 23;

}  // namespace

GrammarVocabulary::GrammarVocabulary(const Tokenizer& tokenizer, int vocab_size,
                                     std::vector<TokenId> end_tokens)
    : m_vocab_size(vocab_size), m_end_tokens(std::move(end_tokens)) {
  std::erase_if(m_end_tokens, [&](TokenId id) { return id < 0 || id >= vocab_size; });
  std::ranges::sort(m_end_tokens);
  TokenMask all = empty_mask(vocab_size);
  for (TokenId id = 0; id < vocab_size; ++id) {
    if (!is_end_token(id)) add_token(all, id);
  }
  m_all_but_end_tokens = std::make_shared<const TokenMask>(std::move(all));
  read_tokens(tokenizer);
  build_trie();
  walk_strings();
  build_string_masks();
}

void GrammarVocabulary::read_tokens(const Tokenizer& tokenizer) {
  m_texts.resize(static_cast<size_t>(m_vocab_size), Text{0, 0});
  const int count = std::min(m_vocab_size, tokenizer.vocab_size());
  for (TokenId id = 0; id < count; ++id) {
    const std::string_view bytes = tokenizer.token_bytes(id);
    if (bytes.empty() || bytes.size() > kMaxTokenBytes || is_end_token(id)) continue;
    if (tokenizer.is_special(id) || m_bytes.size() + bytes.size() > kMaxBytes) continue;
    m_texts[static_cast<size_t>(id)] = {static_cast<uint32_t>(m_bytes.size()),
                                        static_cast<uint32_t>(bytes.size())};
    m_bytes += bytes;
    m_tokens.push_back(id);
  }
}

/// Each of the sorted tokens has a node for each byte that it does not share with the one before; a
/// sentinel follows the last.
size_t GrammarVocabulary::count_nodes() const {
  size_t count = 1;
  std::string_view last;
  for (const TokenId id : m_tokens) {
    const std::string_view text = bytes_of(id);
    const auto shared = std::ranges::mismatch(text, last).in1 - text.begin();
    count += text.size() - static_cast<size_t>(shared);
    last = text;
  }
  return count;
}

void GrammarVocabulary::build_trie() {
  std::ranges::sort(m_tokens, [this](TokenId a, TokenId b) {
    const std::string_view x = bytes_of(a);
    const std::string_view y = bytes_of(b);
    return x != y ? x < y : a < b;
  });
  m_nodes.reserve(count_nodes());
  std::vector<uint32_t> path;  // The nodes of the last token.
  std::string_view last;
  const auto close = [&](size_t depth) {
    for (; path.size() > depth; path.pop_back()) {
      m_nodes[path.back()].end = static_cast<uint32_t>(m_nodes.size());
    }
  };
  for (size_t i = 0; i < m_tokens.size(); ++i) {
    const std::string_view text = bytes_of(m_tokens[i]);
    const auto common = static_cast<size_t>(std::ranges::mismatch(text, last).in1 - text.begin());
    close(common);
    for (size_t at = common; at < text.size(); ++at) {
      path.push_back(static_cast<uint32_t>(m_nodes.size()));
      // Nodes before the token's last one have no tokens of their own here: these came earlier.
      m_nodes.push_back({.end = 0,
                         .first_token = static_cast<uint32_t>(i),
                         .byte = static_cast<uint8_t>(text[at])});
    }
    last = text;
  }
  close(0);
  m_nodes.push_back({.end = 0, .first_token = static_cast<uint32_t>(m_tokens.size()), .byte = 0});
}

/// Walks the whole trie from inside a string.
void GrammarVocabulary::walk_strings() {
  struct Level {
    uint32_t end;
    StringState state;
    uint32_t num_characters;
    bool has_escape;
  };
  std::vector<Level> levels = {{num_nodes(), StringState::kBody, 0, false}};
  std::string text;
  for (uint32_t i = 0; i < num_nodes();) {
    while (i >= levels.back().end) levels.pop_back();
    text.resize(levels.size() - 1);
    Level level = levels.back();
    const uint8_t byte = m_nodes[i].byte;
    const StringState from = level.state;
    level.state = string_step(from, byte);
    level.end = m_nodes[i].end;
    if (level.state == StringState::kClosed) {
      m_string_ends.push_back({.node = i,
                               .num_characters = level.num_characters,
                               .has_escape = level.has_escape,
                               .text = static_cast<uint32_t>(m_string_text.size()),
                               .num_bytes = static_cast<uint32_t>(text.size())});
      m_string_text += text;
    }
    if (level.state == StringState::kClosed || level.state == StringState::kDead) {
      i = m_nodes[i].end;
      continue;
    }
    level.num_characters += from == StringState::kBody ? 1 : 0;
    level.has_escape = level.has_escape || level.state == StringState::kEscape;
    for (const TokenId id : tokens_of(i)) {
      m_string_tokens.push_back({id, level.num_characters, level.has_escape});
    }
    levels.push_back(level);
    text += static_cast<char>(byte);
    ++i;
  }
}

void GrammarVocabulary::build_string_masks() {
  std::ranges::stable_sort(m_string_tokens, {}, &StringToken::num_characters);
  for (const bool with_escapes : {false, true}) {
    std::vector<TokenMask>& masks = m_string_masks[with_escapes ? 1 : 0];
    TokenMask mask = empty_mask(m_vocab_size);
    auto next = m_string_tokens.begin();
    for (uint32_t most = 0; most <= kMaskedCharacters + 1; ++most) {
      const uint32_t limit = most > kMaskedCharacters ? kAnyNumber : most;
      for (; next != m_string_tokens.end() && next->num_characters <= limit; ++next) {
        if (with_escapes || !next->has_escape) add_token(mask, next->id);
      }
      masks.push_back(mask);
    }
  }
}

void GrammarVocabulary::add_string_tokens(TokenMask& mask, uint32_t max_characters,
                                          bool allows_escapes) const {
  const std::vector<TokenMask>& masks = m_string_masks[allows_escapes ? 1 : 0];
  const uint32_t longest = m_string_tokens.empty() ? 0 : m_string_tokens.back().num_characters;
  if (max_characters >= longest) return add_tokens(mask, masks.back());
  if (max_characters <= kMaskedCharacters) return add_tokens(mask, masks[max_characters]);
  add_tokens(mask, masks[kMaskedCharacters]);
  for (auto it = m_string_tokens.rbegin();
       it != m_string_tokens.rend() && it->num_characters > kMaskedCharacters; ++it) {
    if (it->num_characters > max_characters || (it->has_escape && !allows_escapes)) continue;
    add_token(mask, it->id);
  }
}

std::string_view GrammarVocabulary::bytes_of(TokenId id) const {
  if (id < 0 || id >= m_vocab_size) return {};
  const Text& text = m_texts[static_cast<size_t>(id)];
  return std::string_view(m_bytes).substr(text.begin, text.size);
}

bool GrammarVocabulary::is_end_token(TokenId id) const {
  return std::ranges::binary_search(m_end_tokens, id);
}

}  // namespace quire
