// Writes a GGUF file of random weights for measuring: 1.1 billion parameters in the shape of a
// Llama.
//
// make_random_model FORMAT PATH    FORMAT as llama-quantize names it: Q4_0, Q8_0, Q4_K_M, F16, ...
//
// Prints what is read of it to decode one token, in bytes. The file is not written again if it is
// there: it is the same each time.

#include <cstdio>
#include <filesystem>

#include "tests/bench/random_gguf.h"

using namespace quire::bench;

int main(int argc, char** argv) {
  const auto mix = argc == 3 ? weight_mix(argv[1]) : std::nullopt;
  if (!mix) {
    std::fprintf(stderr, "usage: make_random_model Q4_0|Q8_0|Q4_K_M|Q5_K_M|Q6_K|F16|BF16 PATH\n");
    return 2;
  }
  const std::filesystem::path path = argv[2];
  if (!std::filesystem::exists(path)) {
    // Under another name until it is whole, so that one that was interrupted is not taken for it.
    const std::filesystem::path unfinished = path.string() + ".part";
    write_random_gguf(unfinished, *mix, {});
    std::filesystem::rename(unfinished, path);
  }
  std::printf("%lld\n", static_cast<long long>(bytes_per_token(*mix, {})));
}
