#pragma once

#include <QtGlobal>

#include <algorithm>

namespace quire::test {

/// Whether four times as many take some four to eight times as long, and not sixteen times, as
/// where each is compared with all others. `taken_ms` does so many and returns the milliseconds of
/// this thread (see thread_ms), or -1.0 if the result is wrong.
template <typename Work>
bool grows_linearly(int few, const Work& taken_ms) {
  const double ms_of_few = std::min({taken_ms(few), taken_ms(few), taken_ms(few)});
  const double ms_of_many = std::min(taken_ms(4 * few), taken_ms(4 * few));
  qInfo("%d take %.1f ms, %d %.1f ms", few, ms_of_few, 4 * few, ms_of_many);
  return ms_of_few > 0 && ms_of_many > 0 && ms_of_many < 12 * ms_of_few;
}

}  // namespace quire::test
