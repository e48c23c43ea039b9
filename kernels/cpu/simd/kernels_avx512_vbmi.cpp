// The AVX-512 VBMI variant: formats with grids, and few rows of FP8, by permutations of bytes;
// otherwise as the AVX-512 VNNI variant. Built with instruction flags of its own: all of its code
// is in unnamed namespaces, and it calls only C functions of the standard library.

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/simd/byte_table_formats_simd.h"
#include "kernels/cpu/simd/int8_simd.h"
#include "kernels/cpu/simd/linear_simd.h"
#include "kernels/cpu/simd/vec_avx512.h"
#include "kernels/cpu/simd/vec_vnni.h"
// Needs the vectors above.
#include "kernels/cpu/simd/vec_vbmi.h"

namespace quire::cpu {
namespace {

void linear_int8_by_byte_tables(const LinearInt8& a) {
  switch (a.dtype) {
    case DType::kIQ2_XXS:
      return linear_int8_of<VecAvx512Vbmi, ByteTableIQ2_XXS>(a);
    case DType::kIQ2_XS:
      return linear_int8_of<VecAvx512Vbmi, ByteTableIQ2_XS>(a);
    case DType::kIQ2_S:
      return linear_int8_of<VecAvx512Vbmi, ByteTableIQ2_S>(a);
    case DType::kIQ3_XXS:
      return linear_int8_of<VecAvx512Vbmi, ByteTableIQ3_XXS>(a);
    case DType::kIQ3_S:
      return linear_int8_of<VecAvx512Vbmi, ByteTableIQ3_S>(a);
    default:
      return avx512_vnni_kernels()->linear_int8(a);
  }
}

/// FP8 by permutations.
void linear_rows_by_byte_tables(const LinearRows& a) {
  if (a.dtype != DType::kF8_128) return avx512_kernels()->linear_rows(a);
  linear_rows_of_blocks<VecAvx512Vbmi, FloatsOfF8>(a);
}

}  // namespace

const CpuKernels* avx512_vbmi_kernels() {
  static const CpuKernels kKernels = [] {
    CpuKernels kernels = *avx512_vnni_kernels();
    kernels.name = "avx512_vbmi";
    kernels.label = "AVX-512 VBMI";
    kernels.linear_rows = linear_rows_by_byte_tables;
    kernels.linear_int8 = linear_int8_by_byte_tables;
    return kernels;
  }();
  return &kKernels;
}

}  // namespace quire::cpu
