#include "engine/tokenizer/utf8.h"

#include <cstdint>

namespace quire {
namespace {

/// The length of a character and the range of its second byte; length 0 for no lead byte.
struct LeadByte {
  size_t length = 0;
  uint8_t second_low = 0x80;
  uint8_t second_high = 0xBF;
};

LeadByte classify(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  if (byte < 0xF4) return {4};
  return {};
}

}  // namespace

Utf8Unit next_utf8(std::string_view text) {
  const LeadByte lead = classify(static_cast<uint8_t>(text[0]));
  if (lead.length == 0) return {Utf8Status::kInvalid, 1};
  for (size_t i = 1; i < lead.length; ++i) {
    if (i == text.size()) return {Utf8Status::kCut, i};
    const auto byte = static_cast<uint8_t>(text[i]);
    const uint8_t low = i == 1 ? lead.second_low : 0x80;
    const uint8_t high = i == 1 ? lead.second_high : 0xBF;
    if (byte < low || byte > high) return {Utf8Status::kInvalid, i};
  }
  return {Utf8Status::kWhole, lead.length};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Unit unit = next_utf8(text);
    if (unit.status != Utf8Status::kWhole) return false;
    text.remove_prefix(unit.length);
  }
  return true;
}

void Utf8Stream::append(std::string_view bytes, std::string& out) {
  std::string joined;
  if (!m_held.empty()) {
    joined = m_held.append(bytes);
    bytes = joined;
    m_held.clear();
  }
  while (!bytes.empty()) {
    const Utf8Unit unit = next_utf8(bytes);
    if (unit.status == Utf8Status::kCut) {
      m_held = bytes;
      return;
    }
    out += unit.status == Utf8Status::kWhole ? bytes.substr(0, unit.length) : kReplacementCharacter;
    bytes.remove_prefix(unit.length);
  }
}

void Utf8Stream::finish(std::string& out) {
  if (!m_held.empty()) out += kReplacementCharacter;
  m_held.clear();
}

}  // namespace quire
