#include "kernels/cpu/cpu_features.h"

namespace quire::cpu {
namespace {

/// Called only for supported instruction sets: a variant's functions are compiled for its own.
const CpuKernels* kernels_of(InstructionSet set) {
  // By InstructionSet's order.
#if defined(__x86_64__) && defined(QUIRE_ONLY_AVX2)
  constexpr const CpuKernels* (*kVariants[])() = {scalar_kernels, avx2_kernels};
#elif defined(__x86_64__)
  constexpr const CpuKernels* (*kVariants[])() = {
      scalar_kernels,      avx2_kernels,        avx2_vnni_kernels,   avx512_kernels,
      avx512_vnni_kernels, avx512_vbmi_kernels, avx512_bf16_kernels, amx_kernels};
#elif defined(__aarch64__)
  constexpr const CpuKernels* (*kVariants[])() = {
      scalar_kernels, nullptr, nullptr, nullptr,      nullptr,
      nullptr,        nullptr, nullptr, neon_kernels, neon_dotprod_kernels};
#else
  constexpr const CpuKernels* (*kVariants[])() = {scalar_kernels};
#endif
  return kVariants[static_cast<size_t>(set)]();
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
