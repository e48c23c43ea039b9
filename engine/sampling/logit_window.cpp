// A vocabulary parted at a window of buckets, in one pass (LogitPasses::part).

#include "engine/sampling/logit_window.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>

#include "engine/sampling/logit_lanes.h"

namespace quire {
namespace {

/// A block with its weights.
struct WeighedBlock {
  int32_t first_id;
  const int32_t* buckets;  ///< (kLogitBlock)
  const float* weights;    ///< (kLogitBlock)
};

struct PartSums {
  double before = 0.0;  ///< Of the weights before the window,
  double kept = 0.0;    ///< and of those of at least `least`.
};

/// Parts a block: lists those in the window.
using PartBlock = PartSums (*)(const WeighedBlock& block, const Parting& parting,
                               WindowTokens& tokens);

template <class V>
constexpr size_t kSpanLogits = std::max(kRowLogits<V>, kLogitBlock);

/// A vocabulary that is being parted.
struct Progress {
  SoftmaxWeight weight;
  const Parting& parting;
  double* sums;  ///< Of the next block.
  WindowTokens& tokens;
  double before = 0.0;  ///< The sum of the weights before the window so far.
};

/// kSpanLogits logits, of which the first `count` are tokens.
template <class V, PartBlock part_block>
QUIRE_INLINE void part_span(const float* logits, int32_t first_id, size_t count, Progress& to) {
  alignas(64) float weights[kSpanLogits<V>];
  alignas(64) int32_t buckets[kSpanLogits<V>];
  for (size_t i = 0; i < kSpanLogits<V>; i += kRowLogits<V>) {
    find_buckets<V>(logits + i, to.weight, buckets + i);
    weigh_row<V>(logits + i, to.weight, weights + i);
  }
  for (size_t i = 0; i < count; i += kLogitBlock) {
    const WeighedBlock block = {first_id + static_cast<int32_t>(i), buckets + i, weights + i};
    const PartSums of_block = part_block(block, to.parting, to.tokens);
    to.before += of_block.before;
    *to.sums++ = of_block.kept;
  }
}

template <class V, PartBlock part_block>
QUIRE_INLINE double part_all(std::span<const float> logits, Progress progress) {
  constexpr size_t kSpan = kSpanLogits<V>;
  size_t i = 0;
  for (; i + kSpan <= logits.size(); i += kSpan) {
    part_span<V, part_block>(logits.data() + i, static_cast<int32_t>(i), kSpan, progress);
  }
  if (i < logits.size()) {
    float last[kSpan];
    std::fill(std::copy(logits.begin() + static_cast<std::ptrdiff_t>(i), logits.end(), last),
              std::end(last), kMasked);
    part_span<V, part_block>(last, static_cast<int32_t>(i), logits.size() - i, progress);
  }
  return progress.before;
}

PartSums part_block_plain(const WeighedBlock& block, const Parting& parting, WindowTokens& tokens) {
  PartSums sums;
  size_t count = tokens.count;
  for (size_t i = 0; i < kLogitBlock; ++i) {
    const int32_t bucket = block.buckets[i];
    const bool is_before = bucket < parting.window.begin;
    const auto weight = static_cast<double>(block.weights[i]);
    sums.before += is_before ? weight : 0.0;
    sums.kept += is_before && block.weights[i] >= parting.least ? weight : 0.0;
    tokens.ids[count] = block.first_id + static_cast<int32_t>(i);
    tokens.buckets[count] = bucket;
    tokens.weights[count] = block.weights[i];
    count += !is_before && bucket < parting.window.end ? 1 : 0;
  }
  tokens.count = count;
  return sums;
}

#ifdef __x86_64__
/// Adds eight floats to four doubles.
[[gnu::target("avx2")]] inline void add_avx2(__m256d& sum, __m256 x) {
  sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_castps256_ps128(x)));
  sum = _mm256_add_pd(sum, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)));
}

[[gnu::target("avx2")]] inline double reduce_avx2(__m256d x) {
  const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

[[gnu::target("avx2")]] PartSums part_block_avx2(const WeighedBlock& block, const Parting& parting,
                                                 WindowTokens& tokens) {
  const __m256i begin = _mm256_set1_epi32(parting.window.begin);
  const __m256i end = _mm256_set1_epi32(parting.window.end);
  const __m256 least = _mm256_set1_ps(parting.least);
  __m256d before = _mm256_setzero_pd();
  __m256d kept = _mm256_setzero_pd();
  size_t count = tokens.count;
  for (size_t i = 0; i < kLogitBlock; i += 8) {
    const __m256i bucket = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block.buckets + i));
    const __m256i is_before = _mm256_cmpgt_epi32(begin, bucket);
    const __m256 weights =
        _mm256_and_ps(_mm256_loadu_ps(block.weights + i), _mm256_castsi256_ps(is_before));
    add_avx2(before, weights);
    add_avx2(kept, _mm256_and_ps(weights, _mm256_cmp_ps(weights, least, _CMP_GE_OQ)));
    const __m256i is_in = _mm256_andnot_si256(is_before, _mm256_cmpgt_epi32(end, bucket));
    auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_in)));
    for (; mask != 0; mask &= mask - 1, ++count) {
      const size_t at = i + static_cast<size_t>(__builtin_ctz(mask));
      tokens.ids[count] = block.first_id + static_cast<int32_t>(at);
      tokens.buckets[count] = block.buckets[at];
      tokens.weights[count] = block.weights[at];
    }
  }
  tokens.count = count;
  return {reduce_avx2(before), reduce_avx2(kept)};
}

/// Adds sixteen floats, those of the mask, to eight doubles.
[[gnu::target("avx512f")]] inline void add_avx512(__m512d& sum, __mmask16 mask, __m512 x) {
  const __m512 chosen = _mm512_maskz_mov_ps(mask, x);
  sum = _mm512_add_pd(sum, _mm512_cvtps_pd(_mm512_castps512_ps256(chosen)));
  sum = _mm512_add_pd(
      sum, _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(chosen), 1))));
}

[[gnu::target("avx512f,popcnt")]] PartSums part_block_avx512(const WeighedBlock& block,
                                                             const Parting& parting,
                                                             WindowTokens& tokens) {
  const __m512i begin = _mm512_set1_epi32(parting.window.begin);
  const __m512i end = _mm512_set1_epi32(parting.window.end);
  const __m512 least = _mm512_set1_ps(parting.least);
  const __m512i ascending = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512d before = _mm512_setzero_pd();
  __m512d kept = _mm512_setzero_pd();
  size_t count = tokens.count;
  for (size_t i = 0; i < kLogitBlock; i += 16) {
    const __m512i bucket = _mm512_loadu_si512(block.buckets + i);
    const __m512 weights = _mm512_loadu_ps(block.weights + i);
    const __mmask16 is_before = _mm512_cmplt_epi32_mask(bucket, begin);
    add_avx512(before, is_before, weights);
    add_avx512(kept, _mm512_mask_cmp_ps_mask(is_before, weights, least, _CMP_GE_OQ), weights);
    const auto is_in = static_cast<__mmask16>(_mm512_cmplt_epi32_mask(bucket, end) & ~is_before);
    const __m512i ids =
        _mm512_add_epi32(ascending, _mm512_set1_epi32(block.first_id + static_cast<int32_t>(i)));
    _mm512_storeu_si512(&tokens.ids[count], _mm512_maskz_compress_epi32(is_in, ids));
    _mm512_storeu_si512(&tokens.buckets[count], _mm512_maskz_compress_epi32(is_in, bucket));
    _mm512_storeu_ps(&tokens.weights[count], _mm512_maskz_compress_ps(is_in, weights));
    count += static_cast<size_t>(__builtin_popcount(is_in));
  }
  tokens.count = count;
  return {_mm512_reduce_add_pd(before), _mm512_reduce_add_pd(kept)};
}
#endif

}  // namespace

double part_plain(std::span<const float> logits, SoftmaxWeight weight, const Parting& parting,
                  std::span<double> sums, WindowTokens& tokens) {
  return part_all<Vec<4>, part_block_plain>(logits, {weight, parting, sums.data(), tokens});
}

#ifdef __x86_64__
[[gnu::target("avx2")]] double part_avx2(std::span<const float> logits, SoftmaxWeight weight,
                                         const Parting& parting, std::span<double> sums,
                                         WindowTokens& tokens) {
  return part_all<Vec<8>, part_block_avx2>(logits, {weight, parting, sums.data(), tokens});
}

[[gnu::target("avx512f")]] double part_avx512(std::span<const float> logits, SoftmaxWeight weight,
                                              const Parting& parting, std::span<double> sums,
                                              WindowTokens& tokens) {
  return part_all<Vec<16>, part_block_avx512>(logits, {weight, parting, sums.data(), tokens});
}
#endif

}  // namespace quire
