#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace quire {

/// Names the content of a full block: a SHA-256 over the parent block's key and the block's tokens,
/// so that it stands for everything from the start of the sequence.
struct BlockKey {
  std::array<uint8_t, 32> digest{};
  bool operator==(const BlockKey&) const = default;
};

/// Any 8 bytes of a SHA-256 are a good table hash.
struct BlockKeyHash {
  size_t operator()(const BlockKey& key) const {
    size_t hash;
    std::memcpy(&hash, key.digest.data(), sizeof hash);
    return hash;
  }
};

/// The parent of every first block: `scope` is everything besides tokens that changes keys and
/// values (model fingerprint, KV dtype, position scheme).
BlockKey root_key(std::string_view scope);

/// The key of the block with these kBlockSize tokens after `parent`.
BlockKey child_key(const BlockKey& parent, std::span<const int32_t> tokens);

}  // namespace quire
