#include <clocale>
#include <ctime>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "platform/time.h"

namespace quire::platform {

double process_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::tm local_time(std::time_t time) {
  std::tm fields{};
  ::localtime_r(&time, &fields);
  return fields;
}

std::tm utc_time(std::time_t time) {
  std::tm fields{};
  ::gmtime_r(&time, &fields);
  return fields;
}

size_t format_time(std::span<char> out, const char* directive, const std::tm& time) {
  static const locale_t kEnglish = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strftime_l(out.data(), out.size(), directive, &time, kEnglish);
}

}  // namespace quire::platform
