#include "kernels/base/hash_bytes.h"

#include <random>

namespace quire {

HashSeed HashSeed::draw() {
  std::random_device random;
  const auto number = [&] { return (uint64_t{random()} << 32) ^ random(); };
  return {number(), number() | 1};
}

}  // namespace quire
