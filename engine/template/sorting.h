#pragma once

#include <utility>
#include <vector>

#include "engine/template/runtime.h"

namespace quire::jinja {

/// A stable sort that stays within bounds whatever the comparison answers: comparisons of an
/// untrusted template's values may fail midway or contradict each other (nan), which std::sort
/// does not allow.
template <typename T, typename Less>
void merge_sort(Runtime& runtime, std::vector<T>& items, Less less) {
  std::vector<T> merged(items.size());
  for (size_t width = 1; width < items.size() && !runtime.failed(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items.size());
      const size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin, right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right = left == middle || (right < end && less(items[right], items[left]));
        merged[out] = std::move(items[take_right ? right++ : left++]);
      }
    }
    std::swap(items, merged);
  }
}

}  // namespace quire::jinja
