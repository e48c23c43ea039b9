#include "engine/io/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quire {
namespace {

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t load_big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

/// 6.2.2, step 1.
std::array<uint32_t, 64> message_schedule(const uint8_t* block) {
  std::array<uint32_t, 64> w;
  for (int i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  return w;
}

}  // namespace

/// 6.2.2, steps 2 to 4.
void Sha256::compress(const uint8_t* block) {
  const std::array<uint32_t, 64> w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = m_state;
  for (int i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> worked{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) m_state[i] += worked[i];
}

void Sha256::update(std::span<const std::byte> bytes) {
  m_total += bytes.size();
  while (!bytes.empty()) {
    const size_t count = std::min(bytes.size(), m_block.size() - m_used);
    std::memcpy(m_block.data() + m_used, bytes.data(), count);
    m_used += count;
    bytes = bytes.subspan(count);
    if (m_used == m_block.size()) {
      compress(m_block.data());
      m_used = 0;
    }
  }
}

void Sha256::update(std::string_view text) {
  update(std::as_bytes(std::span(text)));
}

void Sha256::update_u64(uint64_t value) {
  std::array<std::byte, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  update(bytes);
}

void Sha256::update_field(std::string_view text) {
  update_u64(text.size());
  update(text);
}

/// 5.1.1: a one bit, zeros, and the length in bits as 64 bits, big end first.
Sha256::Digest Sha256::finish() {
  const uint64_t bits = m_total * 8;
  const std::array<std::byte, 64> padding{std::byte{0x80}};
  update(std::span(padding).first(1 + (119 - m_used) % 64));
  std::array<std::byte, 8> length;
  for (int i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(length);

  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(m_state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string to_hex(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (uint8_t byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace quire
