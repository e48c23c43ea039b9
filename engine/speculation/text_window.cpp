#include "engine/speculation/text_window.h"

#include <algorithm>
#include <bit>

namespace quire {

void TextWindow::add(int64_t chat, std::span<const TokenId> tokens) {
  tokens = tokens.last(std::min<size_t>(tokens.size(), m_most_tokens - 1));
  if (std::ssize(tokens) <= kLeastMatch) return;
  make_room(static_cast<uint32_t>(tokens.size()) + 1);
  const uint32_t begin = m_end;
  for (const TokenId token : tokens) append(token);
  append(kNone);
  m_texts.push_back({.chat = chat, .begin = begin, .end = m_end});
}

void TextWindow::forget(int64_t chat) {
  for (Text& text : m_texts) {
    if (text.chat != chat) continue;
    for (uint32_t at = text.begin; at != text.end; ++at) {
      m_tokens[at & (m_tokens.size() - 1)] = kNone;
    }
    text.chat = 0;
  }
}

TextWindow::Match TextWindow::find_end(std::span<const TokenId> text) const {
  Match best;
  if (std::ssize(text) < kLeastMatch || m_texts.empty()) return best;
  uint32_t at = m_latest[slot_of(text[text.size() - 2], text.back())];
  for (int looks = 0; holds(at) && looks < kMaxLooks; ++looks) {
    const int length = match_length(at, text);
    if (length > best.length) best = {length, at + 1};
    const uint32_t previous = m_previous[at & (m_previous.size() - 1)];
    if (age(previous) <= age(at)) break;  // Overwritten: its chain ends here.
    at = previous;
  }
  return best.length >= kLeastMatch ? best : Match{};
}

std::vector<TokenId> TextWindow::following(const Match& match, int count) const {
  std::vector<TokenId> found;
  for (uint32_t at = match.next; match.length > 0 && holds(at) && std::ssize(found) < count; ++at) {
    if (token(at) == kNone) break;
    found.push_back(token(at));
  }
  return found;
}

size_t TextWindow::bytes() const {
  return m_tokens.size() * sizeof(TokenId) + m_previous.size() * sizeof(uint32_t) +
         m_latest.size() * sizeof(uint32_t) + m_texts.size() * sizeof(Text);
}

void TextWindow::make_room(uint32_t num_tokens) {
  while (size() + num_tokens > m_most_tokens) {
    m_begin = m_texts.front().end;
    m_texts.pop_front();
  }
  if (size() + num_tokens > m_tokens.size()) resize(std::bit_ceil(size() + num_tokens));
}

/// Moves the texts to a larger ring. Its size doubles, so that the time per token stays constant.
void TextWindow::resize(uint32_t capacity) {
  constexpr uint32_t kLeastCapacity = 1024;
  capacity = std::min(std::max(capacity, kLeastCapacity), m_most_tokens);
  std::vector<TokenId> tokens(capacity, kNone);
  for (uint32_t at = m_begin; at != m_end; ++at) tokens[at & (capacity - 1)] = token(at);
  m_tokens = std::move(tokens);
  const uint32_t none = m_begin - 1;  // Older than the window, now and later.
  m_previous.assign(capacity, none);
  m_latest.assign(size_t{2} * capacity, none);
  const uint32_t end = m_end;
  for (m_end = m_begin; m_end != end;) {
    ++m_end;
    chain(m_end - 1);
  }
}

void TextWindow::append(TokenId token) {
  m_tokens[m_end & (m_tokens.size() - 1)] = token;
  ++m_end;
  chain(m_end - 1);
}

/// Adds the pair of tokens that ends at `last`, the last position, to its chain, unless the pair
/// spans two texts. The position in `m_latest` may be older than the window, which find_end()
/// checks.
void TextWindow::chain(uint32_t last) {
  uint32_t& previous = m_previous[last & (m_previous.size() - 1)];
  previous = last;
  if (last == m_begin || token(last) == kNone || token(last - 1) == kNone) return;
  uint32_t& latest = m_latest[slot_of(token(last - 1), token(last))];
  previous = latest;
  latest = last;
}

uint32_t TextWindow::slot_of(TokenId first, TokenId second) const {
  const uint64_t pair =
      uint64_t{static_cast<uint32_t>(first)} << 32 | static_cast<uint32_t>(second);
  return static_cast<uint32_t>((pair * 0x9E3779B97F4A7C15u) >> 32) &
         static_cast<uint32_t>(m_latest.size() - 1);
}

/// The number of tokens up to and including `at` that equal the last ones of `text`.
int TextWindow::match_length(uint32_t at, std::span<const TokenId> text) const {
  int length = 0;
  while (length < kMaxMatch && static_cast<size_t>(length) < text.size() &&
         holds(at - static_cast<uint32_t>(length)) &&
         token(at - static_cast<uint32_t>(length)) ==
             text[text.size() - 1 - static_cast<size_t>(length)]) {
    ++length;
  }
  return length;
}

}  // namespace quire
