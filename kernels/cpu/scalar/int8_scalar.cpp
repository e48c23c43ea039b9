#include "kernels/cpu/scalar/kernels_scalar.h"
#include "kernels/cpu/scalar/vec_scalar.h"
#include "kernels/cpu/simd/int8_simd.h"

namespace quire::cpu::scalar {

void linear_int8(const LinearInt8& args) {
  cpu::linear_int8<VecScalar>(args);
}

void quantize_row(Int8Chunk* out, int64_t stride, const float* x, int64_t n) {
  cpu::quantize_row<VecScalar>(out, stride, x, n);
}

}  // namespace quire::cpu::scalar
