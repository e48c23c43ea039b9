#include "engine/quantize/folder_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/io/text.h"
#include "kernels/base/dequantize.h"

namespace quire {
namespace {

Error wrong_size(const SourceTensor& tensor) {
  return {ErrorCode::kCorruptFile, "the files do not hold as many numbers as the tensor " +
                                       for_message(tensor.name) + " " + shape_text(tensor.shape) +
                                       " needs; download them again"};
}

class PlacedRows final : public RowReader {
 public:
  PlacedRows(std::vector<RowPlace> rows, int64_t size) : m_rows(std::move(rows)), m_size(size) {}
  void read(int64_t row, float* out) const override {
    const RowPlace& place = m_rows[static_cast<size_t>(row)];
    dequantize_row(place.dtype, place.data, out, m_size);
  }

 private:
  std::vector<RowPlace> m_rows;
  int64_t m_size;
};

class FloatRows final : public RowReader {
 public:
  FloatRows(std::vector<float> numbers, int64_t size)
      : m_numbers(std::move(numbers)), m_size(size) {}
  void read(int64_t row, float* out) const override {
    const float* const begin = m_numbers.data() + row * m_size;
    std::copy(begin, begin + m_size, out);
  }

 private:
  std::vector<float> m_numbers;
  int64_t m_size;
};

class ColumnRows final : public RowReader {
 public:
  ColumnRows(ConstTensorView file, int64_t rows_per_expert, int64_t first, int64_t step)
      : m_file(file), m_rows_per_expert(rows_per_expert), m_first(first), m_step(step) {}
  void read(int64_t row, float* out) const override {
    const int64_t inputs = m_file.dim(1), outputs = m_file.dim(2);
    const int64_t begin =
        row / m_rows_per_expert * inputs * outputs + m_first + row % m_rows_per_expert * m_step;
    const auto* const data = static_cast<const std::byte*>(m_file.data());
    const int64_t bytes = dtype_bytes(m_file.dtype());
    for (int64_t i = 0; i < inputs; ++i) {
      dequantize_row(m_file.dtype(), data + (begin + i * outputs) * bytes, out + i, 1);
    }
  }

 private:
  ConstTensorView m_file;
  int64_t m_rows_per_expert, m_first, m_step;
};

class Mxfp4Rows final : public RowReader {
 public:
  Mxfp4Rows(std::span<const std::byte> blocks, std::span<const std::byte> scales,
            const SourceTensor& tensor, int64_t first, int64_t step)
      : m_blocks(blocks),
        m_scales(scales),
        m_rows_per_expert(tensor.shape[1]),
        m_size(tensor.row_size()),
        m_first(first),
        m_step(step) {}
  void read(int64_t row, float* out) const override {
    const int64_t stored = row / m_rows_per_expert * m_rows_per_expert * m_step + m_first +
                           row % m_rows_per_expert * m_step;
    for (int64_t block = 0; block < m_size / 32; ++block) {
      const auto at = static_cast<size_t>(stored * (m_size / 32) + block);
      const float scale = std::ldexp(1.0f, std::to_integer<int>(m_scales[at]) - 128);
      for (size_t i = 0; i < 32; ++i) {
        const int byte = std::to_integer<int>(m_blocks[at * 16 + i / 2]);
        const int code = i % 2 == 0 ? byte & 15 : byte >> 4;
        *out++ = scale * static_cast<float>(kMxfp4Values[code]);
      }
    }
  }

 private:
  std::span<const std::byte> m_blocks, m_scales;
  int64_t m_rows_per_expert, m_size, m_first, m_step;
};

}  // namespace

Error misshapen(const SourceTensor& tensor, const WeightSource&) {
  return wrong_size(tensor);
}

void append_rows(ConstTensorView file, const SourceTensor& tensor, int64_t first, int64_t num_files,
                 std::vector<RowPlace>& rows) {
  const int64_t size = tensor.row_size();
  const bool is_stacked = file.rank() == 3;
  const int64_t experts = is_stacked ? file.dim(0) : 1;
  const int64_t stored = file.rank() < 2 ? 1 : file.dim(file.rank() - 2);
  if (experts < 1) return;
  const int64_t wanted = tensor.num_rows() / num_files / experts;
  const bool fits = file.rank() >= 1 && file.dim(file.rank() - 1) == size &&
                    first + wanted <= stored && !is_quantized(file.dtype()) &&
                    is_weight_dtype(file.dtype());
  const auto* const data = static_cast<const std::byte*>(file.data());
  for (int64_t e = 0; fits && e < experts; ++e) {
    for (int64_t row = first; row < first + wanted; ++row) {
      rows.push_back(
          {data + dtype_span_bytes(file.dtype(), (e * stored + row) * size), file.dtype()});
    }
  }
}

std::vector<float> all_floats(ConstTensorView view) {
  std::vector<float> numbers(static_cast<size_t>(view.num_elements()));
  dequantize_row(view.dtype(), view.data(), numbers.data(), view.num_elements());
  return numbers;
}

Result<std::unique_ptr<RowReader>> placed_rows(std::vector<RowPlace> rows,
                                               const SourceTensor& tensor) {
  if (static_cast<int64_t>(rows.size()) != tensor.num_rows()) return wrong_size(tensor);
  return std::unique_ptr<RowReader>(
      std::make_unique<PlacedRows>(std::move(rows), tensor.row_size()));
}

Result<std::unique_ptr<RowReader>> float_rows(std::vector<float> numbers, int64_t row_size) {
  return std::unique_ptr<RowReader>(std::make_unique<FloatRows>(std::move(numbers), row_size));
}

Result<std::unique_ptr<RowReader>> column_rows(ConstTensorView file, const SourceTensor& tensor,
                                               int64_t first, int64_t step) {
  const bool fits = file.rank() == 3 && !is_quantized(file.dtype()) &&
                    is_weight_dtype(file.dtype()) && file.dim(0) == tensor.shape[0] &&
                    file.dim(1) == tensor.shape[2] && file.dim(2) == tensor.shape[1] * step;
  if (!fits) return wrong_size(tensor);
  return std::unique_ptr<RowReader>(
      std::make_unique<ColumnRows>(file, tensor.shape[1], first, step));
}

Result<std::unique_ptr<RowReader>> mxfp4_rows(std::span<const std::byte> blocks,
                                              std::span<const std::byte> scales,
                                              const SourceTensor& tensor, int64_t first,
                                              int64_t step) {
  const auto numbers = static_cast<size_t>(tensor.num_rows() * step * tensor.row_size());
  const bool fits =
      tensor.row_size() % 32 == 0 && blocks.size() == numbers / 2 && scales.size() == numbers / 32;
  if (!fits) return wrong_size(tensor);
  return std::unique_ptr<RowReader>(
      std::make_unique<Mxfp4Rows>(blocks, scales, tensor, first, step));
}

}  // namespace quire
