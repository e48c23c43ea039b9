#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/backend.h"

/// What the kernels' tests share: a backend for each instruction set, tensors with numbers from a
/// fixed seed, and how far two results are apart.
namespace quire::test {

/// The instruction sets that this machine runs, "scalar" first.
std::vector<std::string> instruction_sets();

/// A CPU backend of that instruction set.
std::unique_ptr<Backend> make_backend(const std::string& instruction_set, int num_threads,
                                      bool quantize_activations = false);

/// Numbers in [-1, 1), the same on every machine.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : m_engine(seed) {}
  float next() { return static_cast<float>(m_engine() >> 8) * 0x1p-23f - 1.0f; }
  int below(int n) { return static_cast<int>(m_engine() % static_cast<uint32_t>(n)); }
  std::vector<float> floats(int64_t n, float scale = 1.0f);

 private:
  std::mt19937 m_engine;
};

/// Numbers in one dtype with the floats that they are exactly.
struct TypedNumbers {
  DType dtype = DType::kF32;
  std::vector<float> exact;
  std::vector<uint16_t> halves;  ///< Empty for f32.

  void* data() { return dtype == DType::kF32 ? static_cast<void*>(exact.data()) : halves.data(); }
};

/// GGUF's quantised types.
std::vector<DType> quantized_types();

/// A matrix of random blocks of a quantised type, with scales of ordinary size, and its values.
struct QuantizedNumbers {
  DType dtype;
  std::vector<uint8_t> blocks;
  std::vector<float> exact;

  QuantizedNumbers(DType type, int64_t rows, int64_t columns, uint32_t seed);
};

/// Rounds the numbers to the dtype.
TypedNumbers in_dtype(DType dtype, std::vector<float> numbers);

/// The largest |a - b| / (1 + |b|); infinity if the sizes differ or either is not finite.
double largest_error(const std::vector<float>& a, const std::vector<double>& b);
double largest_error(const std::vector<float>& a, const std::vector<float>& b);

/// Every bit is the same.
bool same_bits(const float* a, const float* b, int64_t n);
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), static_cast<int64_t>(a.size()));
}

inline TensorView view(std::vector<float>& x, std::initializer_list<int64_t> shape) {
  return {x.data(), DType::kF32, shape};
}
inline TensorView view(std::vector<int32_t>& x, std::initializer_list<int64_t> shape) {
  return {x.data(), DType::kI32, shape};
}

}  // namespace quire::test
