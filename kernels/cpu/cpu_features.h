#pragma once

#include <string_view>
#include <vector>

#include "kernels/base/instruction_set.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {

/// The variants that can run here, in the order of supported_instruction_sets().
std::vector<const CpuKernels*> supported_kernels();

/// The variant that select_instruction_set(name) or chosen_instruction_set() gives.
Result<const CpuKernels*> select_kernels(std::string_view name);
Result<const CpuKernels*> chosen_kernels();

}  // namespace quire::cpu
