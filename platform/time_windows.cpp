#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "platform/time.h"

namespace quire::platform {
namespace {

double seconds_of(const FILETIME& time) {
  return static_cast<double>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 1e-7;
}

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

std::string digits(int value, int width, char fill = '0') {
  std::string text = std::to_string(value);
  while (static_cast<int>(text.size()) < width) text.insert(text.begin(), fill);
  return text;
}

/// The week by ISO 8601 and the year that it belongs to.
struct IsoWeek {
  int year;
  int week;
};
IsoWeek iso_week(const std::tm& time) {
  const int year = time.tm_year + 1900;
  const auto weeks_of = [](int y) {
    const auto day_of_end = [](int of) { return (of + of / 4 - of / 100 + of / 400) % 7; };
    return day_of_end(y) == 4 || day_of_end(y - 1) == 3 ? 53 : 52;
  };
  const int week_day = time.tm_wday == 0 ? 7 : time.tm_wday;
  const int week = (time.tm_yday + 1 - week_day + 10) / 7;
  if (week < 1) return {year - 1, weeks_of(year - 1)};
  if (week > weeks_of(year)) return {year + 1, 1};
  return {year, week};
}

/// What strftime() writes in the C locale. The C library of Windows knows fewer letters, and ends
/// the program at others.
std::string text_of(char letter, const std::tm& time) {
  const int hour12 = time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12;
  const int year = time.tm_year + 1900;
  const auto all = [&](std::string_view letters, const char* separator) {
    std::string text;
    for (const char part : letters) {
      if (!text.empty()) text += separator;
      text += text_of(part, time);
    }
    return text;
  };
  switch (letter) {
    case 'a':
      return std::string(kDays[time.tm_wday]).substr(0, 3);
    case 'A':
      return kDays[time.tm_wday];
    case 'b':
    case 'h':
      return std::string(kMonths[time.tm_mon]).substr(0, 3);
    case 'B':
      return kMonths[time.tm_mon];
    case 'c':
      return all("abeTY", " ");
    case 'C':
      return digits(year / 100, 2);
    case 'd':
      return digits(time.tm_mday, 2);
    case 'D':
    case 'x':
      return all("mdy", "/");
    case 'e':
      return digits(time.tm_mday, 2, ' ');
    case 'F':
      return all("Ymd", "-");
    case 'g':
      return digits(iso_week(time).year % 100, 2);
    case 'G':
      return std::to_string(iso_week(time).year);
    case 'H':
      return digits(time.tm_hour, 2);
    case 'I':
      return digits(hour12, 2);
    case 'j':
      return digits(time.tm_yday + 1, 3);
    case 'k':
      return digits(time.tm_hour, 2, ' ');
    case 'l':
      return digits(hour12, 2, ' ');
    case 'm':
      return digits(time.tm_mon + 1, 2);
    case 'M':
      return digits(time.tm_min, 2);
    case 'n':
      return "\n";
    case 'p':
      return time.tm_hour < 12 ? "AM" : "PM";
    case 'P':
      return time.tm_hour < 12 ? "am" : "pm";
    case 'r':
      return all("IMS", ":") + " " + text_of('p', time);
    case 'R':
      return all("HM", ":");
    case 'S':
      return digits(time.tm_sec, 2);
    case 't':
      return "\t";
    case 'T':
    case 'X':
      return all("HMS", ":");
    case 'u':
      return std::to_string(time.tm_wday == 0 ? 7 : time.tm_wday);
    case 'U':
      return digits((time.tm_yday + 7 - time.tm_wday) / 7, 2);
    case 'V':
      return digits(iso_week(time).week, 2);
    case 'w':
      return std::to_string(time.tm_wday);
    case 'W':
      return digits((time.tm_yday + 7 - (time.tm_wday + 6) % 7) / 7, 2);
    case 'y':
      return digits(year % 100, 2);
    case 'Y':
      return std::to_string(year);
    case '%':
      return "%";
    default:
      return {};
  }
}

}  // namespace

double process_seconds() {
  FILETIME created{}, ended{}, kernel{}, user{};
  if (::GetProcessTimes(::GetCurrentProcess(), &created, &ended, &kernel, &user) == 0) return 0.0;
  return seconds_of(kernel) + seconds_of(user);
}

std::tm local_time(std::time_t time) {
  std::tm fields{};
  ::localtime_s(&fields, &time);
  return fields;
}

std::tm utc_time(std::time_t time) {
  std::tm fields{};
  ::gmtime_s(&fields, &time);
  return fields;
}

size_t format_time(std::span<char> out, const char* directive, const std::tm& time) {
  std::string_view letters(directive);
  const bool is_plain = letters.starts_with("%-");
  letters.remove_prefix(is_plain ? 2 : 1);
  if (letters.size() != 1) return std::string_view(directive).copy(out.data(), out.size());
  std::string text = text_of(letters.front(), time);
  // Unknown ones stay as they stand.
  if (text.empty()) text = directive;
  if (is_plain) text.erase(0, std::min(text.find_first_not_of("0 "), text.size() - 1));
  return text.size() < out.size() ? text.copy(out.data(), text.size()) : 0;
}

}  // namespace quire::platform
