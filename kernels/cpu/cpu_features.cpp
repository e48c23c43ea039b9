#include "kernels/cpu/cpu_features.h"

namespace quire::cpu {
namespace {

/// Called only for supported instruction sets: a variant's functions are compiled for its own.
const CpuKernels* kernels_of(InstructionSet set) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::kAvx2:
      return avx2_kernels();
    case InstructionSet::kAvx2Vnni:
      return avx2_vnni_kernels();
    case InstructionSet::kAvx512:
      return avx512_kernels();
    case InstructionSet::kAvx512Vnni:
      return avx512_vnni_kernels();
    case InstructionSet::kAvx512Bf16:
      return avx512_bf16_kernels();
    case InstructionSet::kAmx:
      return amx_kernels();
#elif defined(__aarch64__)
    case InstructionSet::kNeon:
      return neon_kernels();
    case InstructionSet::kNeonDotprod:
      return neon_dotprod_kernels();
#endif
    default:
      return scalar_kernels();
  }
}

}  // namespace

std::vector<const CpuKernels*> supported_kernels() {
  std::vector<const CpuKernels*> kernels;
  for (const InstructionSet set : supported_instruction_sets()) kernels.push_back(kernels_of(set));
  return kernels;
}

Result<const CpuKernels*> select_kernels(std::string_view name) {
  const Result<InstructionSet> set = select_instruction_set(name);
  return set ? Result<const CpuKernels*>(kernels_of(*set)) : set.error();
}

Result<const CpuKernels*> chosen_kernels() {
  const Result<InstructionSet> set = chosen_instruction_set();
  return set ? Result<const CpuKernels*>(kernels_of(*set)) : set.error();
}

}  // namespace quire::cpu
