#include "engine/tokenizer/proto_reader.h"

namespace quire {

std::optional<ProtoField> ProtoReader::next() {
  if (m_rest.empty() || m_corrupt) return std::nullopt;
  const std::string_view begin = m_rest;
  ProtoField field;
  const std::optional<uint64_t> tag = read_varint();
  if (!tag || (*tag >> 3) == 0 || (*tag >> 3) > 0x1FFFFFFF) {
    m_corrupt = true;
    return std::nullopt;
  }
  field.number = static_cast<uint32_t>(*tag >> 3);
  field.wire_type = static_cast<uint32_t>(*tag & 7);
  if (!read_content(field)) {
    m_corrupt = true;
    return std::nullopt;
  }
  field.raw = begin.substr(0, begin.size() - m_rest.size());
  return field;
}

bool ProtoReader::read_content(ProtoField& field) {
  if (field.wire_type == 0) {
    const std::optional<uint64_t> value = read_varint();
    field.value = value.value_or(0);
    return value.has_value();
  }
  if (field.wire_type == 1) return take(8).has_value();
  if (field.wire_type == 5) return take(4).has_value();
  if (field.wire_type != 2) return false;  // Groups are not used by the format.
  const std::optional<uint64_t> length = read_varint();
  if (!length) return false;
  const std::optional<std::string_view> content = take(*length);
  field.bytes = content.value_or(std::string_view());
  return content.has_value();
}

std::optional<uint64_t> ProtoReader::read_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(m_rest.front());
    m_rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> ProtoReader::take(uint64_t count) {
  if (count > m_rest.size()) return std::nullopt;
  const std::string_view taken = m_rest.substr(0, count);
  m_rest.remove_prefix(count);
  return taken;
}

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void append_bytes_field(std::string& out, uint32_t number, std::string_view content) {
  append_varint(out, (static_cast<uint64_t>(number) << 3) | 2);
  append_varint(out, content.size());
  out += content;
}

}  // namespace quire
