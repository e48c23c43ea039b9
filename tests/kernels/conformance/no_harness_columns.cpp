// In builds without the SIMT harness.

#include "tests/kernels/conformance/columns.h"

namespace quire::test {

std::vector<Column> harness_columns(bool /*is_long*/) {
  return {};
}

}  // namespace quire::test
