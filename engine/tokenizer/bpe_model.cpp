#include "engine/tokenizer/bpe_model.h"

#include <algorithm>

#include "engine/tokenizer/string_index.h"
#include "engine/tokenizer/unicode_text.h"
#include "engine/tokenizer/utf8.h"

namespace quire {

void SpaceCuts::add_token(std::string_view token) {
  if (m_mark.empty()) return;
  for (size_t at = token.find(m_mark, 1); at != token.npos; at = token.find(m_mark, at + 1)) {
    const std::string_view before = token.substr(0, at);
    if (!before.ends_with(m_mark)) m_bound.push_back(last_character(before));
  }
}

void SpaceCuts::finish() {
  std::sort(m_bound.begin(), m_bound.end());
  m_bound.erase(std::unique(m_bound.begin(), m_bound.end()), m_bound.end());
}

bool SpaceCuts::is_bound(char32_t character) const {
  return std::binary_search(m_bound.begin(), m_bound.end(), character);
}

size_t SpaceCuts::first_piece(std::string_view text) const {
  if (m_mark.empty()) return text.size();
  for (size_t at = text.find(m_mark, 1); at != text.npos; at = text.find(m_mark, at + 1)) {
    const std::string_view before = text.substr(0, at);
    if (before.ends_with(m_mark)) continue;
    if (m_bound.empty() || !is_bound(last_character(before))) return at;
  }
  return text.size();
}

std::optional<std::span<const TokenId>> WordCache::find(std::string_view word) const {
  const auto place = m_words.find(word);
  if (!place) return std::nullopt;
  const size_t* const bounds = &m_ends[static_cast<size_t>(*place)];
  return std::span<const TokenId>(m_ids).subspan(bounds[0], bounds[1] - bounds[0]);
}

void WordCache::insert(std::string_view word, std::span<const TokenId> ids) {
  if (word.size() > kMaxWordBytes || m_words.size() == kMaxWords) return;
  m_words.insert(word, static_cast<TokenId>(m_words.size()));
  m_ids.insert(m_ids.end(), ids.begin(), ids.end());
  m_ends.push_back(m_ids.size());
}

bool BpeModel::has_all_bytes() const {
  return std::all_of(byte_ids.begin(), byte_ids.end(), [](TokenId id) { return id >= 0; });
}

bool BpeModel::has_bytes(std::string_view bytes) const {
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](char byte) { return byte_ids[static_cast<uint8_t>(byte)] >= 0; });
}

void BpeModel::append_bytes(std::string_view bytes, std::vector<TokenId>& ids) const {
  for (const char byte : bytes) {
    const TokenId id = byte_ids[static_cast<uint8_t>(byte)];
    if (id >= 0) {
      ids.push_back(id);
    } else if (unknown) {
      ids.push_back(*unknown);
    }
  }
}

void BpeCall::append(std::string_view word, std::vector<TokenId>& ids) {
  if (word.empty()) return;
  if (m_model.ignores_merges) {
    if (const auto id = m_model.words.find(word)) return ids.push_back(*id);
    return append_piece(word, ids);
  }
  while (!word.empty()) {
    const size_t length = m_model.cuts.first_piece(word);
    append_piece(word.substr(0, length), ids);
    word.remove_prefix(length);
  }
}

void BpeCall::append_piece(std::string_view piece, std::vector<TokenId>& ids) {
  if (const auto known = m_cache.find(piece)) {
    ids.insert(ids.end(), known->begin(), known->end());
    return;
  }
  split_into_symbols(piece);
  m_model.merges.apply(m_symbols, m_scratch);
  if (!m_model.loose_characters.empty()) replace_loose();
  m_cache.insert(piece, m_symbols);
  ids.insert(ids.end(), m_symbols.begin(), m_symbols.end());
}

void BpeCall::split_into_symbols(std::string_view piece) {
  m_symbols.clear();
  if (m_model.is_byte_level) return m_model.append_bytes(piece, m_symbols);
  for (size_t i = 0; i < piece.size();) {
    const size_t length = next_utf8(piece.substr(i)).length;
    const std::string_view character = piece.substr(i, length);
    i += length;
    if (const auto id = m_model.words.find(character)) {
      m_symbols.push_back(*id);
    } else {
      add_character(character, m_symbols);
    }
  }
}

void BpeCall::add_character(std::string_view character, std::vector<TokenId>& symbols) const {
  if (m_model.has_bytes(character)) return m_model.append_bytes(character, symbols);
  if (!m_model.unknown) return;
  const bool continues = !symbols.empty() && symbols.back() == *m_model.unknown;
  if (!(m_model.fuses_unknown && continues)) symbols.push_back(*m_model.unknown);
}

void BpeCall::replace_loose() {
  m_replaced.clear();
  for (const TokenId symbol : m_symbols) {
    if (symbol < m_model.first_loose) {
      m_replaced.push_back(symbol);
    } else {
      const auto loose = static_cast<size_t>(symbol - m_model.first_loose);
      add_character(m_model.loose_characters[loose], m_replaced);
    }
  }
  m_symbols.swap(m_replaced);
}

}  // namespace quire
