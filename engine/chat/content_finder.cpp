#include "engine/chat/content_finder.h"

#include <algorithm>

namespace quire {

namespace {

/// So many messages ahead a part of the words is looked for: a template seldom leaves out more, and
/// a short content ("I") is found in many a run that is not its own.
constexpr size_t kWindow = 4;
constexpr size_t kMaxMisses = 1000;
constexpr std::string_view kSpace = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace

std::vector<ContentFinder::Start> ContentFinder::find(std::string_view run) {
  std::vector<Start> found;
  size_t from = 0;
  Match match;
  while (from < run.size() && find_next(run.substr(from), match)) {
    found.push_back({match.start.message, from + match.start.offset});
    m_next = match.start.message + (match.whole ? 1 : 0);
    if (!match.whole) break;
    from += match.start.offset + match.length;
  }
  return found;
}

bool ContentFinder::find_next(std::string_view run, Match& match) {
  if (trimmed(run).empty() || m_misses > kMaxMisses) return false;
  const size_t count = m_messages.size();
  const size_t near = std::min(count, m_next + kWindow);
  const bool found = find_equal(run, m_next, near, match) || find_within(run, near, match) ||
                     find_equal(run, near, count, match);
  m_misses += found ? 0 : 1;
  return found;
}

bool ContentFinder::find_equal(std::string_view run, size_t first, size_t last,
                               Match& match) const {
  const std::string_view words = trimmed(run);
  for (size_t i = first; i < last; ++i) {
    if (m_messages[i].content.size() < words.size()) continue;
    if (trimmed(m_messages[i].content) != words) continue;
    match = {.start = {i, 0}, .length = run.size()};
    return true;
  }
  return false;
}

bool ContentFinder::find_within(std::string_view run, size_t last, Match& match) const {
  const std::string_view words = trimmed(run);
  for (size_t i = m_next; i < last; ++i) {
    const std::string_view content = trimmed(m_messages[i].content);
    if (content.empty()) continue;
    if (const size_t at = run.find(content); at != run.npos) {
      match = {.start = {i, at}, .length = content.size()};
      return true;
    }
    if (content.find(words) == content.npos) continue;
    match = {.start = {i, 0}, .length = run.size(), .whole = false};
    return true;
  }
  return false;
}

}  // namespace quire
