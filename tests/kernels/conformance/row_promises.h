#pragma once

#include <string>
#include <utility>

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// What Backend promises of rows: the same bits again, alone, and among others at another place.
/// whole: the result of run(0, num_rows); run(begin, count) gives those rows' results from a batch
/// of their own, row_size numbers each.
template <typename Run>
void check_row_promises(Trial& trial, int64_t num_rows, int64_t row_size,
                        const std::vector<float>& whole, Run run) {
  const std::pair<int64_t, int64_t> parts[] = {{0, num_rows},
                                               {0, 1},
                                               {num_rows / 2, 1},
                                               {num_rows - 1, 1},
                                               {num_rows > 1 ? 1 : 0, num_rows - 1}};
  for (const auto& [begin, count] : parts) {
    if (count <= 0) continue;
    const std::vector<float> part = run(begin, count);
    const std::string what = "Rows " + std::to_string(begin) + " to " +
                             std::to_string(begin + count - 1) + " in a batch of their own";
    trial.compare.same_bits(what, part,
                            std::span(whole).subspan(static_cast<size_t>(begin * row_size),
                                                     static_cast<size_t>(count * row_size)));
  }
}

}  // namespace quire::test
