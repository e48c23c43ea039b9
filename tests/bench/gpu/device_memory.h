#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace quire::bench {

/// Numbers of a dtype as one finds them in models: f32, f16, bf16 within (-amplitude, amplitude),
/// f8 and i8 of any finite bits, quantised blocks of random codes whose weights are about 0.03.
/// Some megabytes of random bits, over and over. Keys and values: any dtype that pages may have.
std::vector<char> random_numbers(DType dtype, int64_t num_bytes, float amplitude);

/// Tensors and weights of one measurement, freed together. A failure is kept until finish(), after
/// which the views may be used: before it, they may be empty.
/// Thread: one.
class DeviceMemory {
 public:
  explicit DeviceMemory(Backend& backend) : m_backend(backend) {}
  const Backend& backend() const { return m_backend; }

  TensorView zeros(DType dtype, std::initializer_list<int64_t> shape);
  /// Within (-1, 1).
  TensorView random(DType dtype, std::initializer_list<int64_t> shape);
  TensorView floats(std::span<const float> numbers);
  TensorView integers(std::span<const int32_t> numbers);
  /// Null after a failure.
  const LinearWeight* weight(std::span<const ConstTensorView> parts);

  /// Waits for the uploads. Errors: the first failure, kOutOfMemory as a rule.
  Result<void> finish();

 private:
  TensorView keep(DType dtype, std::initializer_list<int64_t> shape);
  void fill(void* data, size_t bytes, const std::vector<char>& pattern);

  Backend& m_backend;
  std::optional<Error> m_failure;
  std::vector<std::unique_ptr<DeviceBuffer>> m_buffers;
  std::vector<std::unique_ptr<LinearWeight>> m_weights;
};

}  // namespace quire::bench
