// Writes a GGUF file of random weights for measuring, of about a billion parameters.
//
// make_random_model [SHAPE:]FORMAT PATH    SHAPE: llama (else), hybrid, mla, moe;
//                                          FORMAT as llama-quantize names it: Q4_0, Q4_K_M, F16,
//                                          ...
//
// Prints what is read of it to decode one token, in bytes. The file is not written again if it is
// there: it is the same each time.

#include <cstdio>
#include <filesystem>

#include "tests/bench/random_gguf.h"

using namespace quire::bench;

int main(int argc, char** argv) {
  const std::string_view model = argc == 3 ? argv[1] : "";
  const size_t colon = model.find(':');
  const bool has_shape = colon != std::string_view::npos;
  const auto shape = model_shape(has_shape ? model.substr(0, colon) : "llama");
  const auto mix = weight_mix(has_shape ? model.substr(colon + 1) : model);
  if (!mix || !shape) {
    std::fprintf(stderr,
                 "usage: make_random_model [llama:|hybrid:|mla:|moe:]"
                 "Q4_0|Q8_0|Q4_K_M|Q5_K_M|Q6_K|F16|BF16 PATH\n");
    return 2;
  }
  const std::filesystem::path path = argv[2];
  if (!std::filesystem::exists(path)) {
    // Under another name until it is whole, so that one that was interrupted is not taken for it.
    const std::filesystem::path unfinished = path.string() + ".part";
    write_random_gguf(unfinished, *mix, *shape);
    std::filesystem::rename(unfinished, path);
  }
  std::printf("%lld\n", static_cast<long long>(bytes_per_token(*mix, *shape)));
}
