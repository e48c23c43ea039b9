#pragma once

#include <cstddef>
#include <map>
#include <string>

/// What a test of failures asks of the harness: which calls there were, and what they left.
namespace simt {

/// How often each API function was called since set_machine(), by its name.
std::map<std::string, int> calls();

/// Objects of the API that were made and not destroyed, on all devices.
struct LiveObjects {
  size_t allocations = 0;  ///< Of device memory.
  size_t pinned = 0;       ///< Allocations of host memory.
  size_t streams = 0;
  size_t events = 0;
  size_t graphs = 0;
  size_t executables = 0;

  /// "" if there are none, else what there is.
  std::string text() const;
};
LiveObjects live_objects();

}  // namespace simt
