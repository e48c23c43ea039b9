#include "tests/support/fidelity/requantized_weights.h"

#include "kernels/base/dequantize.h"
#include "tests/support/fidelity/requantize.h"

namespace quire::test {
namespace {

std::vector<float> row_as_floats(ConstTensorView matrix, int64_t row) {
  const int64_t num_inputs = matrix.dim(1);
  std::vector<float> values(static_cast<size_t>(num_inputs));
  dequantize_row(matrix.dtype(), matrix.rows(row, 1).data(), values.data(), num_inputs);
  return values;
}

/// The numbers that the blocks of a row stand for.
std::vector<std::byte> rounded_floats(DType dtype, std::vector<float> row) {
  const size_t num_inputs = row.size();
  const auto elements = static_cast<size_t>(dtype_block_elements(dtype));
  row.resize((num_inputs + elements - 1) / elements * elements);
  const std::vector<std::byte> blocks = requantize(dtype, row);
  dequantize_row(dtype, blocks.data(), row.data(), static_cast<int64_t>(row.size()));
  row.resize(num_inputs);
  return requantize(DType::kF32, row);
}

}  // namespace

DType RequantizedWeights::dtype_for(int64_t num_inputs) const {
  return num_inputs % dtype_block_elements(m_to.dtype) == 0 ? m_to.dtype : m_to.fallback;
}

Result<ConstTensorView> RequantizedWeights::tensor(std::string_view name) {
  const TensorInfo* const info = m_source->find(name);
  if (info == nullptr || info->shape.size() != 2) return m_source->tensor(name);
  const DType dtype = m_to.as_floats ? DType::kF32 : dtype_for(info->shape[1]);
  const auto found = m_rounded.find(name);
  const std::vector<std::byte>& bytes =
      found != m_rounded.end() ? found->second : round(name, dtype);
  return ConstTensorView(bytes.data(), dtype, {info->shape[0], info->shape[1]});
}

const std::vector<std::byte>& RequantizedWeights::round(std::string_view name, DType dtype) {
  const auto original = m_source->tensor(name);
  CHECK(original);
  std::vector<std::byte>& bytes = m_rounded[std::string(name)];
  for (int64_t i = 0; i < original->dim(0); ++i) {
    std::vector<float> values = row_as_floats(*original, i);
    const auto row =
        m_to.as_floats ? rounded_floats(m_to.dtype, std::move(values)) : requantize(dtype, values);
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  return bytes;
}

}  // namespace quire::test
