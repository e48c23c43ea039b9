#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "app/server/http/http_message.h"
#include "app/server/http/response_head.h"

namespace quire {

/// The bytes of a connection's responses that have not been sent yet.
/// Thread: one.
class OutputBuffer {
 public:
  /// Begins a response; its body follows here unless the request was a HEAD.
  /// Parts that are added later are framed in the same way.
  void add_response(HttpResponse response, const HttpFields& more_fields, ResponseFraming framing,
                    bool is_head);
  void add_part(std::string part);
  /// What ends the body of a response in chunks.
  void add_end();
  /// "100 Continue"
  void add_continue();

  bool is_empty() const { return m_pieces.empty(); }
  /// The next bytes to be sent, in at most kMaxPieces pieces.
  std::vector<std::string_view> next() const;
  /// So many bytes of them were sent. Returns the cost of the parts that have been sent whole since
  /// the last call.
  size_t remove(size_t bytes);
  /// What a part is counted as, with what it takes in memory beside its text.
  static size_t cost_of(size_t part_bytes) { return part_bytes + 128; }
  /// Of the latest response's body.
  uint64_t sent_body_bytes() const { return m_sent_body_bytes; }

  static constexpr size_t kMaxPieces = 16;

 private:
  struct Piece {
    std::string bytes;
    size_t body_bytes = 0;  ///< Of the body, among them.
    size_t cost = 0;        ///< Of a part.
  };
  void add_body(std::string bytes, bool is_part);

  std::deque<Piece> m_pieces;
  size_t m_sent_of_first = 0;
  bool m_is_chunked = false;
  bool m_has_body = true;
  uint64_t m_sent_body_bytes = 0;
};

}  // namespace quire
