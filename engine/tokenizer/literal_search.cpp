#include "engine/tokenizer/literal_search.h"

#include <algorithm>

namespace quire {

size_t find_literal(std::string_view text, std::string_view literal, size_t from,
                    WorkBudget& budget) {
  constexpr size_t kWindowBytes = 65536;
  constexpr size_t kComparedPerStep = 256;
  while (from < text.size() && !budget.is_spent()) {
    const size_t places = std::min(kWindowBytes, text.size() - from);
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
