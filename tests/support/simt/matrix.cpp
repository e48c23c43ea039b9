#include <simt_device.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/support/simt/block.h"
#include "tests/support/simt/runtime.h"
#include "tests/support/simt/tensor_sum.h"

// Products of matrix fragments and their loads (PTX ISA, "Matrix Fragments for mma.m16n8k16 with
// floating point type", "… for mma.m16n8k32", "ldmatrix").
namespace simt {
namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kColumns = 8;
constexpr unsigned kDepth = 16;

struct MmaSlot {
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};

/// Without branches, so that loops over it become vector code; exact.
float from_f16(uint32_t bits) {
  const float magnitude = std::bit_cast<float>((bits & 0x7fffu) << 13) * 0x1p112f;
  const uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | special |
                              (bits & 0x8000u) << 16);
}

template <bool kIsBf16>
void unpack(uint32_t pair, float& low, float& high) {
  low = kIsBf16 ? std::bit_cast<float>(pair << 16) : from_f16(pair & 0xffffu);
  high = kIsBf16 ? std::bit_cast<float>(pair & 0xffff0000u) : from_f16(pair >> 16);
}

struct Operands {
  float a[kRows][kDepth];
  float b[kDepth][kColumns];
  float d[kRows][kColumns];
};

template <bool kIsBf16>
void gather(Operands& all, void* const (&slots)[kLanes]) {
  auto& [a, b, d] = all;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const MmaSlot& slot = *static_cast<MmaSlot*>(slots[lane]);
    const unsigned g = lane / 4;
    const unsigned c = lane % 4 * 2;
    for (unsigned i = 0; i < 4; ++i) {
      float* const pair = &a[g + i % 2 * 8][c + i / 2 * 8];
      unpack<kIsBf16>(slot.a[i], pair[0], pair[1]);
      d[g + i / 2 * 8][c + i % 2] = slot.d[i];
    }
    for (unsigned i = 0; i < 2; ++i) {
      unpack<kIsBf16>(slot.b[i], b[c + i * 8][g], b[c + i * 8 + 1][g]);
    }
  }
}

void multiply_in_chains(Operands& all) {
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned k = 0; k < kDepth; ++k) {
      for (unsigned column = 0; column < kColumns; ++column) {
        all.d[row][column] += all.a[row][k] * all.b[k][column];
      }
    }
  }
}

/// One row of A, or one column of B.
struct Vector {
  Operand operands[kDepth];
  bool is_finite = true;

  template <bool kIsBf16>
  void set(unsigned k, float x) {
    is_finite = is_finite && std::isfinite(x);
    operands[k] = is_finite ? operand_of(x, kIsBf16 ? 7 : 10, kIsBf16 ? -126 : -14) : Operand{};
  }
};

template <bool kIsBf16>
void multiply_as_gpu(Operands& all, const SumRule& rule) {
  Vector rows[kRows];
  Vector columns[kColumns];
  for (unsigned k = 0; k < kDepth; ++k) {
    for (unsigned i = 0; i < kRows; ++i) rows[i].set<kIsBf16>(k, all.a[i][k]);
    for (unsigned i = 0; i < kColumns; ++i) columns[i].set<kIsBf16>(k, all.b[k][i]);
  }
  const Operands before = all;
  multiply_in_chains(all);  // Infinities and NaNs come to the same in any order.
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      float d = before.d[row][column];
      if (!rows[row].is_finite || !columns[column].is_finite || !std::isfinite(d)) continue;
      for (unsigned k = 0; k < kDepth; k += rule.group) {
        d = add_products(rule, d, &rows[row].operands[k], &columns[column].operands[k],
                         kIsBf16 ? 7 : 10);
      }
      all.d[row][column] = d;
    }
  }
}

template <bool kIsBf16>
void complete_mma(void* const (&slots)[kLanes], unsigned) {
  Operands all;
  gather<kIsBf16>(all, slots);
  switch (runtime().machine().tensor_cores) {
    case TensorCores::kChain:
      multiply_in_chains(all);
      break;
    case TensorCores::kSumsOfEight:
      multiply_as_gpu<kIsBf16>(all, kSumsOfEight);
      break;
    case TensorCores::kSumsOfSixteen:
      multiply_as_gpu<kIsBf16>(all, kSumsOfSixteen);
      break;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float* const to = static_cast<MmaSlot*>(slots[lane])->d;
    for (unsigned i = 0; i < 4; ++i) to[i] = all.d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
  }
}

constexpr WarpOperation kMmaF16 = {"mma_m16n8k16 of f16", &complete_mma<false>, true};
constexpr WarpOperation kMmaBf16 = {"mma_m16n8k16 of bf16", &complete_mma<true>, true};

struct ByteMmaSlot {
  uint32_t* d;
  const uint32_t* a;
  const uint32_t* b;
  const uint32_t* c;
};

/// Element `index` of four signed bytes.
int32_t byte_of(uint32_t word, unsigned index) {
  return static_cast<int8_t>(word >> (8 * index));
}

template <unsigned kBytes>
void complete_byte_mma(void* const (&slots)[kLanes], unsigned) {
  int32_t a[kRows][kBytes];
  int32_t b[kBytes][kColumns];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const ByteMmaSlot& slot = *static_cast<ByteMmaSlot*>(slots[lane]);
    const unsigned g = lane / 4;
    for (unsigned i = 0; i < kBytes / 4; ++i) {
      const unsigned k = lane % 4 * 4 + i / 4 * 16;
      a[g][k + i % 4] = byte_of(slot.a[i / 4 * 2], i % 4);
      a[g + 8][k + i % 4] = byte_of(slot.a[i / 4 * 2 + 1], i % 4);
      b[k + i % 4][g] = byte_of(slot.b[i / 4], i % 4);
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const ByteMmaSlot& slot = *static_cast<ByteMmaSlot*>(slots[lane]);
    for (unsigned i = 0; i < 4; ++i) {
      uint32_t sum = slot.c[i];
      for (unsigned k = 0; k < kBytes; ++k) {
        sum += static_cast<uint32_t>(a[lane / 4 + i / 2 * 8][k] * b[k][lane % 4 * 2 + i % 2]);
      }
      slot.d[i] = sum;
    }
  }
}

constexpr WarpOperation kMmaS8Of16 = {"mma_s8_m16n8k16", &complete_byte_mma<16>, true};
constexpr WarpOperation kMmaS8Of32 = {"mma_s8_m16n8k32", &complete_byte_mma<32>, true};

struct LoadSlot {
  uint32_t* r;
  const void* row;
  const uint16_t* sources[8];  ///< Of the two elements of each of r.
};

template <bool kIsTransposed>
void complete_load(void* const (&slots)[kLanes], unsigned) {
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    const uint16_t* rows[8];
    for (unsigned row = 0; row < 8; ++row) {
      rows[row] =
          static_cast<const uint16_t*>(static_cast<LoadSlot*>(slots[matrix * 8 + row])->row);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned g = lane / 4;
      const unsigned c = lane % 4 * 2;
      const uint16_t* const low = kIsTransposed ? &rows[c][g] : &rows[g][c];
      const uint16_t* const high = kIsTransposed ? &rows[c + 1][g] : &rows[g][c + 1];
      auto& slot = *static_cast<LoadSlot*>(slots[lane]);
      slot.r[matrix] = uint32_t{*low} | uint32_t{*high} << 16;
      slot.sources[matrix * 2] = low;
      slot.sources[matrix * 2 + 1] = high;
    }
  }
}

constexpr WarpOperation kLoad = {"load_matrix_x4", &complete_load<false>, true};
constexpr WarpOperation kLoadTransposed = {"load_matrix_x4_transposed", &complete_load<true>, true};

}  // namespace

void mma_m16n8k16(bool is_bf16, float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                  const Site& site) {
  MmaSlot slot{d, a, b};
  Block::current().meet_warp(is_bf16 ? kMmaBf16 : kMmaF16, ~0u, &slot, site);
}

void mma_s8(unsigned depth, uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
            const uint32_t (&c)[4], const Site& site) {
  ByteMmaSlot slot{d, a, b, c};
  Block::current().meet_warp(depth == 16 ? kMmaS8Of16 : kMmaS8Of32, ~0u, &slot, site);
}

void load_matrix_x4(uint32_t (&r)[4], const void* shared_row, bool is_transposed,
                    const Site& site) {
  check_aligned(shared_row, 16, "load_matrix_x4");
  LoadSlot slot{r, shared_row, {}};
  Block::current().meet_warp(is_transposed ? kLoadTransposed : kLoad, ~0u, &slot, site);
  for (const uint16_t* const source : slot.sources) races::has_read(source, sizeof *source);
}

}  // namespace simt
