#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/io/hash.h"
#include "kernels/backend.h"

namespace quire {

/// Names the content of a full block: a SHA-256 over the parent block's key and the block's tokens,
/// so that it stands for everything from the start of the sequence.
struct BlockKey {
  std::array<uint8_t, 32> digest{};
  bool operator==(const BlockKey&) const = default;
};

/// The first 8 bytes of the SHA-256.
struct BlockKeyHash {
  size_t operator()(const BlockKey& key) const {
    size_t hash;
    std::memcpy(&hash, key.digest.data(), sizeof hash);
    return hash;
  }
};

/// The parent key of every first block. `scope`: everything besides tokens that changes keys and
/// values (model fingerprint, KV dtype, position scheme).
inline BlockKey root_key(std::string_view scope) {
  Sha256 hash;
  hash.update("R");  // Another first byte than child_key(): no scope has the key of a block.
  hash.update(scope);
  return {hash.finish()};
}

/// Names the recurrent states after the block of that key, in a store.
inline BlockKey state_key(const BlockKey& block) {
  Sha256 hash;
  hash.update("S");
  hash.update(std::as_bytes(std::span(block.digest)));
  return {hash.finish()};
}

/// Names the window part of the block of that key, in a store.
inline BlockKey window_key(const BlockKey& block) {
  Sha256 hash;
  hash.update("W");
  hash.update(std::as_bytes(std::span(block.digest)));
  return {hash.finish()};
}

/// The key of the block with these kBlockSize tokens after `parent`.
inline BlockKey child_key(const BlockKey& parent, std::span<const int32_t> tokens) {
  CHECK(tokens.size() == kBlockSize);
  Sha256 hash;
  hash.update("B");
  hash.update(std::as_bytes(std::span(parent.digest)));
  hash.update(std::as_bytes(tokens));
  return {hash.finish()};
}

}  // namespace quire
