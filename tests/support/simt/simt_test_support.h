#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

/// Device memory with a vector's content.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : m_count(values.size()) {
    cudaMalloc(&m_memory, m_count * sizeof(T));
    cudaMemcpy(m_memory, values.data(), m_count * sizeof(T), cudaMemcpyHostToDevice);
  }
  explicit OnDevice(size_t count) : OnDevice(std::vector<T>(count)) {}
  ~OnDevice() { cudaFree(m_memory); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return m_memory; }
  std::vector<T> values() const {
    std::vector<T> values(m_count);
    cudaMemcpy(values.data(), m_memory, m_count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  size_t m_count;
  T* m_memory = nullptr;
};

struct Shape {
  dim3 grid = 1;
  dim3 block = 32;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Shape& shape, Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = shape.stream;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/// What a child process that does this writes to its standard error; nothing if it does not die.
std::string last_words(const std::function<void()>& what);
