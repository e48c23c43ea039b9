#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzz_targets.h"

/// What libFuzzer calls for each input; QUIRE_FUZZ_TARGET names this program's entry point.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quire::fuzz::QUIRE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
