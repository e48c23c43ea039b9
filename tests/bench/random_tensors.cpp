#include "tests/bench/random_tensors.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "kernels/base/check.h"

namespace quire::bench {
namespace {

/// ggml's number of a type, and where its blocks keep their f16 scales (-1: nowhere).
struct BlockFormat {
  DType dtype;
  uint32_t ggml_type;
  int scale;
  int second_scale;
  float value;  ///< Of the scales: weights of about 0.03.
};
constexpr BlockFormat kFormats[] = {
    {DType::kF32, 0, -1, -1, 0.0f},        {DType::kF16, 1, -1, -1, 0.0f},
    {DType::kBF16, 30, -1, -1, 0.0f},      {DType::kQ4_0, 2, 0, -1, 0.006f},
    {DType::kQ4_1, 3, 0, 2, 0.006f},       {DType::kQ5_0, 6, 0, -1, 0.003f},
    {DType::kQ5_1, 7, 0, 2, 0.003f},       {DType::kQ8_0, 8, 0, -1, 0.0004f},
    {DType::kQ2_K, 10, 80, 82, 0.002f},    {DType::kQ3_K, 11, 108, -1, 0.0008f},
    {DType::kQ4_K, 12, 0, 2, 0.0002f},     {DType::kQ5_K, 13, 0, 2, 0.0001f},
    {DType::kQ6_K, 14, 208, -1, 0.00003f}, {DType::kIQ4_NL, 20, 0, -1, 0.0005f},
    {DType::kIQ4_XS, 23, 0, -1, 0.00003f}, {DType::kMXFP4, 39, -1, -1, 0.0f},
    {DType::kIQ2_XXS, 16, 0, -1, 0.0008f}, {DType::kIQ2_XS, 17, 0, -1, 0.0008f},
    {DType::kIQ2_S, 22, 0, -1, 0.0008f},   {DType::kIQ3_XXS, 18, 0, -1, 0.0003f},
    {DType::kIQ3_S, 21, 0, -1, 0.0003f},
};

const BlockFormat& format_of(DType dtype) {
  for (const BlockFormat& format : kFormats) {
    if (format.dtype == dtype) return format;
  }
  CHECK(false);
}

/// One block, or one element, of random bits whose value is small.
void fill_block(char* block, const BlockFormat& format, uint64_t random) {
  const auto put = [&](int offset, uint16_t bits) {
    if (offset >= 0) std::memcpy(block + offset, &bits, sizeof bits);
  };
  const float weight = (static_cast<float>(random % 2001) - 1000.0f) * 5e-5f;
  if (format.dtype == DType::kF32) std::memcpy(block, &weight, sizeof weight);
  if (format.dtype == DType::kF16) put(0, f32_to_f16(weight));
  if (format.dtype == DType::kBF16) put(0, f32_to_bf16(weight));
  if (format.dtype == DType::kMXFP4) block[0] = 122;  // 2^-5.
  put(format.scale, f32_to_f16(format.value));
  put(format.second_scale, f32_to_f16(format.value));
}

/// Some megabytes of blocks, of which every tensor is made: enough to defeat the caches.
std::string random_blocks(const BlockFormat& format) {
  constexpr size_t kBytes = size_t{4} << 20;
  const auto block_bytes = static_cast<size_t>(dtype_block_bytes(format.dtype));
  std::string bytes(kBytes / block_bytes * block_bytes, '\0');
  std::mt19937_64 random(7);
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    const uint64_t bits = random();
    std::memcpy(bytes.data() + i, &bits, sizeof bits);
  }
  for (size_t at = 0; at < bytes.size(); at += block_bytes) {
    fill_block(bytes.data() + at, format, random());
  }
  return bytes;
}

uint64_t padded(uint64_t bytes) {
  return (bytes + 31) / 32 * 32;
}

}  // namespace

void TensorList::matrix(const std::string& name, DType dtype, int64_t rows, int64_t columns) {
  add_matrices(name, dtype, {static_cast<uint64_t>(columns), static_cast<uint64_t>(rows)});
}

void TensorList::stacked(const std::string& name, DType dtype, int64_t count, int64_t rows,
                         int64_t columns, int64_t num_read) {
  const uint64_t bytes = add_matrices(
      name, dtype,
      {static_cast<uint64_t>(columns), static_cast<uint64_t>(rows), static_cast<uint64_t>(count)});
  m_bytes_unread += static_cast<int64_t>(bytes) / count * (count - num_read);
}

void TensorList::norm(const std::string& name, int64_t size, float value) {
  add(name, {static_cast<uint64_t>(size)}, 0,
      {.bytes = static_cast<uint64_t>(size) * 4, .value = value});
}

void TensorList::write_data(std::ofstream& file) const {
  for (const Tensor& tensor : m_tensors) {
    if (!tensor.blocks) {
      const std::vector<float> values(tensor.bytes / 4, tensor.value);
      file.write(reinterpret_cast<const char*>(values.data()), static_cast<int64_t>(tensor.bytes));
    }
    for (uint64_t done = 0; tensor.blocks && done < tensor.bytes;) {
      const uint64_t count = std::min<uint64_t>(tensor.blocks->size(), tensor.bytes - done);
      file.write(tensor.blocks->data(), static_cast<int64_t>(count));
      done += count;
    }
    const uint64_t rest = padded(tensor.bytes) - tensor.bytes;
    file.write(std::string(rest, '\0').data(), static_cast<int64_t>(rest));
  }
}

uint64_t TensorList::add_matrices(const std::string& name, DType dtype,
                                  const std::vector<uint64_t>& sizes) {
  const BlockFormat& format = format_of(dtype);
  std::string& blocks = m_blocks[dtype];
  if (blocks.empty()) blocks = random_blocks(format);
  auto bytes = static_cast<uint64_t>(dtype_span_bytes(dtype, static_cast<int64_t>(sizes[0])));
  for (size_t i = 1; i < sizes.size(); ++i) bytes *= sizes[i];
  add(name, sizes, format.ggml_type, {.bytes = bytes, .blocks = &blocks});
  return bytes;
}

void TensorList::add(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type,
                     const Tensor& tensor) {
  m_header.entry(name, sizes, type, m_offset);
  m_tensors.push_back(tensor);
  m_offset += padded(tensor.bytes);
}

}  // namespace quire::bench
