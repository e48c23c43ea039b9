#pragma once

#include <array>
#include <cstdint>

namespace quire {

/// Philox 4x32-10, a counter-based generator: every (key, counter) has its own random block, so a
/// number depends on a request's seed and the token's position and on nothing that happened before
/// (Salmon et al., 2011, doi:10.1145/2063384.2063405).
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t even = uint64_t{0xD2511F53} * counter[0];
    const uint64_t odd = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Uniform in [0, 1) with 53 bits, for the token at `position` of the request with that seed.
inline double uniform_at(uint64_t seed, uint64_t position) {
  const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
  const auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32); };
  const std::array<uint32_t, 4> block =
      philox4x32({low(position), high(position), 0, 0}, {low(seed), high(seed)});
  const uint64_t bits = (uint64_t{block[1]} << 32 | block[0]) >> 11;
  return static_cast<double>(bits) * 0x1.0p-53;
}

}  // namespace quire
