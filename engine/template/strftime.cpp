#include "engine/template/strftime.h"

#include <ctime>

namespace quire::jinja {

namespace {

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

struct Moment {
  int year, month, day, hour, minute, second;
  int weekday;   ///< 0 is Sunday.
  int year_day;  ///< 0 is the first of January.
};

std::chrono::local_seconds local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
#ifdef _WIN32
  localtime_s(&fields, &now);
#else
  localtime_r(&now, &fields);
#endif
  const std::chrono::year_month_day date{
      std::chrono::year(fields.tm_year + 1900),
      std::chrono::month(static_cast<unsigned>(fields.tm_mon + 1)),
      std::chrono::day(static_cast<unsigned>(fields.tm_mday))};
  return std::chrono::local_days(date) + std::chrono::hours(fields.tm_hour) +
         std::chrono::minutes(fields.tm_min) + std::chrono::seconds(fields.tm_sec);
}

Moment split_moment(std::chrono::local_seconds time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto seconds = static_cast<int>((time - days).count());
  const auto new_year = std::chrono::local_days(date.year() / std::chrono::January / 1);
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          seconds / 3600,
          seconds / 60 % 60,
          seconds % 60,
          static_cast<int>(std::chrono::weekday(days).c_encoding()),
          static_cast<int>((days - new_year).count())};
}

/// A number with at least `width` digits, or with none added after "%-".
std::string digits(int value, size_t width, bool is_plain, char fill = '0') {
  std::string text = std::to_string(value);
  if (!is_plain && text.size() < width) text.insert(0, width - text.size(), fill);
  return text;
}

/// The directives that are numbers; empty for others.
std::string format_number(const Moment& m, char directive, bool is_plain) {
  const int hour12 = m.hour % 12 == 0 ? 12 : m.hour % 12;
  switch (directive) {
    case 'd':
      return digits(m.day, 2, is_plain);
    case 'e':
      return digits(m.day, 2, is_plain, ' ');
    case 'm':
      return digits(m.month, 2, is_plain);
    case 'Y':
      return std::to_string(m.year);
    case 'y':
      return digits(m.year % 100, 2, is_plain);
    case 'C':
      return digits(m.year / 100, 2, is_plain);
    case 'H':
      return digits(m.hour, 2, is_plain);
    case 'k':
      return digits(m.hour, 2, is_plain, ' ');
    case 'I':
      return digits(hour12, 2, is_plain);
    case 'l':
      return digits(hour12, 2, is_plain, ' ');
    case 'M':
      return digits(m.minute, 2, is_plain);
    case 'S':
      return digits(m.second, 2, is_plain);
    case 'f':
      return "000000";
    case 'j':
      return digits(m.year_day + 1, 3, is_plain);
    case 'w':
      return std::to_string(m.weekday);
    case 'u':
      return std::to_string(m.weekday == 0 ? 7 : m.weekday);
    case 'U':
      return digits((m.year_day + 7 - m.weekday) / 7, 2, is_plain);
    case 'W':
      return digits((m.year_day + 7 - (m.weekday + 6) % 7) / 7, 2, is_plain);
    default:
      return {};
  }
}

std::string_view composite(char directive) {
  switch (directive) {
    case 'D':
    case 'x':
      return "%m/%d/%y";
    case 'F':
      return "%Y-%m-%d";
    case 'T':
    case 'X':
      return "%H:%M:%S";
    case 'R':
      return "%H:%M";
    case 'r':
      return "%I:%M:%S %p";
    case 'c':
      return "%a %b %e %H:%M:%S %Y";
    default:
      return {};
  }
}

std::string format_directive(const Moment& m, char directive, bool is_plain) {
  const std::string day = kDays[m.weekday], month = kMonths[m.month - 1];
  switch (directive) {
    case 'A':
      return day;
    case 'a':
      return day.substr(0, 3);
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.substr(0, 3);
    case 'p':
      return m.hour < 12 ? "AM" : "PM";
    case 'P':
      return m.hour < 12 ? "am" : "pm";
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case '%':
      return "%";
    case 'z':
    case 'Z':
      return {};  // The time has no zone.
    default:
      break;
  }
  const std::string number = format_number(m, directive, is_plain);
  return number.empty() ? std::string("%") + directive : number;
}

void append_formatted(TextBuilder& out, const Moment& moment, std::string_view format,
                      const Text* marks) {
  for (size_t i = 0; i < format.size(); ++i) {
    const bool is_input = marks && marks->is_input_at(i);
    if (format[i] != '%' || i + 1 == format.size()) {
      out.append(format.substr(i, 1), is_input);
      continue;
    }
    const bool is_plain = format[i + 1] == '-' && i + 2 < format.size();
    i += is_plain ? 2 : 1;
    const std::string_view inner = composite(format[i]);
    if (inner.empty()) {
      out.append(format_directive(moment, format[i], is_plain), is_input);
    } else {
      append_formatted(out, moment, inner, nullptr);
    }
  }
}

}  // namespace

Value strftime(Runtime& runtime, const Text& format) {
  TextBuilder out(runtime);
  append_formatted(out, split_moment(runtime.now() ? *runtime.now() : local_now()), format.view(),
                   &format);
  return out.finish();
}

}  // namespace quire::jinja
