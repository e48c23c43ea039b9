#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/linear_packer.h"
#include "kernels/cuda/weights/packed_weight.h"
#include "tests/kernels/kernel_test_support.h"

/// What the tests of packed weights share: a queue, device memory, and ways to read weights back.
namespace quire::test {

/// A queue on a new fake GPU of that compute capability.
std::unique_ptr<cuda::CommandQueue> make_queue(int compute_capability = 90);

/// Device memory with a host's numbers.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& numbers) : m_size(numbers.size()) {
    CHECK(cudaMalloc(&m_data, m_size * sizeof(T)) == cudaSuccess);
    CHECK(cudaMemcpy(m_data, numbers.data(), m_size * sizeof(T), cudaMemcpyHostToDevice) ==
          cudaSuccess);
  }
  ~DeviceArray() { cudaFree(m_data); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return static_cast<T*>(m_data); }
  std::vector<T> numbers(cuda::CommandQueue& queue) const {
    std::vector<T> host(m_size);
    CHECK(cudaStreamSynchronize(queue.stream()) == cudaSuccess);
    CHECK(cudaMemcpy(host.data(), m_data, m_size * sizeof(T), cudaMemcpyDeviceToHost) ==
          cudaSuccess);
    return host;
  }

 private:
  void* m_data = nullptr;
  size_t m_size;
};

/// A matrix in some dtype with its exact values, and the bound that the format promises for each.
struct WeightNumbers {
  DType dtype;
  int64_t rows;
  int64_t columns;
  std::vector<uint8_t> bytes;
  std::vector<float> exact;

  /// Random numbers of ordinary size.
  WeightNumbers(DType type, int64_t num_rows, int64_t num_columns, uint32_t seed);
  /// Quantised: every block's scale and minimum become these.
  void set_scales(float scale, float minimum);

  ConstTensorView view() const { return {bytes.data(), dtype, {rows, columns}}; }
  /// How far each number in a unit may be from exact (formats/).
  std::vector<double> bounds() const;
};

/// Every dtype of weights.
std::vector<DType> weight_dtypes();

/// embed() of those rows with that scale.
std::vector<float> embed_rows(cuda::CommandQueue& queue, const LinearWeight& weight,
                              const std::vector<int32_t>& ids, float scale = 1.0f);
/// embed() of all rows.
std::vector<float> read_back(cuda::CommandQueue& queue, const LinearWeight& weight);

/// What the fragments of all units of a segment hold, as a matrix of whole groups of 16 rows and
/// whole units of inputs.
std::vector<float> read_fragments(cuda::CommandQueue& queue, const cuda::LinearSegment& segment);

/// Empty, or a sentence on the first number that is further from `exact` than its bound.
std::string first_outside(const std::vector<float>& actual, const std::vector<float>& exact,
                          const std::vector<double>& bounds);

}  // namespace quire::test
