#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {

/// The variants that this processor and its operating system can run; each can do more than those
/// before.
std::vector<const CpuKernels*> supported_kernels();

/// The variant of that name ("scalar", "avx2", "avx512"), or the fastest one for an empty name.
/// Errors: kInvalidArgument for a name that is unknown or not supported here; says what is.
Result<const CpuKernels*> select_kernels(std::string_view name);

/// The processor's name as the operating system gives it, or the architecture's.
std::string processor_name();

}  // namespace quire::cpu
