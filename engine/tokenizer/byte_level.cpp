#include "engine/tokenizer/byte_level.h"

#include <array>
#include <cstdint>

namespace quire {
namespace {

struct ByteMap {
  std::array<uint16_t, 256> character{};
  std::array<int16_t, 0x144> byte{};

  constexpr ByteMap() {
    byte.fill(-1);
    uint16_t next = 0x100;
    for (uint16_t b = 0; b < 256; ++b) {
      const bool is_itself =
          (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
      character[b] = is_itself ? b : next++;
      byte[character[b]] = static_cast<int16_t>(b);
    }
  }
};

constexpr ByteMap kByteMap;

}  // namespace

std::string to_byte_level(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 3 / 2);
  for (const char byte : bytes) {
    const uint16_t character = kByteMap.character[static_cast<uint8_t>(byte)];
    if (character < 0x80) {
      out += static_cast<char>(character);
    } else {
      out += static_cast<char>(0xC0 | (character >> 6));
      out += static_cast<char>(0x80 | (character & 0x3F));
    }
  }
  return out;
}

std::optional<std::string> from_byte_level(std::string_view token) {
  std::string bytes;
  bytes.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    const auto lead = static_cast<uint8_t>(token[i]);
    unsigned character = lead;
    if (lead >= 0x80) {
      if ((lead & 0xE0) != 0xC0 || i + 1 == token.size()) return std::nullopt;
      character = ((lead & 0x1Fu) << 6) | (static_cast<uint8_t>(token[++i]) & 0x3Fu);
    }
    if (character >= kByteMap.byte.size() || kByteMap.byte[character] < 0) return std::nullopt;
    bytes += static_cast<char>(kByteMap.byte[character]);
  }
  return bytes;
}

std::optional<char> byte_token_value(std::string_view token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  const size_t high = kDigits.find(token[3]);
  const size_t low = kDigits.find(token[4]);
  if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

}  // namespace quire
