#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

/// What kernels/cuda/device/ calls instead of instructions that a host compiler has no name for.
namespace simt {

/// The block's dynamic shared memory, 128-byte aligned.
void* dynamic_shared();

/// PTX mma.m16n8k16 with f32 sums, fragments as kernels/cuda/device/tensor_core.h says. What an
/// element of D comes to is Machine::tensor_cores': a GPU's own way, or a chain of roundings in f32
/// over ascending k that begins with d.
void mma_m16n8k16(bool is_bf16, float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                  const std::source_location& site = std::source_location::current());

/// PTX mma.m16n8k32 of signed bytes, and with depth 16 m16n8k16 of a[0], a[1] and b[0]: d = A B +
/// c.
void mma_s8(unsigned depth, uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
            const uint32_t (&c)[4],
            const std::source_location& site = std::source_location::current());

/// PTX ldmatrix.x4, or .trans. The program ends if a row is not 16-byte aligned.
void load_matrix_x4(uint32_t (&r)[4], const void* shared_row, bool is_transposed,
                    const std::source_location& site = std::source_location::current());

/// PTX cp.async. Nothing may be assumed of `shared` until the wait: it is filled with NaNs now, and
/// gets its bytes when this thread waits for the group.
void copy_async_16(void* shared, const void* global, bool is_valid);
void copy_async_commit();
void copy_async_wait(int pending);

/// PTX griddepcontrol.wait and .launch_dependents (kernels/cuda/device/launch_order.h). The program
/// ends if a thread of a kernel that begins early ends without the first, or calls the second
/// before it.
void wait_for_earlier_kernels(const std::source_location& site = std::source_location::current());
void let_next_kernel_begin();

/// a * b + c in both halves, rounded once.
uint32_t fma_f16x2(uint32_t a, uint32_t b, uint32_t c);
uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c);

/// OCP 8-bit floating point, E4M3: no infinities, 0x7f and 0xff are NaN.
float f8_e4m3_to_float(uint8_t bits);
/// Rounded to nearest even, saturating at 448; NaN is 0x7f.
uint8_t float_to_f8_e4m3(float x);

}  // namespace simt
