#include "kernels/cpu/panel_layout.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/check.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// The bytes [begin, end) of a block hold codes, the other bytes hold scales.
struct CodeBytes {
  int begin;
  int end;
};

/// dtype: quantised.
CodeBytes code_bytes(DType dtype) {
  // By DType's order, from kQ4_0 on.
  constexpr CodeBytes kCodes[] = {
      {2, 18},   {4, 20},  {2, 22}, {4, 24},  {2, 34},  {16, 80}, {0, 96}, {16, 144},
      {16, 176}, {0, 192}, {2, 18}, {8, 136}, {1, 17},  {2, 66},  {2, 66}, {2, 74},
      {2, 98},   {2, 106}, {2, 50}, {0, 48},  {0, 52},  {0, 64},  {4, 36}, {2, 18},
      {2, 18},   {3, 19},  {3, 35}, {3, 67},  {4, 132}, {4, 132}, {4, 36}};
  static_assert(sizeof kCodes / sizeof kCodes[0] ==
                static_cast<size_t>(kLastDType) - static_cast<size_t>(DType::kQ4_0) + 1);
  return kCodes[static_cast<size_t>(dtype) - static_cast<size_t>(DType::kQ4_0)];
}

/// Whether the first code bytes hold the fifth bits of the others.
bool has_fifth_bits(DType dtype) {
  return dtype == DType::kQ5_0 || dtype == DType::kQ5_1;
}

/// Exchanges the bits of `mask` with those `shift` places above.
uint32_t swap_bits(uint32_t bits, uint32_t mask, int shift) {
  const uint32_t differ = (bits ^ bits >> shift) & mask;
  return bits ^ differ ^ differ << shift;
}

/// Moves each bit to the place whose 5-bit index is its own rotated right by `places`. Two places:
/// bit 4 q + i moves to 8 i + q. A rotation by one exchanges neighbouring index bits four times.
uint32_t rotate_indices(uint32_t bits, int places) {
  for (int i = 0; i < places; ++i) {
    bits = swap_bits(bits, 0x22222222, 1);
    bits = swap_bits(bits, 0x0c0c0c0c, 2);
    bits = swap_bits(bits, 0x00f000f0, 4);
    bits = swap_bits(bits, 0x0000ff00, 8);
  }
  return bits;
}

/// Copies a block's fifth bits, reordered; back with the other three of the five places.
void copy_fifth_bits(uint8_t* to, const uint8_t* from, int places) {
  uint32_t bits;
  std::memcpy(&bits, from, sizeof bits);
  bits = rotate_indices(bits, places);
  std::memcpy(to, &bits, sizeof bits);
}

/// The offset of byte i of a column's block, and of the four bytes from i on.
int64_t byte_at(int i, int64_t column) {
  return i * int64_t{kPanelColumns} + column;
}
int64_t four_at(int i, int64_t column) {
  return i * int64_t{kPanelColumns} + 4 * column;
}

/// fn(i) for each byte i of a block's scales.
template <typename Fn>
void for_each_scale_byte(DType dtype, Fn fn) {
  const CodeBytes codes = code_bytes(dtype);
  const auto num_bytes = static_cast<int>(dtype_block_bytes(dtype));
  for (int i = 0; i < codes.begin; ++i) fn(i);
  for (int i = codes.end; i < num_bytes; ++i) fn(i);
}

void pack_block(uint8_t* blocks, int64_t column, DType dtype, const uint8_t* block) {
  for_each_scale_byte(dtype, [&](int i) { blocks[byte_at(i, column)] = block[i]; });
  const CodeBytes codes = code_bytes(dtype);
  for (int i = codes.begin; i < codes.end; i += 4) {
    std::memcpy(blocks + four_at(i, column), block + i, 4);
  }
  if (!has_fifth_bits(dtype)) return;
  copy_fifth_bits(blocks + four_at(codes.begin, column), block + codes.begin, 2);
}

void unpack_block(uint8_t* block, DType dtype, const uint8_t* blocks, int64_t column) {
  for_each_scale_byte(dtype, [&](int i) { block[i] = blocks[byte_at(i, column)]; });
  const CodeBytes codes = code_bytes(dtype);
  for (int i = codes.begin; i < codes.end; i += 4) {
    std::memcpy(block + i, blocks + four_at(i, column), 4);
  }
  if (has_fifth_bits(dtype)) copy_fifth_bits(block + codes.begin, block + codes.begin, 3);
}

void pack_blocks(void* panel, DType dtype, const char* const* rows, int64_t num_rows,
                 int64_t num_inputs) {
  const int64_t block_bytes = dtype_block_bytes(dtype);
  const int64_t num_blocks = num_inputs / dtype_block_elements(dtype);
  for (int64_t b = 0; b < num_blocks; ++b) {
    auto* const blocks = static_cast<uint8_t*>(panel) + b * block_bytes * kPanelColumns;
    for (int64_t j = 0; j < num_rows; ++j) {
      pack_block(blocks, j, dtype, reinterpret_cast<const uint8_t*>(rows[j]) + b * block_bytes);
    }
  }
}

void unpack_blocks(void* row, DType dtype, const void* panel, int64_t column, int64_t num_inputs) {
  const int64_t block_bytes = dtype_block_bytes(dtype);
  for (int64_t b = 0; b < num_inputs / dtype_block_elements(dtype); ++b) {
    unpack_block(static_cast<uint8_t*>(row) + b * block_bytes, dtype,
                 static_cast<const uint8_t*>(panel) + b * block_bytes * kPanelColumns, column);
  }
}

/// Transposes in strips, so that both source and destination stay in the cache.
template <typename Element>
void transpose_rows(void* panel, const char* const* rows, int64_t num_rows, int64_t num_elements) {
  constexpr int64_t kStrip = 128 / sizeof(Element);
  auto* const to = static_cast<Element*>(panel);
  for (int64_t begin = 0; begin < num_elements; begin += kStrip) {
    const int64_t end = std::min(begin + kStrip, num_elements);
    for (int64_t j = 0; j < num_rows; ++j) {
      for (int64_t k = begin; k < end; ++k) {
        std::memcpy(to + k * kPanelColumns + j, rows[j] + k * static_cast<int64_t>(sizeof(Element)),
                    sizeof(Element));
      }
    }
  }
}

template <typename Element>
void unpack_elements(void* row, const void* panel, int64_t column, int64_t num_elements) {
  auto* const to = static_cast<Element*>(row);
  const auto* const from = static_cast<const Element*>(panel) + column;
  for (int64_t k = 0; k < num_elements; ++k) to[k] = from[k * kPanelColumns];
}

uint32_t load_bf16(const char* row, int64_t k, int64_t num_inputs) {
  uint16_t bits = 0;
  if (k < num_inputs) std::memcpy(&bits, row + 2 * k, sizeof bits);
  return bits;
}

int64_t num_pairs(int64_t num_inputs) {
  return (num_inputs + kBf16Inputs - 1) / kBf16Inputs * kBf16Inputs / 2;
}

void pack_pairs(void* panel, const char* const* rows, int64_t num_rows, int64_t num_inputs) {
  auto* const to = static_cast<uint32_t*>(panel);
  for (int64_t begin = 0; begin < num_pairs(num_inputs); begin += kBf16Inputs / 2) {
    for (int64_t j = 0; j < num_rows; ++j) {
      for (int64_t pair = begin; pair < begin + kBf16Inputs / 2; ++pair) {
        const int64_t k = 2 * pair;
        to[pair * kPanelColumns + j] =
            load_bf16(rows[j], k, num_inputs) | load_bf16(rows[j], k + 1, num_inputs) << 16;
      }
    }
  }
}

void unpack_pairs(void* row, const void* panel, int64_t column, int64_t num_inputs) {
  auto* const to = static_cast<uint16_t*>(row);
  const auto* const from = static_cast<const uint32_t*>(panel) + column;
  for (int64_t k = 0; k < num_inputs; ++k) {
    to[k] = static_cast<uint16_t>(from[k / 2 * kPanelColumns] >> k % 2 * 16);
  }
}

}  // namespace

int64_t panel_bytes(PanelFormat format, int64_t n) {
  if (format.content == PanelContent::kBf16Pairs) return num_pairs(n) * 4 * kPanelColumns;
  return dtype_span_bytes(format.dtype, n) * kPanelColumns;
}

void pack_panel(void* panel, PanelFormat format, const char* const* rows, int64_t num_rows,
                int64_t num_inputs) {
  if (format.content == PanelContent::kBf16Pairs) {
    pack_pairs(panel, rows, num_rows, num_inputs);
  } else if (is_quantized(format.dtype)) {
    pack_blocks(panel, format.dtype, rows, num_rows, num_inputs);
  } else if (format.dtype == DType::kF32) {
    transpose_rows<float>(panel, rows, num_rows, num_inputs);
  } else {
    transpose_rows<uint16_t>(panel, rows, num_rows, num_inputs);
  }
}

void unpack_column(void* row, PanelFormat format, const void* panel, int64_t column, int64_t n) {
  if (format.content == PanelContent::kBf16Pairs) return unpack_pairs(row, panel, column, n);
  if (is_quantized(format.dtype)) return unpack_blocks(row, format.dtype, panel, column, n);
  if (format.dtype == DType::kF32) return unpack_elements<float>(row, panel, column, n);
  unpack_elements<uint16_t>(row, panel, column, n);
}

}  // namespace quire::cpu
