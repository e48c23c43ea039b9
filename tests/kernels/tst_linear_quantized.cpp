// Backend::linear on quantised weights: the bits of the same weight in f32, for every type,
// instruction set, number of rows and number of threads.

#include <QTest>

#include <cmath>
#include <cstring>

#include "kernels/base/dequantize.h"
#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

void add_types(bool with_instruction_sets) {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("dtype");
  for (const std::string& isa : instruction_sets()) {
    if (!with_instruction_sets && isa != "scalar") continue;
    for (DType dtype : quantized_types()) {
      QTest::addRow("%s %s", isa.c_str(), dtype_name(dtype).data())
          << QString::fromStdString(isa) << static_cast<int>(dtype);
    }
  }
}

/// Numbers of inputs that end within a chunk of 256 where the type's blocks allow it.
std::vector<int64_t> input_counts(DType dtype) {
  const int64_t block = dtype_block_elements(dtype);
  if (block > 32) return {block, 768 - block % 256};
  return {32, 224, 256, 544};
}

}  // namespace

class TestLinearQuantized : public QObject {
  Q_OBJECT

 private slots:
  void linear_equalsTheDequantizedWeight_data() { add_types(true); }
  void linear_equalsTheDequantizedWeight() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    Numbers numbers(11);
    for (int64_t K : input_counts(static_cast<DType>(dtype))) {
      for (int64_t N : {1, 63, 150}) {
        const QuantizedNumbers weight(static_cast<DType>(dtype), N, K, 5);
        std::vector<float> exact = weight.exact;
        std::vector<float> x = numbers.floats(31 * K);
        std::vector<float> bias = numbers.floats(N);
        const auto backend = make_backend(isa.toStdString(), 2);
        const auto scalar = make_backend("scalar", 1);
        const auto packed = pack(*backend, blocks_view(weight, N, K));
        const auto expected = pack(*scalar, view(exact, {N, K}));
        QCOMPARE(packed->num_outputs(), N);
        QCOMPARE(packed->num_inputs(), K);
        for (int64_t T : {1, 2, 5, 7, 31}) {
          QVERIFY(
              same_bits(run(*backend, *packed, x, bias, T), run(*scalar, *expected, x, bias, T)));
        }
      }
    }
  }

  void linear_givesARowTheSameBitsInAnyBatch_data() { add_types(true); }
  void linear_givesARowTheSameBitsInAnyBatch() {
    QFETCH(QString, isa);
    QFETCH(int, dtype);
    const int64_t N = 200;
    const int64_t K = 512;
    const int64_t T = isa == "scalar" ? 5 : 270;
    Numbers numbers(12);
    const QuantizedNumbers weight(static_cast<DType>(dtype), N, K, 6);
    std::vector<float> x = numbers.floats(T * K);
    std::vector<float> bias = numbers.floats(N);
    const auto one = make_backend(isa.toStdString(), 1);
    const auto packed = pack(*one, blocks_view(weight, N, K));
    const std::vector<float> together = run(*one, *packed, x, bias, T);
    for (int threads : {1, 3}) {
      const auto backend = make_backend(isa.toStdString(), threads);
      const auto same = pack(*backend, blocks_view(weight, N, K));
      QVERIFY(same_bits(together, run(*backend, *same, x, bias, T)));
      for (int64_t row : {int64_t{0}, T / 2, T - 1}) {
        std::vector<float> alone(x.begin() + row * K, x.begin() + (row + 1) * K);
        const std::vector<float> out = run(*backend, *same, alone, bias, 1);
        QVERIFY(same_bits(out.data(), together.data() + row * N, N));
      }
    }
  }

  void pack_linear_takesTheWeightsBytes_data() { add_types(false); }
  void pack_linear_takesTheWeightsBytes() {
    QFETCH(int, dtype);
    const QuantizedNumbers weight(static_cast<DType>(dtype), 128, 512, 7);
    const auto packed = pack(*make_backend("scalar", 1), blocks_view(weight, 128, 512));
    QCOMPARE(packed->size_bytes(), weight.blocks.size());
  }

  void pack_linear_keepsEachPartsType() {
    // Q4_K, Q6_K, f32, and Q8_0 rows in another order, each its own part: as Q of a llama GGUF.
    const int64_t K = 512;
    Numbers numbers(13);
    const QuantizedNumbers a(DType::kQ4_K, 70, K, 1);
    const QuantizedNumbers b(DType::kQ6_K, 33, K, 2);
    const std::vector<float> c = numbers.floats(5 * K);
    const QuantizedNumbers d(DType::kQ8_0, 130, K, 3);
    std::vector<ConstTensorView> parts = {
        blocks_view(a, 70, K), blocks_view(b, 33, K), {c.data(), DType::kF32, {5, K}}};
    std::vector<float> exact = a.exact;
    exact.insert(exact.end(), b.exact.begin(), b.exact.end());
    exact.insert(exact.end(), c.begin(), c.end());
    for (int64_t i = 0; i < 130; ++i) {
      const int64_t row = i * 37 % 130;
      parts.push_back(blocks_view(d, 130, K).rows(row, 1));
      exact.insert(exact.end(), d.exact.begin() + row * K, d.exact.begin() + (row + 1) * K);
    }
    const int64_t N = 70 + 33 + 5 + 130;
    std::vector<float> bias = numbers.floats(N);
    std::vector<float> x = numbers.floats(40 * K);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 3);
      const auto packed = pack(*backend, parts);
      const auto expected = pack(*backend, view(exact, {N, K}));
      // Panels of 64 outputs: 128, 64, 64 and 192 rows.
      QCOMPARE(packed->size_bytes(), size_t{128 * 288 + 64 * 420 + 64 * K * 4 + 192 * 544});
      for (int64_t T : {1, 3, 40}) {
        QVERIFY(
            same_bits(run(*backend, *packed, x, bias, T), run(*backend, *expected, x, bias, T)));
      }
    }
  }

  void pack_linear_readsRowsAtAnyAddress() {
    // A mapped file gives its rows no alignment; parts may be every second row of a matrix.
    const int64_t K = 256;
    for (DType dtype : {DType::kQ6_K, DType::kMXFP4, DType::kF32, DType::kBF16}) {
      const QuantizedNumbers quantized(is_quantized(dtype) ? dtype : DType::kQ8_0, 20, K, 9);
      Numbers numbers(14);
      TypedNumbers floats;
      const int64_t bytes = 20 * dtype_span_bytes(dtype, K);
      std::vector<char> file(static_cast<size_t>(bytes + 1));
      if (is_quantized(dtype)) {
        std::memcpy(file.data() + 1, quantized.blocks.data(), static_cast<size_t>(bytes));
      } else {
        floats = in_dtype(dtype, numbers.floats(20 * K));
        std::memcpy(file.data() + 1, floats.data(), static_cast<size_t>(bytes));
      }
      const std::vector<float>& all = is_quantized(dtype) ? quantized.exact : floats.exact;
      std::vector<float> exact;
      for (int64_t row = 1; row < 20; row += 2) {
        exact.insert(exact.end(), all.begin() + row * K, all.begin() + (row + 1) * K);
      }
      // Rows 1, 3, 5, ...: columns [K, 2 K) of a matrix twice as wide.
      const ConstTensorView pairs(file.data() + 1, dtype, {10, 2 * K});
      std::vector<float> x = numbers.floats(3 * K);
      std::vector<float> bias = numbers.floats(10);
      for (const std::string& isa : instruction_sets()) {
        const auto backend = make_backend(isa, 1);
        const auto packed = pack(*backend, pairs.columns(K, K));
        const auto expected = pack(*backend, view(exact, {10, K}));
        QVERIFY(
            same_bits(run(*backend, *packed, x, bias, 3), run(*backend, *expected, x, bias, 3)));
      }
    }
  }

  /// Output n has the byte n as its weight for input 5, and zeros for the others. One row is read
  /// from the panel, many from a widened tile.
  void linear_widensEveryByteOfE4m3() {
    constexpr int64_t kOutputs = 256, kInputs = 128, kBytes = 132, kAt = 5;
    std::vector<uint8_t> blocks(kOutputs * kBytes);
    std::vector<float> exact(kOutputs * kInputs);
    const float scale = 0.37f;
    for (int64_t n = 0; n < kOutputs; ++n) {
      std::memcpy(blocks.data() + n * kBytes, &scale, sizeof scale);
      blocks[static_cast<size_t>(n * kBytes + 4 + kAt)] = static_cast<uint8_t>(n);
    }
    dequantize_row(DType::kF8_128, blocks.data(), exact.data(), kOutputs * kInputs);
    for (const std::string& isa : instruction_sets()) {
      const auto backend = make_backend(isa, 1);
      const ConstTensorView part(blocks.data(), DType::kF8_128, {kOutputs, kInputs});
      const auto packed = pack(*backend, part);
      std::vector<float> bias(kOutputs, 0.0f);
      for (int64_t T : {1, 8}) {
        std::vector<float> x(static_cast<size_t>(T * kInputs), 0.0f);
        for (int64_t t = 0; t < T; ++t) x[static_cast<size_t>(t * kInputs + kAt)] = 1.0f;
        const std::vector<float> out = run(*backend, *packed, x, bias, T);
        for (int64_t n = 0; n < kOutputs; ++n) {
          const float expected = exact[static_cast<size_t>(n * kInputs + kAt)];
          const float got = out[static_cast<size_t>((T - 1) * kOutputs + n)];
          QVERIFY2(std::isnan(expected) ? std::isnan(got) : got == expected,
                   qPrintable(QString("%1: %2").arg(isa.c_str()).arg(n)));
        }
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestLinearQuantized)
#include "tst_linear_quantized.moc"
