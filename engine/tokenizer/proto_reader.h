#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quire {

/// One field of a message in protocol buffers' wire format.
struct ProtoField {
  uint32_t number = 0;
  uint32_t wire_type = 0;  ///< 0 varint, 1 and 5 fixed, 2 length-delimited.
  uint64_t value = 0;      ///< Of a varint.
  std::string_view bytes;  ///< Of a length-delimited field: its content.
  std::string_view raw;    ///< The whole field, tag included.
};

/// Walks the fields of a message; bounds are checked, nothing is allocated.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : m_rest(message) {}

  /// The next field; nothing at the end, or where the message breaks (then is_corrupt()).
  std::optional<ProtoField> next();
  bool is_corrupt() const { return m_corrupt; }

 private:
  std::optional<uint64_t> read_varint();
  std::optional<std::string_view> take(uint64_t count);
  bool read_content(ProtoField& field);

  std::string_view m_rest;
  bool m_corrupt = false;
};

void append_varint(std::string& out, uint64_t value);
/// A length-delimited field.
void append_bytes_field(std::string& out, uint32_t number, std::string_view content);

}  // namespace quire
