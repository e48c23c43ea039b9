#include "engine/template/find.h"

namespace quire::jinja {

namespace {

/// Up to here the library's search is fast whatever the text.
constexpr size_t kShortNeedle = 16;
constexpr size_t kBytesPerStep = 64;

}  // namespace

Finder::Finder(Runtime& runtime, std::string_view needle) : m_runtime(runtime), m_needle(needle) {
  if (needle.size() <= kShortNeedle || !runtime.charge(needle.size() / kBytesPerStep)) return;
  m_border.resize(needle.size());
  for (uint32_t i = 1, length = 0; i < needle.size(); ++i) {
    while (length > 0 && needle[i] != needle[length]) length = m_border[length - 1];
    if (needle[i] == needle[length]) ++length;
    m_border[i] = length;
  }
}

size_t Finder::find(std::string_view text, size_t from) const {
  if (from > text.size() || m_runtime.failed()) return text.npos;
  if (m_border.empty()) {
    const size_t found = text.find(m_needle, from);
    m_runtime.charge((std::min(found, text.size()) - from) / kBytesPerStep);
    return found;
  }
  size_t matched = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (i % 1024 == 0 && !m_runtime.charge(1024 / kBytesPerStep)) break;
    while (matched > 0 && text[i] != m_needle[matched]) matched = m_border[matched - 1];
    if (text[i] == m_needle[matched]) ++matched;
    if (matched == m_needle.size()) return i + 1 - matched;
  }
  return text.npos;
}

size_t Finder::find_last(std::string_view text, size_t end) const {
  text = text.substr(0, end);
  if (m_border.empty()) {
    const size_t found = text.rfind(m_needle);
    m_runtime.charge((text.size() - (found == text.npos ? 0 : found)) / kBytesPerStep);
    return found;
  }
  size_t last = text.npos;
  for (size_t at = find(text, 0); at != text.npos; at = find(text, at + 1)) last = at;
  return last;
}

}  // namespace quire::jinja
