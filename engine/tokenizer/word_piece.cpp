#include "engine/tokenizer/word_piece.h"

#include <algorithm>

#include "engine/io/text.h"

namespace quire {
namespace {

/// Of both tries: the first holds all tokens, the second those that continue a word.
constexpr size_t kMaxTrieBytes = size_t{8} << 20;

size_t count_characters(std::string_view word) {
  return static_cast<size_t>(
      std::ranges::count_if(word, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

/// The longest entry that the text begins with: its length and id; a length of 0 for none.
std::pair<size_t, TokenId> longest(const ByteTrie& trie, std::string_view text,
                                   WorkBudget& budget) {
  std::pair<size_t, TokenId> found = {0, 0};
  budget.spend(trie.for_each_prefix(text, [&](size_t length, TokenId id) {
    found = {length, id};
  }));
  return found;
}

}  // namespace

Result<std::unique_ptr<WordPiece>> WordPiece::create(Vocabulary vocabulary, const Spec& spec) {
  std::unique_ptr<WordPiece> model(new WordPiece(spec));
  for (const auto& [token, id] : vocabulary) {
    if (token.empty()) continue;
    model->m_starts.add(token, static_cast<TokenId>(id));
    const bool continues = token.starts_with(spec.prefix) && token.size() > spec.prefix.size();
    if (!continues) continue;
    model->m_continuations.add(token.substr(spec.prefix.size()), static_cast<TokenId>(id));
  }
  if (model->m_starts.is_full()) {
    return Error{ErrorCode::kCorruptFile, "its tokens are together longer than 6 MiB"};
  }
  if (model->m_starts.num_bytes() + model->m_continuations.num_bytes() > kMaxTrieBytes) {
    return Error{
        ErrorCode::kCorruptFile,
        "its tokens, and those that continue a word again, are together longer than 8 MiB"};
  }
  for (ByteTrie* const trie : {&model->m_starts, &model->m_continuations}) {
    if (const auto repeated = trie->finish()) {
      return Error{ErrorCode::kCorruptFile,
                   "model.vocab has \"" + for_message(*repeated) + "\" twice"};
    }
  }
  return model;
}

void WordPiece::append(std::string_view word, WorkBudget& budget, std::vector<TokenId>& ids) const {
  const size_t before = ids.size();
  if (count_characters(word) <= m_spec.max_characters && cut(word, budget, ids)) return;
  ids.resize(before);
  ids.push_back(m_spec.unknown);
}

bool WordPiece::cut(std::string_view word, WorkBudget& budget, std::vector<TokenId>& ids) const {
  const ByteTrie* trie = &m_starts;
  while (!word.empty()) {
    const auto [length, id] = longest(*trie, word, budget);
    if (length == 0 || budget.is_spent()) return false;
    ids.push_back(id);
    word.remove_prefix(length);
    trie = &m_continuations;
  }
  return true;
}

}  // namespace quire
