#pragma once

// Included only by the NEON variants' sources. Four floats; see vec_avx2.h for the interface.

#include <arm_neon.h>

#include <cstdint>
#include <cstring>

namespace quire::cpu {
namespace {

struct VecNeon {
  using F = float32x4_t;
  static constexpr int kWidth = 4;
  /// Tile of the blocked GEMM: rows times vectors, 24 accumulators of 32 registers.
  static constexpr int kTileRows = 6;
  static constexpr int kTileVecs = 4;
  static constexpr int direct_vecs(int rows) { return rows <= 3 ? 8 : 4; }
  static constexpr int kTogetherRows = 6;
  static constexpr int kDirectRows = 24;
  static constexpr int kScoreQueries = 4;
  static constexpr int kQueries = 4;

  static F zero() { return vdupq_n_f32(0.0f); }
  static F set1(float x) { return vdupq_n_f32(x); }
  static F load(const float* p) { return vld1q_f32(p); }
  static void store(float* p, F x) { vst1q_f32(p, x); }
  static F add(F a, F b) { return vaddq_f32(a, b); }
  static F sub(F a, F b) { return vsubq_f32(a, b); }
  static F mul(F a, F b) { return vmulq_f32(a, b); }
  static F div(F a, F b) { return vdivq_f32(a, b); }
  static F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
  static F fnma(F a, F b, F c) { return vfmsq_f32(c, a, b); }
  /// As x86: the second operand if either is NaN.
  static F max(F a, F b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
  static F min(F a, F b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
  static F round(F x) { return vrndnq_f32(x); }
  static F abs(F x) { return vabsq_f32(x); }
  static F copy_sign(F magnitude, F sign) {
    return vbslq_f32(vdupq_n_u32(0x80000000u), sign, magnitude);
  }
  static F scale_by_power_of_2(F x, F n) {
    const int32x4_t whole = vcvtq_s32_f32(n);
    const int32x4_t half = vshrq_n_s32(whole, 1);
    return mul(mul(x, power_of_2(half)), power_of_2(vsubq_s32(whole, half)));
  }
  static F power_of_2(int32x4_t n) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23));
  }
  static F select_less(F a, F b, F then, F otherwise) {
    return vbslq_f32(vcltq_f32(a, b), then, otherwise);
  }

  using I = int32x4_t;
  static I load_i(const int32_t* p) {
    return vreinterpretq_s32_u8(vld1q_u8(reinterpret_cast<const uint8_t*>(p)));
  }
  static void store_i(int32_t* p, I x) {
    vst1q_u8(reinterpret_cast<uint8_t*>(p), vreinterpretq_u8_s32(x));
  }
  /// The four bytes at p, each to 16 bits.
  static uint8x8_t load_four_bytes(const uint8_t* p) {
    uint32_t four;
    std::memcpy(&four, p, sizeof four);
    return vcreate_u8(four);
  }
  static I load_u8(const uint8_t* p) {
    const uint16x8_t words = vmovl_u8(load_four_bytes(p));
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words)));
  }
  static I set1_i(int x) { return vdupq_n_s32(x); }
  static I or_i(I a, I b) { return vorrq_s32(a, b); }
  static I and_i(I a, I b) { return vandq_s32(a, b); }
  static I xor_i(I a, I b) { return veorq_s32(a, b); }
  static I add_i(I a, I b) { return vaddq_s32(a, b); }
  static I sub_i(I a, I b) { return vsubq_s32(a, b); }
  static I shift_right(I x, int n) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x), vdupq_n_s32(-n)));
  }
  static I gather(const uint32_t* table, I x) {
    const uint32_t lanes[4] = {table[vgetq_lane_s32(x, 0)], table[vgetq_lane_s32(x, 1)],
                               table[vgetq_lane_s32(x, 2)], table[vgetq_lane_s32(x, 3)]};
    return vreinterpretq_s32_u32(vld1q_u32(lanes));
  }
  static F look_up_16(const float* table, I x) {
    const uint32x4_t index = vandq_u32(vreinterpretq_u32_s32(x), vdupq_n_u32(15));
    const uint32x4_t bytes = vmlaq_u32(vdupq_n_u32(0x03020100), index, vdupq_n_u32(0x04040404));
    return vreinterpretq_f32_u8(vqtbl4q_u8(vld1q_u8_x4(reinterpret_cast<const uint8_t*>(table)),
                                           vreinterpretq_u8_u32(bytes)));
  }
  static I shift_left(I x, int n) { return vshlq_s32(x, vdupq_n_s32(n)); }
  /// The instruction reads n as a signed byte; shifts by 32 places or more give zero.
  static I shift_left_each(I x, I n) {
    const uint32x4_t places = vminq_u32(vreinterpretq_u32_s32(n), vdupq_n_u32(32));
    return vshlq_s32(x, vreinterpretq_s32_u32(places));
  }
  static F to_float(I x) { return vcvtq_f32_s32(x); }
  static F float_of_bits(I x) { return vreinterpretq_f32_s32(x); }
  static F float_of_half(I x) { return widen_f16(vmovn_u32(vreinterpretq_u32_s32(x))); }

  // Bytes: a byte for each lane of four vectors.
  using B = uint8x16_t;
  static B load_b(const uint8_t* p) { return vld1q_u8(p); }
  static void store_b(uint8_t* p, B x) { vst1q_u8(p, x); }
  static I words_of(B x) { return vreinterpretq_s32_u8(x); }
  static B bytes_of(I x) { return vreinterpretq_u8_s32(x); }
  static B negate_b(B x, I bits) {
    static constexpr uint8_t kLanes[16] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
    static constexpr uint8_t kBits[16] = {1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    const uint8x16_t spread = vqtbl1q_u8(vreinterpretq_u8_s32(bits), vld1q_u8(kLanes));
    const uint8x16_t negative = vtstq_u8(spread, vld1q_u8(kBits));
    return vsubq_u8(veorq_u8(x, negative), negative);
  }
  static B set1_b(int x) { return vdupq_n_u8(static_cast<uint8_t>(x)); }
  static B and_b(B a, B b) { return vandq_u8(a, b); }
  static B or_b(B a, B b) { return vorrq_u8(a, b); }
  static B sub_b(B a, B b) { return vsubq_u8(a, b); }
  static B shift_left_b(B x, int n) { return vshlq_u8(x, vdupq_n_s8(static_cast<int8_t>(n))); }
  static B shift_right_b(B x, int n) { return vshlq_u8(x, vdupq_n_s8(static_cast<int8_t>(-n))); }
  static B look_up_b(const int8_t* table, B x) {
    return vreinterpretq_u8_s8(vqtbl1q_s8(vld1q_s8(table), x));
  }

  /// Whether dot() accepts unsigned bytes above 127, which signed bytes cannot hold.
  static constexpr bool kDotsAllBytes = false;
  static constexpr int kInt8Rows = 3;
  static constexpr int kFewRows = 2;
  static constexpr int kInt8Vecs = 4;
  static void widen_b(B x, I (&out)[4]) {
    const uint16x8_t low = vmovl_u8(vget_low_u8(x)), high = vmovl_high_u8(x);
    out[0] = vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(low)));
    out[1] = vreinterpretq_s32_u32(vmovl_high_u16(low));
    out[2] = vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(high)));
    out[3] = vreinterpretq_s32_u32(vmovl_high_u16(high));
  }
  /// sum + the products of bytes, four in each lane.
  static I dot(I sum, B weights, I inputs) { return dot_signed(sum, weights, inputs); }
  /// Inputs are at least -127, so that two products fit into 16 bits.
  static I dot_signed(I sum, B weights, I inputs) {
    const int8x16_t a = vreinterpretq_s8_u8(weights), b = vreinterpretq_s8_s32(inputs);
    const int16x8_t low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    return vpadalq_s16(sum, vpaddq_s16(low, vmull_high_s8(a, b)));
  }
  /// The 4 floats as 8-bit codes.
  static void store_codes(int8_t* p, F x) {
    const int16x4_t narrow = vqmovn_s32(vcvtnq_s32_f32(x));
    const int8x8_t codes = vqmovn_s16(vcombine_s16(narrow, narrow));
    const uint32_t four = vget_lane_u32(vreinterpret_u32_s8(codes), 0);
    std::memcpy(p, &four, sizeof four);
  }

  /// A pair of each of 4 signed bytes of `low` and of `high`.
  static I pairs_of_i8(const int8_t* low, const int8_t* high) {
    int32_t four[2];
    std::memcpy(&four[0], low, sizeof four[0]);
    std::memcpy(&four[1], high, sizeof four[1]);
    const int8x8_t a = vreinterpret_s8_s32(vdup_n_s32(four[0]));
    const int8x8_t b = vreinterpret_s8_s32(vdup_n_s32(four[1]));
    return vreinterpretq_s32_s16(vmovl_s8(vzip1_s8(a, b)));
  }
  static I dot_i16(I sum, I a, I b) {
    const int16x8_t x = vreinterpretq_s16_s32(a);
    const int16x8_t y = vreinterpretq_s16_s32(b);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y));
    return vaddq_s32(sum, vpaddq_s32(low, vmull_high_s16(x, y)));
  }
  /// The 4 floats, which are integers, in 16 bits.
  static void store_i16(int16_t* p, F x) {
    const int16x4_t narrow = vqmovn_s32(vcvtnq_s32_f32(x));
    std::memcpy(p, &narrow, sizeof narrow);
  }

  static F select_range(int first, int begin, int end, F then, F otherwise) {
    const int32x4_t numbers = {0, 1, 2, 3};
    const int32x4_t lanes = vaddq_s32(vdupq_n_s32(first), numbers);
    const uint32x4_t inside =
        vandq_u32(vcgeq_s32(lanes, vdupq_n_s32(begin)), vcltq_s32(lanes, vdupq_n_s32(end)));
    return vbslq_f32(inside, then, otherwise);
  }

  static F load_n(const float* p, int n) {
    if (n >= kWidth) return load(p);
    float buffer[kWidth] = {};
    for (int i = 0; i < n; ++i) buffer[i] = p[i];
    return load(buffer);
  }
  static void store_n(float* p, F x, int n) {
    if (n >= kWidth) return store(p, x);
    float buffer[kWidth];
    store(buffer, x);
    for (int i = 0; i < n; ++i) p[i] = buffer[i];
  }

  static F widen_bf16(uint16x4_t x) { return vreinterpretq_f32_u32(vshll_n_u16(x, 16)); }
  static F widen_f16(uint16x4_t x) { return vcvt_f32_f16(vreinterpret_f16_u16(x)); }
  static uint16x4_t load_u16_n(const uint16_t* p, int n) {
    if (n >= kWidth) return vld1_u16(p);
    uint16_t buffer[kWidth] = {};
    for (int i = 0; i < n; ++i) buffer[i] = p[i];
    return vld1_u16(buffer);
  }
  static void store_u16_n(uint16_t* p, uint16x4_t x, int n) {
    if (n >= kWidth) return vst1_u16(p, x);
    uint16_t buffer[kWidth];
    vst1_u16(buffer, x);
    for (int i = 0; i < n; ++i) p[i] = buffer[i];
  }
  static F load_bf16(const uint16_t* p) { return widen_bf16(vld1_u16(p)); }
  static F load_f16(const uint16_t* p) { return widen_f16(vld1_u16(p)); }
  static F load_bf16_n(const uint16_t* p, int n) { return widen_bf16(load_u16_n(p, n)); }
  static F load_f16_n(const uint16_t* p, int n) { return widen_f16(load_u16_n(p, n)); }
  static void store_bf16_n(uint16_t* p, F x, int n) {
    const uint32x4_t bits = vreinterpretq_u32_f32(x);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t rounded = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    store_u16_n(p, vshrn_n_u32(vbslq_u32(vceqq_f32(x, x), rounded, quiet), 16), n);
  }
  static void store_f16_n(uint16_t* p, F x, int n) {
    store_u16_n(p, vreinterpret_u16_f16(vcvt_f16_f32(x)), n);
  }

  static float reduce_add(F x) {
    const F pairs = vpaddq_f32(x, x);
    return vgetq_lane_f32(vpaddq_f32(pairs, pairs), 0);
  }
  static float reduce_max(F x) {
    const F best = max(x, vextq_f32(x, x, 2));
    return vgetq_lane_f32(max(best, vrev64q_f32(best)), 0);
  }
};

#if defined(__ARM_FEATURE_DOTPROD)
/// With dot-product instructions.
struct VecNeonDotprod : VecNeon {
  static I dot(I sum, B weights, I inputs) { return dot_signed(sum, weights, inputs); }
  static I dot_signed(I sum, B weights, I inputs) {
    return vdotq_s32(sum, vreinterpretq_s8_u8(weights), vreinterpretq_s8_s32(inputs));
  }
};
#endif

}  // namespace
}  // namespace quire::cpu
