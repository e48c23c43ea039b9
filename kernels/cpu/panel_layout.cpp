#include "kernels/cpu/panel_layout.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/check.h"
#include "kernels/cpu/cpu_kernels.h"

namespace quire::cpu {
namespace {

/// Where the codes lie in a block: bytes [begin, end). All others belong to its scales.
struct CodeBytes {
  int begin;
  int end;
};

CodeBytes code_bytes(DType dtype) {
  switch (dtype) {
    case DType::kMXFP4:
      return {1, 17};
    case DType::kQ4_0:
    case DType::kIQ4_NL:
      return {2, 18};
    case DType::kQ4_1:
      return {4, 20};
    case DType::kQ5_0:
      return {2, 22};
    case DType::kQ5_1:
      return {4, 24};
    case DType::kQ8_0:
      return {2, 34};
    case DType::kQ2_K:
      return {16, 80};
    case DType::kQ3_K:
      return {0, 96};
    case DType::kQ4_K:
      return {16, 144};
    case DType::kQ5_K:
      return {16, 176};
    case DType::kQ6_K:
      return {0, 192};
    case DType::kIQ4_XS:
      return {8, 136};
    default:
      CHECK(!is_quantized(dtype));
      return {0, 0};
  }
}

/// Whether the first code bytes are the fifth bits of the others.
bool has_fifth_bits(DType dtype) {
  return dtype == DType::kQ5_0 || dtype == DType::kQ5_1;
}

/// The 32 bits of an 8 x 4 matrix, by rows of num_columns, transposed.
uint32_t transpose_bits(uint32_t bits, int num_columns) {
  const int num_rows = 32 / num_columns;
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i) {
    result |= (bits >> i & 1) << (i % num_columns * num_rows + i / num_columns);
  }
  return result;
}

uint32_t load_four(const void* from) {
  uint32_t four;
  std::memcpy(&four, from, sizeof four);
  return four;
}

/// Column `column` of a panel of blocks.
struct BlockColumn {
  uint8_t* panel;
  int64_t column;

  uint8_t* byte(int i) const { return panel + i * kPanelColumns + column; }
  uint8_t* four(int i) const { return panel + i * kPanelColumns + 4 * column; }
};

/// fn(byte, its index) for the single bytes of a block, in ascending order.
template <typename Fn>
void for_each_scale_byte(DType dtype, Fn fn) {
  const CodeBytes codes = code_bytes(dtype);
  const auto num_bytes = static_cast<int>(dtype_block_bytes(dtype));
  for (int i = 0; i < codes.begin; ++i) fn(i);
  for (int i = codes.end; i < num_bytes; ++i) fn(i);
}

void put_block(BlockColumn to, DType dtype, const uint8_t* block) {
  for_each_scale_byte(dtype, [&](int i) { *to.byte(i) = block[i]; });
  const CodeBytes codes = code_bytes(dtype);
  for (int i = codes.begin; i < codes.end; i += 4) std::memcpy(to.four(i), block + i, 4);
  if (!has_fifth_bits(dtype)) return;
  const uint32_t bits = transpose_bits(load_four(block + codes.begin), 4);
  std::memcpy(to.four(codes.begin), &bits, sizeof bits);
}

void take_block(uint8_t* block, DType dtype, BlockColumn from) {
  for_each_scale_byte(dtype, [&](int i) { block[i] = *from.byte(i); });
  const CodeBytes codes = code_bytes(dtype);
  for (int i = codes.begin; i < codes.end; i += 4) std::memcpy(block + i, from.four(i), 4);
  if (!has_fifth_bits(dtype)) return;
  const uint32_t bits = transpose_bits(load_four(block + codes.begin), 8);
  std::memcpy(block + codes.begin, &bits, sizeof bits);
}

void pack_blocks(void* panel, DType dtype, const char* const* rows, int64_t num_rows,
                 int64_t num_inputs) {
  const int64_t block_bytes = dtype_block_bytes(dtype);
  const int64_t num_blocks = num_inputs / dtype_block_elements(dtype);
  for (int64_t b = 0; b < num_blocks; ++b) {
    auto* const blocks = static_cast<uint8_t*>(panel) + b * block_bytes * kPanelColumns;
    for (int64_t j = 0; j < num_rows; ++j) {
      put_block({blocks, j}, dtype, reinterpret_cast<const uint8_t*>(rows[j]) + b * block_bytes);
    }
  }
}

/// A strip of elements at a time, so that both sides stay cached.
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
void take_column(void* row, const void* panel, int64_t column, int64_t num_elements) {
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

void take_pairs(void* row, const void* panel, int64_t column, int64_t num_inputs) {
  auto* const to = static_cast<uint16_t*>(row);
  const auto* const from = static_cast<const uint32_t*>(panel) + column;
  for (int64_t k = 0; k < num_inputs; ++k) {
    to[k] = static_cast<uint16_t>(from[k / 2 * kPanelColumns] >> k % 2 * 16);
  }
}

}  // namespace

int64_t panel_bytes(DType dtype, PanelContent content, int64_t n) {
  if (content == PanelContent::kBf16Pairs) return num_pairs(n) * 4 * kPanelColumns;
  return dtype_span_bytes(dtype, n) * kPanelColumns;
}

void pack_panel(void* panel, DType dtype, PanelContent content, const char* const* rows,
                int64_t num_rows, int64_t num_inputs) {
  if (content == PanelContent::kBf16Pairs) {
    pack_pairs(panel, rows, num_rows, num_inputs);
  } else if (is_quantized(dtype)) {
    pack_blocks(panel, dtype, rows, num_rows, num_inputs);
  } else if (dtype == DType::kF32) {
    transpose_rows<float>(panel, rows, num_rows, num_inputs);
  } else {
    transpose_rows<uint16_t>(panel, rows, num_rows, num_inputs);
  }
}

void unpack_column(void* row, DType dtype, PanelContent content, const void* panel, int64_t column,
                   int64_t n) {
  if (content == PanelContent::kBf16Pairs) return take_pairs(row, panel, column, n);
  if (dtype == DType::kF32) return take_column<float>(row, panel, column, n);
  if (!is_quantized(dtype)) return take_column<uint16_t>(row, panel, column, n);
  const int64_t block_bytes = dtype_block_bytes(dtype);
  for (int64_t b = 0; b < n / dtype_block_elements(dtype); ++b) {
    auto* const blocks =
        static_cast<uint8_t*>(const_cast<void*>(panel)) + b * block_bytes * kPanelColumns;
    take_block(static_cast<uint8_t*>(row) + b * block_bytes, dtype, {blocks, column});
  }
}

}  // namespace quire::cpu
