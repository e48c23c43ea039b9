// The AMX variant: GEMM of many rows and bf16 attention by tiles; otherwise as the AVX-512 BF16
// variant. Built with instruction flags of its own: all of its code is in unnamed namespaces, and
// it calls only C functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/attention_simd.h"
#include "kernels/cpu/simd/bf16_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"
// Needs the vectors above.
#include "kernels/cpu/simd/vec_amx.h"

namespace quire::cpu {

const CpuKernels* amx_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx512_bf16_kernels();
    kernels.name = "amx";
    kernels.label = "AMX";
    kernels.linear_int8 = linear_int8_by_tiles<VecAmx, avx512_vbmi_kernels>;
    kernels.linear_bf16 = linear_bf16<VecAmx>;
    kernels.attention = attention_extending<VecAmx, avx512_vnni_kernels>;
    kernels.attention_blocks = attention_blocks_extending<VecAmx, avx512_vnni_kernels>;
    kernels.block_rows = kTileBlockRows;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
