// In builds without the SIMT harness.

#include "tests/kernels/conformance/columns.h"

namespace quire::test {

std::optional<Column> harness_column() {
  return std::nullopt;
}

}  // namespace quire::test
