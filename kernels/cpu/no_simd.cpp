// The x86 variants on other architectures: there are none.

#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {

const CpuKernels* avx2_kernels() {
  return nullptr;
}
const CpuKernels* avx2_vnni_kernels() {
  return nullptr;
}
const CpuKernels* avx512_kernels() {
  return nullptr;
}
const CpuKernels* avx512_vnni_kernels() {
  return nullptr;
}

const CpuKernels* amx_kernels() {
  return nullptr;
}

}  // namespace quire::cpu
