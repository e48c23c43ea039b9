#pragma once

#include <cstdint>

namespace quire {

// The bytes of each block format, from its codes and its scales: the inverse of
// kernels/base/dequantize.cpp. Codes are the unsigned numbers that a file stores.

void store_u16(uint8_t* out, uint16_t value);

/// Q4_0, Q4_1, IQ4_NL, MXFP4 and a group of IQ4_XS: 32 codes of 4 bits as 16 bytes.
void pack_nibbles(const uint8_t* codes, uint8_t* out);
/// Q5_0 and Q5_1: 32 codes of 5 bits as 4 bytes of highest bits and 16 of nibbles.
void pack_five_bits(const uint8_t* codes, uint8_t* out);
/// Q2_K: 256 codes of 2 bits as 64 bytes; the same of the low bits of Q3_K.
void pack_two_bits(const uint8_t* codes, uint8_t* out);
/// Q3_K: the third bits of 256 codes as 32 bytes.
void pack_third_bits(const uint8_t* codes, uint8_t* out);
/// Q3_K: 16 scales from 0 to 63 as 12 bytes.
void pack_q3_scales(const uint8_t* scales, uint8_t* out);
/// Q4_K, Q5_K: 8 scales and 8 minimums from 0 to 63 as 12 bytes.
void pack_q4_scales(const uint8_t* scales, const uint8_t* minimums, uint8_t* out);
/// Q4_K, Q5_K: the low 4 bits of 256 codes as 128 bytes.
void pack_q4_nibbles(const uint8_t* codes, uint8_t* out);
/// Q5_K: the fifth bits of 256 codes as 32 bytes.
void pack_q5_high(const uint8_t* codes, uint8_t* out);
/// Q6_K: 256 codes of 6 bits as 128 bytes of low and 64 of high bits.
void pack_q6(const uint8_t* codes, uint8_t* low, uint8_t* high);

}  // namespace quire
