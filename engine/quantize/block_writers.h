#pragma once

#include <cstdint>

#include "engine/quantize/block_packing.h"
#include "engine/quantize/scale_search.h"
#include "kernels/base/dtype.h"

namespace quire {

// One function for each format: it reads the numbers x of a block and the weights of their errors,
// and writes the block's bytes.

/// Blocks of 32 numbers.
void write_q4_0(const float* x, const float* weights, uint8_t* out);
void write_q5_0(const float* x, const float* weights, uint8_t* out);
void write_iq4_nl(const float* x, const float* weights, uint8_t* out);
void write_q8_0(const float* x, const float* weights, uint8_t* out);
void write_q4_1(const float* x, const float* weights, uint8_t* out);
void write_q5_1(const float* x, const float* weights, uint8_t* out);
void write_mxfp4(const float* x, const float* weights, uint8_t* out);

/// Numbers of a block whose groups have scales of their own.
inline constexpr int kSuperBlock = 256;
void write_q3_k(const float* x, const float* weights, uint8_t* out);
void write_q6_k(const float* x, const float* weights, uint8_t* out);
void write_iq4_xs(const float* x, const float* weights, uint8_t* out);
void write_q2_k(const float* x, const float* weights, uint8_t* out);
void write_q4_k(const float* x, const float* weights, uint8_t* out);
void write_q5_k(const float* x, const float* weights, uint8_t* out);

// What the writers share.

inline float rounded_f16(float value) {
  return f16_to_f32(f32_to_f16(value));
}

template <int G>
void to_bytes(const float* codes, int low, uint8_t* out) {
  for (int i = 0; i < G; ++i) out[i] = static_cast<uint8_t>(static_cast<int>(codes[i]) - low);
}

/// The places of values of kIq4Values.
template <int G>
void to_iq4(const float* values, uint8_t* out) {
  for (int i = 0; i < G; ++i) {
    int place = 0;
    while (place < 15 && static_cast<float>(kIq4Values[place]) < values[i]) ++place;
    out[i] = static_cast<uint8_t>(place);
  }
}

}  // namespace quire
