#pragma once

#include <cstddef>
#include <string_view>

#include "kernels/base/work_budget.h"

namespace quire {

/// Where `literal`, which is not empty, begins first in `text` at `from` or later; npos if nowhere,
/// or once the budget is spent. A search compares up to the whole literal at each place.
size_t find_literal(std::string_view text, std::string_view literal, size_t from,
                    WorkBudget& budget);

}  // namespace quire
