#pragma once

namespace quire {

/// Prints the failed condition with its location and aborts. For programmer mistakes only; errors
/// caused by files, models, users or the network are a Result.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace quire

/// A macro because it prints the condition and the location.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::quire::check_failed(#condition, __FILE__, __LINE__))
