#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "app/store/json_values.h"
#include "kernels/base/result.h"

namespace quire {

/// Reads a large JSON object record by record: each element of an array that stands in the
/// outermost object, and each other value there, is handed over by itself, and only it is in
/// memory.
struct JsonRecordReader {
  /// Nested deeper, or with more values in one record: refused.
  static constexpr int kMaxDepth = 32;
  static constexpr int64_t kMaxValues = 30'000'000;

  /// Whether records of this section are wanted; the others are read over.
  std::function<bool(const std::string& section)> wants;
  /// An error ends the reading.
  std::function<Result<void>(const std::string& section, Json record)> take;
  /// Called between values: the input counts how long one value is.
  std::function<void()> onValue;

  /// Errors: those of `take`, and kCorruptFile with what is wrong in half a sentence.
  Result<void> read(std::istream& input) const;
};

}  // namespace quire
