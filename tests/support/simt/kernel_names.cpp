#include "tests/support/simt/kernel_names.h"

#include <cstdio>

namespace simt {

std::string kernel_name(const void* kernel) {
  char text[32];
  std::snprintf(text, sizeof text, "at %p", kernel);
  return text;
}

}  // namespace simt
