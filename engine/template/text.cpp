#include "engine/template/text.h"

#include <algorithm>

namespace quire::jinja {

namespace {

/// The first range that ends after `offset`.
auto first_after(const std::vector<ByteRange>& ranges, size_t offset) {
  return std::upper_bound(ranges.begin(), ranges.end(), offset,
                          [](size_t at, const ByteRange& range) { return at < range.end; });
}

}  // namespace

Text::Text(std::string bytes, std::vector<ByteRange> input, size_t* live_bytes)
    : m_bytes(std::move(bytes)), m_input(std::move(input)), m_live_bytes(live_bytes) {
  if (m_live_bytes) *m_live_bytes += m_bytes.size();
}

Text::~Text() {
  if (m_live_bytes) *m_live_bytes -= m_bytes.size();
}

bool Text::is_input_at(size_t offset) const {
  auto range = first_after(m_input, offset);
  return range != m_input.end() && range->begin <= offset;
}

void append_range(std::vector<ByteRange>& ranges, ByteRange range) {
  if (range.begin >= range.end) return;
  if (!ranges.empty() && ranges.back().end == range.begin) {
    ranges.back().end = range.end;
  } else {
    ranges.push_back(range);
  }
}

void append_clipped(std::vector<ByteRange>& out, const std::vector<ByteRange>& ranges, size_t begin,
                    size_t end, size_t shift) {
  for (auto range = first_after(ranges, begin); range != ranges.end() && range->begin < end;
       ++range) {
    const size_t from = std::max<size_t>(range->begin, begin) - begin + shift;
    const size_t to = std::min<size_t>(range->end, end) - begin + shift;
    append_range(out, {static_cast<uint32_t>(from), static_cast<uint32_t>(to)});
  }
}

}  // namespace quire::jinja
