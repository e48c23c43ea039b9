#include "tests/bench/gpu/device_memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

namespace quire::bench {
namespace {

constexpr int64_t kPatternBytes = int64_t{2} << 20;

/// Where a block's f16 numbers lie and what they are: weights of about 0.03, their mean 0.
struct BlockScales {
  int scale_offset = -1;
  float scale = 0.0f;
  int minimum_offset = -1;
  float minimum = 0.0f;
};

BlockScales scales_of(DType dtype) {
  switch (dtype) {
    case DType::kQ4_0:
      return {.scale_offset = 0, .scale = 0.0045f};
    case DType::kQ8_0:
      return {.scale_offset = 0, .scale = 0.0003f};
    case DType::kQ4_K:
      return {.scale_offset = 0, .scale = 0.00008f, .minimum_offset = 2, .minimum = 0.0006f};
    case DType::kQ6_K:
      return {.scale_offset = 208, .scale = 0.000015f};
    default:
      CHECK(!is_quantized(dtype));
      return {};
  }
}

void put_half(char* block, int offset, float value) {
  if (offset < 0) return;
  const uint16_t bits = f32_to_f16(value);
  std::memcpy(block + offset, &bits, sizeof bits);
}

/// Makes an element, or the scales of a block, of random bits a number of a model's size.
void tame(char* block, DType dtype, float value, const BlockScales& scales) {
  const auto put = [&](auto bits) { std::memcpy(block, &bits, sizeof bits); };
  if (dtype == DType::kF32) put(value);
  if (dtype == DType::kF16) put(f32_to_f16(value));
  if (dtype == DType::kBF16) put(f32_to_bf16(value));
  // 1.0 at most: what has this bit is larger, or NaN.
  if (dtype == DType::kF8E4M3) put(static_cast<uint8_t>(block[0] & 0xBF));
  put_half(block, scales.scale_offset, scales.scale);
  put_half(block, scales.minimum_offset, scales.minimum);
}

std::vector<char> make_pattern(DType dtype, float amplitude) {
  const int64_t block_bytes = dtype_block_bytes(dtype);
  std::vector<char> bytes(static_cast<size_t>(kPatternBytes / block_bytes * block_bytes));
  std::mt19937_64 random(7);
  for (size_t i = 0; i < bytes.size(); i += sizeof(uint64_t)) {
    const uint64_t bits = random();
    std::memcpy(bytes.data() + i, &bits, std::min(sizeof bits, bytes.size() - i));
  }
  const BlockScales scales = scales_of(dtype);
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(block_bytes)) {
    const float value = static_cast<float>(static_cast<int64_t>(random() >> 40)) * 0x1p-23f - 1.0f;
    tame(bytes.data() + at, dtype, amplitude * value, scales);
  }
  return bytes;
}

/// Made once: a model has hundreds of tensors.
const std::vector<char>& pattern_of(DType dtype, float amplitude) {
  static std::map<std::pair<DType, float>, std::vector<char>> patterns;
  std::vector<char>& pattern = patterns[{dtype, amplitude}];
  if (pattern.empty()) pattern = make_pattern(dtype, amplitude);
  return pattern;
}

}  // namespace

std::vector<char> random_numbers(DType dtype, int64_t num_bytes, float amplitude) {
  const std::vector<char>& pattern = pattern_of(dtype, amplitude);
  std::vector<char> bytes(static_cast<size_t>(num_bytes));
  for (size_t done = 0; done < bytes.size();) {
    const size_t count = std::min(pattern.size(), bytes.size() - done);
    std::memcpy(bytes.data() + done, pattern.data(), count);
    done += count;
  }
  return bytes;
}

TensorView DeviceMemory::keep(DType dtype, std::initializer_list<int64_t> shape) {
  if (m_failure) return {};
  int64_t count = 1;
  for (const int64_t n : shape) count *= n;
  auto buffer = m_backend.allocate(static_cast<size_t>(dtype_span_bytes(dtype, count)));
  if (!buffer) {
    m_failure = buffer.error();
    return {};
  }
  m_buffers.push_back(std::move(*buffer));
  return {m_buffers.back()->data(), dtype, shape};
}

TensorView DeviceMemory::zeros(DType dtype, std::initializer_list<int64_t> shape) {
  return keep(dtype, shape);
}

/// The pattern once, then what is there copied behind itself: a bus is slower than the memory.
void DeviceMemory::fill(void* data, size_t bytes, const std::vector<char>& pattern) {
  size_t done = std::min(bytes, pattern.size());
  m_backend.upload(data, pattern.data(), done);
  auto synchronized = m_backend.synchronize();
  if (!synchronized) m_failure = synchronized.error();
  while (done < bytes) {
    const size_t count = std::min(done, bytes - done);
    m_backend.copy(static_cast<char*>(data) + done, data, count);
    done += count;
  }
}

TensorView DeviceMemory::random(DType dtype, std::initializer_list<int64_t> shape) {
  const TensorView view = keep(dtype, shape);
  if (view.empty()) return view;
  const int64_t bytes = dtype_span_bytes(dtype, view.num_elements());
  fill(view.data(), static_cast<size_t>(bytes), pattern_of(dtype, /*amplitude=*/1.0f));
  return view;
}

TensorView DeviceMemory::floats(std::span<const float> numbers) {
  const TensorView view = keep(DType::kF32, {static_cast<int64_t>(numbers.size())});
  if (view.empty()) return view;
  m_backend.upload(view.data(), numbers.data(), numbers.size_bytes());
  auto done = m_backend.synchronize();
  if (!done) m_failure = done.error();
  return view;
}

TensorView DeviceMemory::integers(std::span<const int32_t> numbers) {
  const TensorView view = keep(DType::kI32, {static_cast<int64_t>(numbers.size())});
  if (view.empty()) return view;
  m_backend.upload(view.data(), numbers.data(), numbers.size_bytes());
  auto done = m_backend.synchronize();
  if (!done) m_failure = done.error();
  return view;
}

const LinearWeight* DeviceMemory::weight(std::span<const ConstTensorView> parts) {
  if (m_failure) return nullptr;
  auto packed = m_backend.pack_linear(parts);
  if (!packed) {
    m_failure = packed.error();
    return nullptr;
  }
  m_weights.push_back(std::move(*packed));
  return m_weights.back().get();
}

Result<void> DeviceMemory::finish() {
  auto done = m_backend.synchronize();
  if (m_failure) return *m_failure;
  return done;
}

}  // namespace quire::bench
