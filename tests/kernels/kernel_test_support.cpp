#include "tests/kernels/kernel_test_support.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace quire::test {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) names.push_back(kernels->name);
  return names;
}

std::unique_ptr<Backend> make_backend(const std::string& instruction_set, int num_threads) {
  const Result<const cpu::CpuKernels*> kernels = cpu::select_kernels(instruction_set);
  return std::make_unique<cpu::CpuBackend>(*kernels.value(), num_threads);
}

std::vector<float> Numbers::floats(int64_t n, float scale) {
  std::vector<float> numbers(static_cast<size_t>(n));
  for (float& x : numbers) x = next() * scale;
  return numbers;
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
