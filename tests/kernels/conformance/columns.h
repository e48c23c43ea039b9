#pragma once

#include <vector>

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// The CUDA backend run by the SIMT harness; with `is_long` also with threads in another order, and
/// on a GPU without bf16 products. Nothing in a build without the harness: defined in
/// harness_columns.cpp or no_harness_columns.cpp.
std::vector<Column> harness_columns(bool is_long);

}  // namespace quire::test
