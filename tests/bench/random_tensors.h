#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kernels/base/dtype.h"
#include "tests/engine/io/gguf_builder.h"

namespace quire::bench {

/// The tensors that a file of random weights will hold, in order, with their places.
class TensorList {
 public:
  explicit TensorList(test::GgufBuilder& header) : m_header(header) {}

  void matrix(const std::string& name, DType dtype, int64_t rows, int64_t columns);
  /// `count` matrices beside each other, of which `num_read` are read to decode a token.
  void stacked(const std::string& name, DType dtype, int64_t count, int64_t rows, int64_t columns,
               int64_t num_read);
  /// Equal numbers in f32.
  void norm(const std::string& name, int64_t size, float value = 1.0f);

  /// What is read to decode a token.
  int64_t bytes_read() const { return static_cast<int64_t>(m_offset) - m_bytes_unread; }

  void write_data(std::ofstream& file) const;

 private:
  struct Tensor {
    uint64_t bytes = 0;
    const std::string* blocks = nullptr;  ///< Of m_blocks; null: all numbers are `value`.
    float value = 1.0f;
  };
  /// The bytes of the tensor.
  uint64_t add_matrices(const std::string& name, DType dtype, const std::vector<uint64_t>& sizes);
  void add(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type,
           const Tensor& tensor);

  test::GgufBuilder& m_header;
  std::map<DType, std::string> m_blocks;
  std::vector<Tensor> m_tensors;
  uint64_t m_offset = 0;
  int64_t m_bytes_unread = 0;
};

}  // namespace quire::bench
