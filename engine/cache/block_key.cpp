#include "engine/cache/block_key.h"

#include "engine/io/hash.h"
#include "kernels/backend.h"

namespace quire {

// The two kinds of input are told apart by their first byte, so that no scope can pass for a block.
BlockKey root_key(std::string_view scope) {
  Sha256 hash;
  const char tag = 'R';
  hash.update(std::as_bytes(std::span(&tag, 1)));
  hash.update(std::as_bytes(std::span(scope)));
  return {hash.finish()};
}

BlockKey child_key(const BlockKey& parent, std::span<const int32_t> tokens) {
  CHECK(tokens.size() == kBlockSize);
  Sha256 hash;
  const char tag = 'B';
  hash.update(std::as_bytes(std::span(&tag, 1)));
  hash.update(std::as_bytes(std::span(parent.digest)));
  hash.update(std::as_bytes(tokens));
  return {hash.finish()};
}

}  // namespace quire
