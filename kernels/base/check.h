#pragma once

namespace quire {

/// Prints the failed condition with its place and aborts. For programmer mistakes only; whatever
/// files, models, users or the network can cause is a Result.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace quire

/// A macro because it must name the condition and the place, which a function cannot.
#define CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::quire::check_failed(#condition, __FILE__, __LINE__))
