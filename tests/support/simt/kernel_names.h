#pragma once

#include <string>

namespace simt {

/// The name of a kernel in this program, for reports.
std::string kernel_name(const void* kernel);

}  // namespace simt
