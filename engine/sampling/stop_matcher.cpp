#include "engine/sampling/stop_matcher.h"

namespace quire {

StopMatcher::StopMatcher(std::span<const std::string> stops) {
  for (const std::string& stop : stops) {
    if (!stop.empty()) m_stops.push_back(stop);
  }
}

StopMatcher::Beginning StopMatcher::beginning_at(size_t begin) const {
  const std::string_view rest = std::string_view(m_held).substr(begin);
  Beginning found;
  for (const std::string& stop : m_stops) {
    if (rest.starts_with(stop)) {
      if (!found.stop || found.stop->size() < stop.size()) found.stop = &stop;
    } else if (stop.starts_with(rest)) {
      found.may_become_stop = true;
    }
  }
  return found;
}

std::string StopMatcher::take(size_t count) {
  std::string text = m_held.substr(0, count);
  m_held.erase(0, count);
  return text;
}

std::string StopMatcher::push(std::string_view piece) {
  if (m_matched) return {};
  m_held += piece;
  size_t begin = 0;
  for (; begin < m_held.size(); ++begin) {
    const Beginning here = beginning_at(begin);
    if (here.may_become_stop) break;
    if (here.stop) return finish();
  }
  return take(begin);
}

std::string StopMatcher::finish() {
  if (m_matched) return {};
  size_t begin = 0;
  for (; begin < m_held.size(); ++begin) {
    const Beginning here = beginning_at(begin);
    if (!here.stop) continue;
    m_matched = true;
    m_stop = *here.stop;
    break;
  }
  std::string text = take(begin);
  m_held.clear();
  return text;
}

}  // namespace quire
