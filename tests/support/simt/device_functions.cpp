#include <simt_device.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/base/dtype.h"
#include "tests/support/simt/block.h"

namespace simt {
namespace {

void copy_now(const AsyncCopies::Copy& copy) {
  races::has_written(copy.to, 16);
  if (copy.is_valid) {
    races::has_read(copy.from, 16);
    std::memcpy(copy.to, copy.from, 16);
  } else {
    std::memset(copy.to, 0, 16);
  }
}

/// The neighbour of x whose last bit is set, if x is not exact: rounding to a shorter format then
/// gives what a single rounding gives (Boldo and Melquiond, "Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd", 2008).
double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double from_b = sum - a;
  const double error = (a - (sum - from_b)) + (b - from_b);
  if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

float to_odd_float(double x) {
  const auto rounded = static_cast<float>(x);
  if (std::isnan(x) || static_cast<double>(rounded) == x) return rounded;
  if ((std::bit_cast<uint32_t>(rounded) & 1) != 0) return rounded;
  return std::nextafterf(rounded, x > rounded ? HUGE_VALF : -HUGE_VALF);
}

template <typename ToFloat, typename FromFloat>
uint32_t fma_x2(uint32_t a, uint32_t b, uint32_t c, ToFloat to_float, FromFloat from_float) {
  uint32_t result = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto half = [&](uint32_t pair) {
      return static_cast<double>(to_float(static_cast<uint16_t>(pair >> shift)));
    };
    // Products of halves are exact in f64.
    const float sum = to_odd_float(add_to_odd(half(a) * half(b), half(c)));
    result |= static_cast<uint32_t>(from_float(sum)) << shift;
  }
  return result;
}

}  // namespace

void check_aligned(const void* address, size_t alignment, const char* what) {
  if (reinterpret_cast<uintptr_t>(address) % alignment == 0) return;
  Block::current().fail("gives " + std::string(what) + " an address that is no multiple of " +
                        std::to_string(alignment));
}

void* dynamic_shared() {
  return Block::current().dynamic_shared();
}

void copy_async_16(void* shared, const void* global, bool is_valid) {
  check_aligned(shared, 16, "copy_async_16");
  if (is_valid) check_aligned(global, 16, "copy_async_16");
  AsyncCopies& async = Block::current().lane().async;
  async.copies.push_back({shared, global, is_valid});
  ++async.num_uncommitted;
  races::has_written(shared, 16);
  std::memset(shared, 0xff, 16);
}

void copy_async_commit() {
  AsyncCopies& async = Block::current().lane().async;
  async.groups.push_back(async.num_uncommitted);
  async.num_uncommitted = 0;
}

void copy_async_wait(int pending) {
  AsyncCopies& async = Block::current().lane().async;
  while (async.groups.size() > static_cast<size_t>(pending)) {
    const auto count = static_cast<std::ptrdiff_t>(async.groups.front());
    for (std::ptrdiff_t i = 0; i < count; ++i) copy_now(async.copies[static_cast<size_t>(i)]);
    async.copies.erase(async.copies.begin(), async.copies.begin() + count);
    async.groups.erase(async.groups.begin());
  }
}

void wait_for_earlier_kernels(const Site& site) {
  Block::current().wait_for_earlier_kernels(site);
}

void let_next_kernel_begin() {
  Block::current().let_next_kernel_begin();
}

uint32_t fma_f16x2(uint32_t a, uint32_t b, uint32_t c) {
  return fma_x2(a, b, c, &quire::f16_to_f32, &quire::f32_to_f16);
}

uint32_t fma_bf16x2(uint32_t a, uint32_t b, uint32_t c) {
  return fma_x2(a, b, c, &quire::bf16_to_f32, &quire::f32_to_bf16);
}

float f8_e4m3_to_float(uint8_t bits) {
  const int exponent = bits >> 3 & 15;
  const int mantissa = bits & 7;
  float magnitude = std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  if (exponent == 0) magnitude = std::ldexp(static_cast<float>(mantissa), -9);
  if (exponent == 15 && mantissa == 7) magnitude = NAN;
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

uint8_t float_to_f8_e4m3(float x) {
  if (std::isnan(x)) return 0x7f;
  const int sign = std::signbit(x) ? 0x80 : 0;
  const float magnitude = std::fabs(x);
  if (magnitude >= 448.0f) return static_cast<uint8_t>(sign | 0x7e);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The distance between neighbours: 3 bits after the first, and 2^-9 at the lower end.
  const int step = magnitude < 0x1p-6f ? -9 : exponent - 4;
  const auto count = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
  // Counts of 8 to 16 in steps: 16 is the next binade's 8, and the bits agree with that.
  const int encoded = step == -9 && count < 8 ? count : (step + 9) * 8 + count;
  return static_cast<uint8_t>(sign | std::min(encoded, 0x7e));
}

}  // namespace simt
