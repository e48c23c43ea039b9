// Rotations and pages of the CUDA backend under the SIMT harness.

#include <QTest>
#include <cmath>

#include "kernels/cuda/operations.h"
#include "tests/kernels/cuda/test_gpu.h"
#include "tests/kernels/key_pages.h"

using namespace quire;
using namespace quire::test;

class TestCudaRope : public QObject {
  Q_OBJECT

 private slots:
  void rope_cos_sin_isRightToHalfAUnit() {
    std::vector<int32_t> positions = {0, 1, 2, 777, 4095, 65537, 131071, 1000003};
    Numbers numbers(28);
    for (int i = 0; i < 200; ++i) positions.push_back(numbers.below(131072));
    const auto T = static_cast<int64_t>(positions.size());
    std::vector<float> inv_freq;
    constexpr int kHalf = 37;
    for (int i = 0; i < kHalf; ++i) inv_freq.push_back(std::pow(10000.0f, -i / float{kHalf}));
    TestGpu gpu;
    const GpuArray<int32_t> at(positions);
    const GpuArray<float> frequencies(inv_freq);
    const GpuArray<float> out(std::vector<float>(T * (2 * kHalf + 3), 9.0f));
    const TensorView wide(out.data(), DType::kF32, {T, 2 * kHalf + 3});
    cuda::rope_cos_sin(*gpu.queue, wide.columns(1, 2 * kHalf), {at.data(), DType::kI32, {T}},
                       {frequencies.data(), DType::kF32, {kHalf}}, 2.0f);
    const std::vector<float> got = out.download(*gpu.queue);
    for (int64_t t = 0; t < T; ++t) {
      const float* const row = got.data() + t * (2 * kHalf + 3);
      QVERIFY(row[0] == 9.0f && row[2 * kHalf + 1] == 9.0f);
      for (int i = 0; i < kHalf; ++i) {
        const double angle = static_cast<float>(positions[t]) * inv_freq[i];
        const double cosine = 2.0 * std::cos(angle);
        const double sine = 2.0 * std::sin(angle);
        QCOMPARE_LE(std::fabs(row[1 + i] - cosine), 0x1.01p-24 * std::fabs(cosine) + 1e-11);
        QCOMPARE_LE(std::fabs(row[1 + kHalf + i] - sine), 0x1.01p-24 * std::fabs(sine) + 1e-11);
      }
    }
  }

  void rope_and_store_isTheCpusBits_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("D");
    QTest::addColumn<int>("R");
    QTest::addColumn<int>("padding");
    QTest::addColumn<bool>("narrow_values");
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      for (const auto& [D, R] :
           {std::pair{64, 32}, {128, 64}, {80, 20}, {13, 6}, {24, 5}, {256, 128}, {320, 0}}) {
        for (const int padding : {0, 3}) {
          for (bool narrow : {false, true}) {
            QTest::addRow("%s D=%d R=%d padding=%d%s", dtype_name(dtype).data(), D, R, padding,
                          narrow ? " narrow" : "")
                << static_cast<int>(dtype) << D << R << padding << narrow;
          }
        }
      }
    }
  }
  void rope_and_store_isTheCpusBits() {
    QFETCH(int, dtype);
    QFETCH(int, D);
    QFETCH(int, R);
    QFETCH(int, padding);
    QFETCH(bool, narrow_values);
    constexpr int64_t kRows = 11;
    constexpr int64_t kHeads = 3;
    constexpr int64_t kKvHeads = 2;
    constexpr int64_t kBlocks = 3;
    const auto type = static_cast<DType>(dtype);
    // Values of half the width, as latent attention's are narrower than its keys.
    const int64_t Dv = narrow_values ? D / 2 : D;
    const int64_t width = (kHeads + kKvHeads) * D + kKvHeads * Dv + padding;
    Numbers numbers(static_cast<uint32_t>(D + R));
    std::vector<float> qkv = numbers.floats(kRows * width, 3.0f);
    std::vector<float> cos_sin = numbers.floats(kRows * 2 * R + 1);
    std::vector<int32_t> slot_of_row;
    for (int t = 0; t < kRows; ++t) slot_of_row.push_back(t % 4 == 3 ? -1 : 7 * t % 48);
    std::vector<uint8_t> keys(kBlocks * kKvHeads * kBlockSize * D * dtype_bytes(type), 0x5a);
    std::vector<uint8_t> values(kBlocks * kKvHeads * kBlockSize * Dv * dtype_bytes(type), 0x5a);
    const std::initializer_list<int64_t> pool = {kBlocks, kKvHeads, kBlockSize, D};
    const auto apply = [&](auto& on, float* rows, float* angles, int32_t* to, TensorView k,
                           void* v) {
      const TensorView all(rows, DType::kF32, {kRows, width});
      on(all.columns(0, kHeads * D).split_columns(D),
         all.columns(kHeads * D, kKvHeads * D).split_columns(D),
         all.columns((kHeads + kKvHeads) * D, kKvHeads * Dv).split_columns(Dv),
         TensorView(angles, DType::kF32, {kRows, 2 * R}), TensorView(to, DType::kI32, {kRows}),
         KvLayerView{k, TensorView(v, type, {kBlocks, kKvHeads, kBlockSize, Dv})});
    };
    TestGpu gpu(5);
    const GpuArray<float> gpu_qkv(qkv);
    const GpuArray<float> gpu_cos_sin(cos_sin);
    const GpuArray<int32_t> gpu_rows(slot_of_row);
    const GpuArray<uint8_t> gpu_keys(keys);
    const GpuArray<uint8_t> gpu_values(values);
    auto on_gpu = [&](auto... views) { cuda::rope_and_store(*gpu.queue, views...); };
    apply(on_gpu, gpu_qkv.data(), gpu_cos_sin.data(), gpu_rows.data(),
          TensorView(gpu_keys.data(), type, pool), gpu_values.data());
    const auto cpu = make_backend("scalar", 1);
    auto on_cpu = [&](auto... views) { cpu->rope_and_store(views...); };
    const KeyPages key_pages(*cpu, D);
    apply(on_cpu, qkv.data(), cos_sin.data(), slot_of_row.data(),
          key_pages.view(keys.data(), type, kBlocks, kKvHeads), values.data());
    keys = key_pages.from_device(keys, dtype_bytes(type));
    QVERIFY(same_bits(gpu_qkv.download(*gpu.queue), qkv));
    QCOMPARE(gpu_keys.download(*gpu.queue), keys);
    QCOMPARE(gpu_values.download(*gpu.queue), values);
  }

  /// One token with heads of 8, no rotation, in pages of 8 bits.
  void rope_and_store_scalesIntegersByTheSlot() {
    constexpr int64_t kHeads = 5;
    const float tiny = 1e-44f;
    std::vector<float> k = {1, -2, 0.5f, 127, 0,  3,  -126.5f, 2.5f,        // Scale 1.
                            0, 0,  0,    0,   0,  0,  0,       0,           // Zeros.
                            1, 2,  NAN,  4,   5,  6,  7,       8,           // Broken.
                            1, 1,  1,    1,   -1, -1, -1,      INFINITY,    // Broken.
                            0, 0,  tiny, 0,   0,  0,  -tiny,   -8 * tiny};  // Scale underflows.
    TestGpu gpu;
    const GpuArray<float> heads(k);
    const GpuArray<float> none(std::vector<float>{0.0f});
    const GpuArray<int32_t> at(std::vector<int32_t>{2});
    const GpuArray<int8_t> keys(std::vector<int8_t>(kHeads * kBlockSize * 8, 99));
    const GpuArray<int8_t> values(std::vector<int8_t>(kHeads * kBlockSize * 8, 99));
    const GpuArray<float> scales(std::vector<float>(kHeads * kBlockSize, 99.0f));
    const GpuArray<float> value_scales(std::vector<float>(kHeads * kBlockSize, 99.0f));
    const TensorView vectors(heads.data(), DType::kF32, {1, kHeads, 8});
    const std::initializer_list<int64_t> pool = {1, kHeads, kBlockSize, 8};
    const std::initializer_list<int64_t> per_slot = {1, kHeads, kBlockSize};
    cuda::rope_and_store(*gpu.queue, {heads.data(), DType::kF32, {1, 0, 8}}, vectors, vectors,
                         {none.data(), DType::kF32, {1, 0}}, {at.data(), DType::kI32, {1}},
                         {.keys = {keys.data(), DType::kI8, pool},
                          .values = {values.data(), DType::kI8, pool},
                          .key_scales = {scales.data(), DType::kF32, per_slot},
                          .value_scales = {value_scales.data(), DType::kF32, per_slot}});
    const std::vector<int8_t> got = keys.download(*gpu.queue);
    const std::vector<float> factors = scales.download(*gpu.queue);
    const auto head = [&](int64_t h) {
      const auto first = got.begin() + (h * kBlockSize + 2) * 8;
      return std::vector<int8_t>(first, first + 8);
    };
    const auto factor = [&](int64_t h) { return factors[h * kBlockSize + 2]; };
    QCOMPARE(factor(0), 1.0f);
    QCOMPARE(head(0), (std::vector<int8_t>{1, -2, 0, 127, 0, 3, -126, 2}));
    QCOMPARE(factor(1), 0.0f);
    QCOMPARE(head(1), std::vector<int8_t>(8, 0));
    QVERIFY(std::isnan(factor(2)));
    QVERIFY(!std::isfinite(factor(3)));
    QCOMPARE(factor(4), 0.0f);
    QCOMPARE(head(4), std::vector<int8_t>(8, 0));
    QCOMPARE(values.download(*gpu.queue), got);
    // Nothing else was written.
    QCOMPARE(std::count(factors.begin(), factors.end(), 99.0f), kHeads * (kBlockSize - 1));
  }

  void rope_and_store_roundsToF8AsTheNearest() {
    constexpr int64_t kHeads = 64;
    Numbers numbers(31);
    std::vector<float> k = numbers.floats(kHeads * 8, 500.0f);
    for (size_t i = 0; i < k.size(); i += 3) k[i] *= 1e-3f;
    TestGpu gpu;
    const GpuArray<float> heads(k);
    const GpuArray<int32_t> at(std::vector<int32_t>{0});
    const GpuArray<uint8_t> keys(std::vector<uint8_t>(kHeads * kBlockSize * 8, 0x7f));
    const TensorView vectors(heads.data(), DType::kF32, {1, kHeads, 8});
    const TensorView pool(keys.data(), DType::kF8E4M3, {1, kHeads, kBlockSize, 8});
    cuda::rope_and_store(*gpu.queue, {heads.data(), DType::kF32, {1, 0, 8}}, vectors, vectors,
                         {heads.data(), DType::kF32, {1, 0}}, {at.data(), DType::kI32, {1}},
                         {pool, pool});
    const std::vector<uint8_t> got = keys.download(*gpu.queue);
    const auto value = [](uint8_t bits) {
      const int exponent = bits >> 3 & 15;
      const double size =
          exponent == 0 ? std::ldexp(bits & 7, -9) : std::ldexp(8 + (bits & 7), exponent - 10);
      return bits & 0x80 ? -size : size;
    };
    for (size_t i = 0; i < k.size(); ++i) {
      const double error = std::fabs(value(got[i / 8 * kBlockSize * 8 + i % 8]) - k[i]);
      for (int bits = 0; bits < 256; ++bits) {
        if ((bits & 0x7f) == 0x7f) continue;
        QVERIFY(error <= std::fabs(value(static_cast<uint8_t>(bits)) - k[i]));
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestCudaRope)
#include "tst_cuda_rope.moc"
