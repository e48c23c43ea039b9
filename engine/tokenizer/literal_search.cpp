#include "engine/tokenizer/literal_search.h"

#include <algorithm>

namespace quire {

size_t find_literal(std::string_view text, std::string_view literal, size_t from,
                    WorkBudget& budget) {
  constexpr size_t kWindowBytes = 65536;
  constexpr size_t kComparedPerStep = 256;
  // So that one window cannot exceed the budget by much.
  constexpr size_t kMaxComparedBytes = size_t{16} << 20;
  const size_t most = std::clamp<size_t>(kMaxComparedBytes / literal.size(), 1, kWindowBytes);
  while (from < text.size() && !budget.is_spent()) {
    const size_t places = std::min(most, text.size() - from);
    const std::string_view window = text.substr(from, places + literal.size() - 1);
    const size_t found = window.find(literal);
    const size_t tried = std::min(found, places);
    if (!budget.spend(1 + tried * literal.size() / kComparedPerStep)) return text.npos;
    if (found != window.npos) return from + found;
    from += places;
  }
  return text.npos;
}

}  // namespace quire
