#include "tests/kernels/kernel_test_support.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernels/base/dequantize.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace quire::test {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) names.push_back(kernels->name);
  return names;
}

std::unique_ptr<Backend> make_backend(const std::string& instruction_set, int num_threads,
                                      bool quantize_activations) {
  const Result<const cpu::CpuKernels*> kernels = cpu::select_kernels(instruction_set);
  return std::make_unique<cpu::CpuBackend>(*kernels.value(), num_threads, quantize_activations);
}

std::vector<float> Numbers::floats(int64_t n, float scale) {
  std::vector<float> numbers(static_cast<size_t>(n));
  for (float& x : numbers) x = next() * scale;
  return numbers;
}

std::vector<DType> quantized_types() {
  std::vector<DType> types;
  for (int i = static_cast<int>(DType::kQ4_0); i <= static_cast<int>(kLastDType); ++i) {
    types.push_back(static_cast<DType>(i));
  }
  return types;
}

namespace {

/// Byte offsets in a block of its half-precision numbers, -1 where it has fewer.
std::array<int, 2> half_offsets(DType dtype) {
  switch (dtype) {
    case DType::kQ2_K:
      return {80, 82};
    case DType::kQ3_K:
      return {108, -1};
    case DType::kQ6_K:
      return {208, -1};
    case DType::kTQ1_0:
      return {52, -1};
    case DType::kTQ2_0:
      return {64, -1};
    case DType::kMXFP4:
    case DType::kNVFP4:
    case DType::kIQ1_M:
    case DType::kI8_128:
    case DType::kF8_128:
    case DType::kNF4_64:
      return {-1, -1};
    case DType::kQ4_1:
    case DType::kQ5_1:
    case DType::kQ4_K:
    case DType::kQ5_K:
      return {0, 2};
    default:
      return {0, -1};
  }
}

int f32_scale_offset(DType dtype) {
  const bool has_one =
      dtype == DType::kI8_128 || dtype == DType::kF8_128 || dtype == DType::kNF4_64;
  return has_one ? 0 : -1;
}

bool is_int4(DType dtype) {
  return dtype == DType::kI4_32 || dtype == DType::kI4_64 || dtype == DType::kI4_128;
}

/// Its half is in the upper four bits of bytes 49, 51, 53 and 55.
void set_iq1_m_scale(uint8_t* block, float scale) {
  const uint16_t half = f32_to_f16(scale);
  for (int i = 0; i < 4; ++i) {
    uint8_t& byte = block[49 + 2 * i];
    byte = static_cast<uint8_t>((byte & 15) | ((half >> (4 * i)) & 15) << 4);
  }
}

}  // namespace

QuantizedNumbers::QuantizedNumbers(DType type, int64_t rows, int64_t columns, uint32_t seed)
    : dtype(type),
      blocks(static_cast<size_t>(rows * dtype_span_bytes(type, columns))),
      exact(static_cast<size_t>(rows * columns)) {
  Numbers numbers(seed);
  for (uint8_t& byte : blocks) byte = static_cast<uint8_t>(numbers.below(256));
  const auto bytes = static_cast<size_t>(dtype_block_bytes(type));
  for (size_t block = 0; block < blocks.size(); block += bytes) {
    for (int offset : half_offsets(type)) {
      if (offset < 0) continue;
      const uint16_t half = f32_to_f16(numbers.next() * 0.01f);
      std::memcpy(blocks.data() + block + offset, &half, sizeof half);
    }
    if (type == DType::kMXFP4) blocks[block] = static_cast<uint8_t>(118 + numbers.below(8));
    if (type == DType::kNVFP4) {
      for (size_t i = 0; i < 4; ++i) blocks[block + i] = static_cast<uint8_t>(numbers.below(48));
    }
    if (const int at = f32_scale_offset(type); at >= 0) {
      const float scale = numbers.next() * 0.01f;
      std::memcpy(&blocks[block + static_cast<size_t>(at)], &scale, sizeof scale);
    }
    if (type == DType::kF8_128) {
      for (size_t i = 4; i < bytes; ++i) blocks[block + i] &= 0xbf;  // No NaN.
    }
    if (is_int4(type)) blocks[block + 2] = static_cast<uint8_t>(numbers.below(17));
    if (type == DType::kIQ1_M) set_iq1_m_scale(&blocks[block], numbers.next() * 0.01f);
  }
  dequantize_row(type, blocks.data(), exact.data(), rows * columns);
}

TypedNumbers in_dtype(DType dtype, std::vector<float> numbers) {
  TypedNumbers typed{dtype, std::move(numbers), {}};
  if (dtype == DType::kF32) return typed;
  for (float& x : typed.exact) {
    const uint16_t bits = dtype == DType::kBF16 ? f32_to_bf16(x) : f32_to_f16(x);
    typed.halves.push_back(bits);
    x = dtype == DType::kBF16 ? bf16_to_f32(bits) : f16_to_f32(bits);
  }
  return typed;
}

double largest_error(const std::vector<float>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::fabs(double{a[i]} - b[i]) / (1.0 + std::fabs(b[i]));
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, error);
  }
  return largest;
}

double largest_error(const std::vector<float>& a, const std::vector<float>& b) {
  return largest_error(a, std::vector<double>(b.begin(), b.end()));
}

bool same_bits(const float* a, const float* b, int64_t n) {
  return std::memcmp(a, b, static_cast<size_t>(n) * sizeof(float)) == 0;
}

}  // namespace quire::test
