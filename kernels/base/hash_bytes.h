#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace quire {

/// Random numbers, drawn once for each process: a file cannot be made so that its tokens have equal
/// hashes, which would make loading it take the square of their number.
struct HashSeed {
  uint64_t first;
  uint64_t second;  ///< Odd.
  static HashSeed draw();
};
inline const HashSeed kHashSeed = HashSeed::draw();

/// Both halves of the product, folded.
inline uint64_t multiply_and_fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// A quick hash, sixteen bytes at a time, as wyhash does it (github.com/wangyi-fudan/wyhash). With
/// xxhash's XXH3 in its place vocabularies encode 6 % slower (bench_tokenizer).
inline uint64_t hash_bytes(std::string_view bytes) {
  const auto load = [](const char* data, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, data, size);
    return word;
  };
  uint64_t hash = kHashSeed.second + bytes.size();
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left > 16; left -= 16, data += 16) {
    hash = multiply_and_fold(load(data, 8) ^ kHashSeed.first, load(data + 8, 8) ^ hash);
  }
  uint64_t low = 0, high = 0;
  if (left >= 8) {
    low = load(data, 8);
    high = load(data + left - 8, 8);  // May repeat bytes; the length is part of the hash.
  } else if (left >= 4) {
    low = load(data, 4) << 32 | load(data + left - 4, 4);
  } else if (left > 0) {
    const auto byte = [&](size_t i) { return uint64_t{static_cast<uint8_t>(data[i])}; };
    low = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
  }
  hash = multiply_and_fold(low ^ kHashSeed.first, high ^ hash);
  return multiply_and_fold(hash ^ kHashSeed.first, kHashSeed.second);
}

/// For containers of the standard library.
struct BytesHash {
  using is_transparent = void;
  size_t operator()(std::string_view bytes) const { return hash_bytes(bytes); }
};
using StringSet = std::unordered_set<std::string, BytesHash, std::equal_to<>>;

}  // namespace quire
