// rope_cos_sin and rope_and_store.

#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/key_pages.h"

using namespace quire;
using namespace quire::test;

namespace {

constexpr int64_t kRows = 37;
constexpr int64_t kBlocks = 5;

/// Rows of fused q, k and v, and where they go.
struct Problem {
  int64_t H;
  int64_t Hkv;
  int64_t D;
  int64_t R;
  std::vector<float> qkv;
  std::vector<float> cos_sin;
  std::vector<int32_t> slot_of_row;

  Problem(int64_t h, int64_t hkv, int64_t d, int64_t r) : H(h), Hkv(hkv), D(d), R(r) {
    Numbers numbers(static_cast<uint32_t>(d * 10 + r));
    qkv = numbers.floats(kRows * (H + 2 * Hkv) * D);
    for (int64_t t = 0; t < kRows; ++t) {
      std::vector<float> angles = numbers.floats(R, 3.0f);
      for (float angle : angles) cos_sin.push_back(std::cos(angle));
      for (float angle : angles) cos_sin.push_back(std::sin(angle));
      // Every fifth row is written nowhere; the others go to slots of their own.
      slot_of_row.push_back(t % 5 == 4 ? -1 : static_cast<int32_t>(t * 7 % (kBlocks * kBlockSize)));
    }
  }
  int64_t width() const { return (H + 2 * Hkv) * D; }
};

/// The arithmetic of one pair as Hugging Face does it: each product rounded to float.
float rotated(float a, float b, float c, float s, bool first) {
  return first ? a * c - b * s : b * c + a * s;
}

struct Outcome {
  std::vector<float> qkv;
  TypedNumbers keys;
  TypedNumbers values;
};

Outcome run(Backend& backend, const Problem& p, DType dtype, int64_t begin, int64_t count) {
  const int64_t pool = kBlocks * p.Hkv * kBlockSize * p.D;
  Outcome o = {p.qkv, in_dtype(dtype, std::vector<float>(static_cast<size_t>(pool), 9.0f)),
               in_dtype(dtype, std::vector<float>(static_cast<size_t>(pool), 9.0f))};
  std::vector<float> cos_sin = p.cos_sin;
  std::vector<int32_t> row_slots = p.slot_of_row;
  const TensorView rows = view(o.qkv, {kRows, p.width()}).rows(begin, count);
  const KeyPages key_pages(backend, p.D);
  backend.rope_and_store(rows.columns(0, p.H * p.D).split_columns(p.D),
                         rows.columns(p.H * p.D, p.Hkv * p.D).split_columns(p.D),
                         rows.columns((p.H + p.Hkv) * p.D, p.Hkv * p.D).split_columns(p.D),
                         view(cos_sin, {kRows, 2 * p.R}).rows(begin, count),
                         view(row_slots, {kRows}).rows(begin, count),
                         {key_pages.view(o.keys.data(), dtype, kBlocks, p.Hkv),
                          {o.values.data(), dtype, {kBlocks, p.Hkv, kBlockSize, p.D}}});
  o.keys.exact = key_pages.from_device(o.keys.exact);
  o.keys.halves = key_pages.from_device(o.keys.halves);
  return o;
}

float stored(const TypedNumbers& pool, size_t i) {
  if (pool.dtype == DType::kF32) return pool.exact[i];
  return pool.dtype == DType::kBF16 ? bf16_to_f32(pool.halves[i]) : f16_to_f32(pool.halves[i]);
}

}  // namespace

class TestRope : public QObject {
  Q_OBJECT

 private slots:
  void rope_cos_sin_isThatOfTheFloatAngle() {
    std::vector<int32_t> positions = {0, 1, 4095, 131071};
    std::vector<float> inv_freq;
    for (int i = 0; i < 32; ++i) inv_freq.push_back(1.0f / std::pow(10000.0f, i / 32.0f));
    for (const std::string& isa : instruction_sets()) {
      std::vector<float> out(4 * 64);
      make_backend(isa, 2)->rope_cos_sin(view(out, {4, 64}), view(positions, {4}),
                                         view(inv_freq, {32}), 1.5f);
      for (size_t t = 0; t < 4; ++t) {
        for (size_t i = 0; i < 32; ++i) {
          const float angle = static_cast<float>(positions[t]) * inv_freq[i];
          QCOMPARE_LE(std::fabs(out[t * 64 + i] - 1.5 * std::cos(double{angle})), 2e-7);
          QCOMPARE_LE(std::fabs(out[t * 64 + 32 + i] - 1.5 * std::sin(double{angle})), 2e-7);
        }
      }
    }
  }

  void rope_and_store_rotatesAndWrites_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("D");
    QTest::addColumn<int>("R");
    for (const std::string& isa : instruction_sets()) {
      for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
        // Whole, partial and no rotation; widths that are no multiple of a vector.
        for (const auto& [D, R] : {std::pair{64, 32}, {128, 64}, {80, 20}, {13, 6}, {24, 5}}) {
          QTest::addRow("%s %s D=%d R=%d", isa.c_str(), dtype_name(dtype).data(), D, R)
              << QString::fromStdString(isa) << static_cast<int>(dtype) << D << R;
        }
      }
    }
  }
  void rope_and_store_rotatesAndWrites() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    QFETCH(int, D);
    QFETCH(int, R);
    const Problem p(6, 2, D, R);
    const auto backend = make_backend(isa.toStdString(), 2);
    const Outcome o = run(*backend, p, static_cast<DType>(dtype), 0, kRows);

    // q and k in place, v unchanged: the same bits on every instruction set.
    std::vector<float> expected = p.qkv;
    for (int64_t t = 0; t < kRows; ++t) {
      const float* const c = p.cos_sin.data() + t * 2 * R;
      for (int64_t h = 0; h < p.H + p.Hkv; ++h) {
        float* const x = expected.data() + t * p.width() + h * D;
        for (int i = 0; i < R; ++i) {
          const float a = x[i];
          const float b = x[i + R];
          x[i] = rotated(a, b, c[i], c[R + i], true);
          x[i + R] = rotated(a, b, c[i], c[R + i], false);
        }
      }
    }
    QVERIFY(same_bits(o.qkv, expected));

    // The pages: rounded k and v at the slots, everything else untouched.
    std::vector<float> keys(o.keys.exact.size(), 9.0f);
    std::vector<float> values = keys;
    for (int64_t t = 0; t < kRows; ++t) {
      if (p.slot_of_row[t] < 0) continue;
      for (int64_t h = 0; h < p.Hkv; ++h) {
        const int64_t block = p.slot_of_row[t] / kBlockSize;
        const int64_t slot = p.slot_of_row[t] % kBlockSize;
        const int64_t to = ((block * p.Hkv + h) * kBlockSize + slot) * D;
        const float* const k = expected.data() + t * p.width() + (p.H + h) * D;
        std::copy_n(k, D, keys.begin() + to);
        std::copy_n(k + p.Hkv * D, D, values.begin() + to);
      }
    }
    const TypedNumbers rounded_keys = in_dtype(static_cast<DType>(dtype), keys);
    const TypedNumbers rounded_values = in_dtype(static_cast<DType>(dtype), values);
    for (size_t i = 0; i < keys.size(); ++i) {
      QCOMPARE(stored(o.keys, i), rounded_keys.exact[i]);
      QCOMPARE(stored(o.values, i), rounded_values.exact[i]);
    }
  }

  /// Latent attention's values are the dimensions of its keys that are not rotated.
  void rope_and_store_storesValuesOfAnotherWidth() {
    constexpr int64_t D = 40, Dv = 24, R = 8;
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 2);
      std::vector<float> q = Numbers(3).floats(2 * 5 * D);
      std::vector<float> k = Numbers(4).floats(2 * D);
      const std::vector<float> before = k;
      std::vector<float> cos_sin = Numbers(5).floats(2 * 2 * R);
      std::vector<int32_t> row_slots = {kBlockSize + 3, 2};
      std::vector<float> keys(2 * D * kBlockSize, 9.0f);
      std::vector<float> values(2 * Dv * kBlockSize, 9.0f);
      const TensorView rows = view(k, {2, D});
      const KeyPages key_pages(*backend, D);
      backend->rope_and_store(
          view(q, {2, 5, D}), rows.split_columns(D), rows.columns(D - Dv, Dv).split_columns(Dv),
          view(cos_sin, {2, 2 * R}), view(row_slots, {2}),
          {key_pages.view(keys.data(), DType::kF32, 2, 1), view(values, {2, 1, kBlockSize, Dv})});
      keys = key_pages.from_device(keys);
      for (int64_t t = 0; t < 2; ++t) {
        const int64_t slot = row_slots[static_cast<size_t>(t)];
        QVERIFY(same_bits(keys.data() + slot * D, k.data() + t * D, D));
        QVERIFY(!same_bits(keys.data() + slot * D, before.data() + t * D, 2 * R));
        QVERIFY(same_bits(values.data() + slot * Dv, before.data() + t * D + D - Dv, Dv));
      }
      QCOMPARE(std::count(values.begin(), values.end(), 9.0f), 2 * Dv * (kBlockSize - 1));
    }
  }

  void rope_and_store_givesARowTheSameBitsInAnyBatch() {
    for (const std::string& isa : instruction_sets()) {
      const Problem p(40, 40, 64, 32);
      const Outcome together = run(*make_backend(isa, 1), p, DType::kBF16, 0, kRows);
      for (int threads : {1, 2, 3}) {
        const auto backend = make_backend(isa, threads);
        const Outcome again = run(*backend, p, DType::kBF16, 0, kRows);
        QVERIFY(same_bits(again.qkv, together.qkv));
        QCOMPARE(again.keys.halves, together.keys.halves);
        QCOMPARE(again.values.halves, together.values.halves);
        const Outcome alone = run(*backend, p, DType::kBF16, 8, 1);
        QVERIFY(same_bits(alone.qkv.data() + 8 * p.width(), together.qkv.data() + 8 * p.width(),
                          p.width()));
      }
    }
  }

  void rope_and_store_roundsEveryValueAsTheScalarCode() {
    // All half patterns and their neighbours in float, through the vector conversions.
    for (const std::string& isa : instruction_sets()) {
      for (DType dtype : {DType::kF16, DType::kBF16}) {
        constexpr int64_t kHeads = 4096;
        std::vector<float> k;
        for (uint32_t i = 0; i < 65536; ++i) {
          const auto bits = static_cast<uint16_t>(i);
          const float x = dtype == DType::kF16 ? f16_to_f32(bits) : bf16_to_f32(bits);
          const auto next = static_cast<uint16_t>(i + 1);
          const float y = dtype == DType::kF16 ? f16_to_f32(next) : bf16_to_f32(next);
          k.push_back(i % 3 == 0   ? x
                      : i % 3 == 1 ? x / 2 + y / 2
                                   : std::nextafter(x / 2 + y / 2, x));
        }
        std::vector<float> cos_sin(0);
        std::vector<float> q(kHeads * 16);
        std::vector<int32_t> row_slots = {3};
        std::vector<uint16_t> keys(static_cast<size_t>(kHeads * kBlockSize * 16));
        std::vector<uint16_t> values = keys;
        const auto backend = make_backend(isa, 1);
        backend->rope_and_store(view(q, {1, kHeads, 16}), view(k, {1, kHeads, 16}),
                                view(k, {1, kHeads, 16}), view(cos_sin, {1, 0}),
                                view(row_slots, {1}),
                                {KeyPages(*backend, 16).view(keys.data(), dtype, 1, kHeads),
                                 {values.data(), dtype, {1, kHeads, kBlockSize, 16}}});
        for (size_t i = 0; i < 65536; ++i) {
          const uint16_t got = values[(i / 16 * kBlockSize + 3) * 16 + i % 16];
          const uint16_t expected = dtype == DType::kF16 ? f32_to_f16(k[i]) : f32_to_bf16(k[i]);
          if (std::isnan(k[i])) {
            QVERIFY(std::isnan(dtype == DType::kF16 ? f16_to_f32(got) : bf16_to_f32(got)));
          } else {
            QCOMPARE(got, expected);
          }
        }
      }
    }
  }

  void rope_and_store_roundsTo8BitsAlikeOnEveryVariant() {
    // Heads of 20: ordinary ones, zeros, numbers so small that their scale is subnormal, ties
    // between two codes, and such as hold what is not finite.
    constexpr int64_t kHeads = 7;
    constexpr int64_t kDim = 20;
    Numbers numbers(5);
    std::vector<float> heads = numbers.floats(kHeads * kDim, 4.0f);
    const auto head = [&](int64_t h) { return std::span(heads).subspan(h * kDim, kDim); };
    for (float& x : head(1)) x = 0.0f;
    for (float& x : head(2)) x *= 1e-40f;
    for (int64_t i = 0; i < kDim; ++i) head(3)[i] = static_cast<float>(i) - 9.5f;
    head(3)[7] = -127.0f;
    head(4)[19] = std::numeric_limits<float>::quiet_NaN();
    head(5)[3] = -std::numeric_limits<float>::infinity();
    std::vector<int8_t> expected_codes;
    std::vector<float> expected_scales;
    for (const std::string& isa : instruction_sets()) {
      std::vector<float> k = heads, cos_sin(0), q(kDim);
      std::vector<int32_t> row_slots = {3};
      std::vector<int8_t> codes(static_cast<size_t>(2 * kHeads * kBlockSize * kDim), 77);
      std::vector<float> scales(static_cast<size_t>(2 * kHeads * kBlockSize), 99.0f);
      const std::initializer_list<int64_t> of_pages = {1, kHeads, kBlockSize};
      const auto backend = make_backend(isa, 1);
      const KeyPages key_pages(*backend, kDim);
      backend->rope_and_store(
          view(q, {1, 1, kDim}), view(k, {1, kHeads, kDim}), view(k, {1, kHeads, kDim}),
          view(cos_sin, {1, 0}), view(row_slots, {1}),
          {key_pages.view(codes.data(), DType::kI8, 1, kHeads),
           {codes.data() + codes.size() / 2, DType::kI8, {1, kHeads, kBlockSize, kDim}},
           {scales.data(), DType::kF32, of_pages},
           {scales.data() + scales.size() / 2, DType::kF32, of_pages}});
      // Keys as values.
      std::vector<int8_t> keys(codes.begin(), codes.begin() + kHeads * kBlockSize * kDim);
      keys = key_pages.from_device(keys);
      std::copy(keys.begin(), keys.end(), codes.begin());
      if (expected_codes.empty()) expected_codes = codes, expected_scales = scales;
      QCOMPARE(codes, expected_codes);
      QVERIFY(same_bits(scales, expected_scales));
      for (int64_t h = 0; h < kHeads; ++h) {
        const auto slot = static_cast<size_t>(h * kBlockSize + 3);
        QCOMPARE(std::isfinite(scales[slot]), h != 4 && h != 5);
        for (int64_t i = 0; i < kDim && std::isfinite(scales[slot]); ++i) {
          const float kept = scales[slot] * codes[slot * kDim + static_cast<size_t>(i)];
          QVERIFY(std::fabs(kept - head(h)[i]) <= 0.51f * scales[slot]);
        }
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestRope)
#include "tst_rope.moc"
