#include "app/server/http/output_buffer.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

namespace quire {

void OutputBuffer::add_response(HttpResponse response, const HttpFields& more_fields,
                                ResponseFraming framing, bool is_head) {
  m_sent_body_bytes = 0;
  m_is_chunked = framing.is_chunked;
  m_has_body = !is_head && !has_no_body(response.status);
  if (has_no_body(response.status)) framing.length.reset();
  m_pieces.push_back({.bytes = response_head(response, more_fields, framing, std::time(nullptr))});
  add_body(std::move(response.body), false);
}

void OutputBuffer::add_body(std::string bytes, bool is_part) {
  if (bytes.empty()) return;
  const size_t size = bytes.size();
  Piece piece{.cost = is_part ? cost_of(size) : 0};
  if (m_has_body) {
    piece.body_bytes = size;
    if (m_is_chunked) {
      char head[24];
      std::snprintf(head, sizeof head, "%zx\r\n", size);
      bytes.insert(0, head);
      bytes += "\r\n";
    }
    piece.bytes = std::move(bytes);
  }
  m_pieces.push_back(std::move(piece));
}

void OutputBuffer::add_part(std::string part) {
  add_body(std::move(part), true);
}

void OutputBuffer::add_end() {
  if (m_is_chunked && m_has_body) m_pieces.push_back({.bytes = "0\r\n\r\n"});
}

void OutputBuffer::add_continue() {
  m_pieces.push_back({.bytes = "HTTP/1.1 100 Continue\r\n\r\n"});
}

std::vector<std::string_view> OutputBuffer::next() const {
  std::vector<std::string_view> next;
  for (size_t i = 0; i < std::min(m_pieces.size(), kMaxPieces); ++i) {
    next.emplace_back(m_pieces[i].bytes);
  }
  next[0].remove_prefix(m_sent_of_first);
  return next;
}

size_t OutputBuffer::remove(size_t bytes) {
  m_sent_of_first += bytes;
  size_t cost = 0;
  while (!m_pieces.empty() && m_sent_of_first >= m_pieces.front().bytes.size()) {
    const Piece& first = m_pieces.front();
    m_sent_of_first -= first.bytes.size();
    m_sent_body_bytes += first.body_bytes;
    cost += first.cost;
    m_pieces.pop_front();
  }
  return cost;
}

}  // namespace quire
