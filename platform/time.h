#pragma once

#include <cstddef>
#include <ctime>
#include <span>

/// Clocks and calendars that the standard library lacks. Thread: any.
namespace quire::platform {

/// The processor time of all threads of this process.
double process_seconds();

std::tm local_time(std::time_t time);
std::tm utc_time(std::time_t time);

/// One directive of strftime(), such as "%B" or "%-d" (without leading zeros, where the system
/// knows it), with English names whatever the process's locale. Returns the number of characters;
/// 0 if it does not fit or is unknown.
size_t format_time(std::span<char> out, const char* directive, const std::tm& time);

}  // namespace quire::platform
