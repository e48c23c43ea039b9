#include "kernels/base/result.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace quire {
namespace {

/// Replaces %1 to %9 by the arguments, in one pass because an argument may contain a placeholder.
std::string filled(std::string_view format, const std::vector<std::string>& arguments) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    const size_t digit = format[i] == '%' && i + 1 < format.size() ? format[i + 1] - '0' : 0;
    if (digit >= 1 && digit <= arguments.size()) {
      text += arguments[digit - 1];
      ++i;
    } else {
      text += format[i];
    }
  }
  return text;
}

}  // namespace

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

Error make_error(ErrorCode code, ErrorFormat format, std::vector<std::string> arguments) {
  std::string message = filled(format.text, arguments);
  return {code, std::move(message), format.text, std::move(arguments)};
}

}  // namespace quire
