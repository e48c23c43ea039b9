#include "tests/app/store/prefix/sample_blocks.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace quire::samples {

std::vector<StoredBlock> chain(std::string_view name, int numBlocks, size_t payloadBytes) {
  std::vector<StoredBlock> blocks(static_cast<size_t>(numBlocks));
  BlockKey parent = root_key(name);
  for (StoredBlock& block : blocks) {
    uint64_t seed;
    std::memcpy(&seed, parent.digest.data(), sizeof seed);
    std::mt19937_64 random(seed);
    for (int32_t& token : block.tokens) token = static_cast<int32_t>(random() % 50'000);
    block.parent = parent;
    block.key = child_key(parent, block.tokens);
    block.payload.resize(payloadBytes);
    for (size_t at = 0; at < payloadBytes; at += sizeof seed) {
      const uint64_t next = random();
      std::memcpy(&block.payload[at], &next, std::min(sizeof next, payloadBytes - at));
    }
    parent = block.key;
  }
  return blocks;
}

std::vector<BlockKey> keysOf(const std::vector<StoredBlock>& blocks) {
  std::vector<BlockKey> keys;
  for (const StoredBlock& block : blocks) keys.push_back(block.key);
  return keys;
}

int leadingEqual(const std::vector<StoredBlock>& chain, const std::vector<StoredBlock>& found) {
  if (found.size() > chain.size()) return -1;
  for (size_t i = 0; i < found.size(); ++i) {
    const bool equal = found[i].key == chain[i].key && found[i].parent == chain[i].parent &&
                       found[i].tokens == chain[i].tokens && found[i].payload == chain[i].payload;
    if (!equal) return -1;
  }
  return static_cast<int>(found.size());
}

}  // namespace quire::samples
