#pragma once

#include <cstdint>
#include <string>

namespace quire {

/// In units of 10^6 bytes, rounded up, as messages about memory count them.
inline uint64_t whole_megabytes(uint64_t bytes) {
  return bytes / 1'000'000 + (bytes % 1'000'000 != 0 ? 1 : 0);
}

/// The same with its unit: "12 MB".
inline std::string megabytes(uint64_t bytes) {
  return std::to_string(whole_megabytes(bytes)) + " MB";
}

}  // namespace quire
