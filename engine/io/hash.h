#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quire {

/// SHA-256 (FIPS 180-4) of a stream of bytes: for fingerprints and block keys.
/// Thread: one at a time.
class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  /// Eight bytes, least significant first, whatever the machine's own order.
  void update_u64(uint64_t value);
  /// The length, then the bytes: fields written so never run into each other.
  void update_field(std::string_view text);

  /// Ends the stream; the object must not be used afterwards.
  Digest finish();

 private:
  void compress(const uint8_t* block);

  std::array<uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> m_block{};  ///< The last, incomplete block.
  size_t m_used = 0;                  ///< Bytes in it.
  uint64_t m_total = 0;               ///< Bytes so far.
};

/// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::span<const uint8_t> bytes);

}  // namespace quire
