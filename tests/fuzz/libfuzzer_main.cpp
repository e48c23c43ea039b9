#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

/// Little freed memory is kept, so that an input's own can be measured.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=32:detect_leaks=1";
}

/// What the system's fonts keep until the process ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig.so\nleak:libQt6Gui.so\n";
}

/// What libFuzzer calls for each input; QUIRE_FUZZ_TARGET names this program's entry point.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // What is prepared once is not the first input's to answer for.
  static const bool is_ready = (quire::fuzz::QUIRE_FUZZ_TARGET({}), true);
  static_cast<void>(is_ready);
  quire::fuzz::run_measured(quire::fuzz::QUIRE_FUZZ_TARGET,
                            {reinterpret_cast<const char*>(data), size});
  return 0;
}
