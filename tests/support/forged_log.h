#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/support/forged_database.h"

namespace quire::test {

/// A write-ahead log of one transaction that changes one page of this database
/// (https://www.sqlite.org/fileformat.html, 4), whose size it says is `numPages`.
inline std::string logOfOnePage(uint64_t number, const std::string& page, uint64_t numPages) {
  constexpr uint64_t kBigEndianSums = 0x377f0683, kVersion = 3007000;
  std::array<uint32_t, 2> sums{};
  const auto addSums = [&](const std::string& bytes) {
    for (size_t at = 0; at < bytes.size(); at += 8) {
      sums[0] += static_cast<uint32_t>(bigEndianAt(bytes, at, 4)) + sums[1];
      sums[1] += static_cast<uint32_t>(bigEndianAt(bytes, at + 4, 4)) + sums[0];
    }
    return bigEndianBytes(sums[0], 4) + bigEndianBytes(sums[1], 4);
  };
  const std::string salts = "saltsalt";
  std::string log = bigEndianBytes(kBigEndianSums, 4) + bigEndianBytes(kVersion, 4) +
                    bigEndianBytes(page.size(), 4) + bigEndianBytes(0, 4) + salts;
  log += addSums(log);
  const std::string numbers = bigEndianBytes(number, 4) + bigEndianBytes(numPages, 4);
  const std::string frameSums = addSums(numbers + page);
  return log + numbers + salts + frameSums + page;
}

}  // namespace quire::test
