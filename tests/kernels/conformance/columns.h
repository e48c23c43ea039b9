#pragma once

#include <optional>

#include "tests/kernels/conformance/conformance.h"

namespace quire::test {

/// The CUDA backend run by the SIMT harness, or nothing in a build without the harness: defined in
/// harness_column.cpp or no_harness_column.cpp.
std::optional<Column> harness_column();

}  // namespace quire::test
