#include "app/server/http/line_reader.h"

#include <algorithm>

namespace quire {

size_t LineReader::feed(std::string_view bytes, size_t max_bytes) {
  const size_t end = std::min(bytes.find('\n'), bytes.size() - 1);
  const size_t used = std::min(end + 1, max_bytes - std::min(max_bytes, m_line.size()));
  const size_t from = m_line.size() - (m_line.ends_with('\r') ? 1 : 0);
  m_line += bytes.substr(0, used);
  const size_t carriage_return = m_line.find('\r', from);
  const bool has_return = carriage_return != m_line.npos;
  if (m_line.ends_with('\n')) {
    const bool ends_well = has_return && carriage_return + 2 == m_line.size();
    m_state = ends_well ? State::kComplete : State::kBroken;
  } else if (has_return && carriage_return + 1 < m_line.size()) {
    m_state = State::kBroken;
  } else if (used <= end) {
    m_state = State::kTooLong;
  }
  return used;
}

std::string_view LineReader::line() const {
  return std::string_view(m_line).substr(0, m_line.size() - std::min<size_t>(m_line.size(), 2));
}

void LineReader::clear() {
  m_line.clear();
  m_state = State::kIncomplete;
}

}  // namespace quire
