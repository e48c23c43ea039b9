// Backend::linear and linear_experts on weights of 16 bits with inputs rounded to bf16, where the
// processor multiplies it, and by emulated tiles: near the product of the rounded numbers, and the
// same bits for every number of rows and threads.

#include <QTest>

#include <cmath>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "tests/kernels/emulated_tiles.h"
#include "tests/kernels/kernel_test_support.h"
#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Those of this processor that multiply bf16, and emulated tiles.
std::vector<const cpu::CpuKernels*> variants() {
  static const cpu::CpuKernels scalar = with_tiles(*cpu::scalar_kernels(), kScalarTiles);
  std::vector<const cpu::CpuKernels*> all = {&scalar};
  for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) {
    if (kernels->linear_bf16 == nullptr) continue;
    all.push_back(kernels);
    if (std::string(kernels->name) != "avx512_bf16") continue;
    static const cpu::CpuKernels tiled = with_tiles(*kernels, kAvx512Tiles);
    all.push_back(&tiled);
  }
  return all;
}

double as_bf16(float x) {
  return double{bf16_to_f32(f32_to_bf16(x))};
}

ConstTensorView halves_view(const TypedNumbers& w, int64_t N, int64_t K) {
  return {w.halves.data(), w.dtype, {N, K}};
}

}  // namespace

class TestLinearBf16 : public QObject {
  Q_OBJECT

 private slots:
  void linear_multipliesWhatIsRoundedToBf16_data() {
    QTest::addColumn<int>("dtype");
    QTest::addRow("f16") << static_cast<int>(DType::kF16);
    QTest::addRow("bf16") << static_cast<int>(DType::kBF16);
  }
  void linear_multipliesWhatIsRoundedToBf16() {
    QFETCH(const int, dtype);
    Numbers numbers(31);
    const int64_t N = 67, T = 5;
    for (const int64_t K : {1, 31, 64, 255, 258, 544}) {
      const TypedNumbers weight = in_dtype(static_cast<DType>(dtype), numbers.floats(N * K));
      std::vector<float> x = numbers.floats(T * K);
      std::vector<float> bias = numbers.floats(N);
      for (const cpu::CpuKernels* kernels : variants()) {
        cpu::CpuBackend backend(*kernels, 2, true);
        const auto packed = pack(backend, halves_view(weight, N, K));
        const std::vector<float> out = run(backend, *packed, x, bias, T);
        for (int64_t i = 0; i < T * N; ++i) {
          double exact = double{bias[static_cast<size_t>(i % N)]};
          double sizes = std::fabs(exact);
          for (int64_t k = 0; k < K; ++k) {
            const double product = as_bf16(x[static_cast<size_t>(i / N * K + k)]) *
                                   as_bf16(weight.exact[static_cast<size_t>(i % N * K + k)]);
            exact += product;
            sizes += std::fabs(product);
          }
          QVERIFY(std::fabs(exact - double{out[static_cast<size_t>(i)]}) <= 0x1p-20 * sizes);
        }
      }
    }
  }

  void linear_givesTheSameBitsForAnyRows() {
    Numbers numbers(32);
    const int64_t N = 150, most = 277;
    for (const DType dtype : {DType::kF16, DType::kBF16}) {
      for (const int64_t K : {96, 290}) {
        const TypedNumbers weight = in_dtype(dtype, numbers.floats(N * K));
        std::vector<float> x = numbers.floats(most * K);
        std::vector<float> bias = numbers.floats(N);
        for (const cpu::CpuKernels* kernels : variants()) {
          cpu::CpuBackend one(*kernels, 1, true);
          cpu::CpuBackend three(*kernels, 3, true);
          const auto packed = pack(one, halves_view(weight, N, K));
          const std::vector<float> expected = run(one, *packed, x, bias, most);
          for (const int64_t T : {1, 2, 5, 7, 16, 49, 97}) {
            QVERIFY(same_bits(run(three, *packed, x, bias, T).data(), expected.data(), T * N));
          }
        }
      }
    }
  }

  /// More inputs than a slab, with several panels a task.
  void linear_givesTheSameBitsInSlabs() {
    const int64_t K = 2080, N = 705;
    Numbers numbers(35);
    const TypedNumbers weight = in_dtype(DType::kBF16, numbers.floats(N * K));
    std::vector<float> x = numbers.floats(150 * K);
    std::vector<float> bias = numbers.floats(N);
    for (const cpu::CpuKernels* kernels : variants()) {
      cpu::CpuBackend backend(*kernels, 1, true);
      const auto packed = pack(backend, halves_view(weight, N, K));
      for (int64_t T : {96, 150}) {
        const std::vector<float> out = run(backend, *packed, x, bias, T);
        for (int64_t t : {int64_t{0}, int64_t{74}, int64_t{75}, T - 1}) {
          std::vector<float> row(x.begin() + t * K, x.begin() + (t + 1) * K);
          QVERIFY(same_bits(out.data() + t * N, run(backend, *packed, row, bias, 1).data(), N));
        }
      }
    }
  }

  /// Rows that do not lie evenly, each expert's product being that of linear.
  void linearExperts_givesTheBitsOfLinear() {
    Numbers numbers(33);
    const int64_t K = 64, N = 65, rows = 83, k = 2;
    const TypedNumbers weights[] = {in_dtype(DType::kBF16, numbers.floats(N * K)),
                                    in_dtype(DType::kF16, numbers.floats(N * K))};
    std::vector<int32_t> ids;
    for (int64_t row = 0; row < rows; ++row) {
      const auto first = static_cast<int32_t>(row * row % 3 == 1);
      ids.insert(ids.end(), {first, 1 - first});
    }
    std::vector<float> x = numbers.floats(rows * K);
    std::vector<float> bias(static_cast<size_t>(N), 0.0f);
    for (const cpu::CpuKernels* kernels : variants()) {
      cpu::CpuBackend backend(*kernels, 2, true);
      const auto a = pack(backend, halves_view(weights[0], N, K));
      const auto b = pack(backend, halves_view(weights[1], N, K));
      const LinearWeight* const experts[] = {a.get(), b.get()};
      std::vector<float> out(static_cast<size_t>(rows * k * N));
      backend.linear_experts(view(out, {rows * k, N}), view(x, {rows, K}), experts, {},
                             ConstTensorView(ids.data(), DType::kI32, {rows, k}));
      const std::vector<float> expected[] = {run(backend, *a, x, bias, rows),
                                             run(backend, *b, x, bias, rows)};
      for (int64_t i = 0; i < rows * k; ++i) {
        const auto& of_expert = expected[ids[static_cast<size_t>(i)]];
        QVERIFY(same_bits(out.data() + i * N, of_expert.data() + i / k * N, N));
      }
    }
  }

  /// Parts that are rounded to bf16, to 8 bits and not at all, in one expert or in several.
  void linearExperts_givesTheBitsOfLinear_forMixedParts() {
    Numbers numbers(34);
    const int64_t K = 256, rows = 21, k = 2, N = 130;
    const auto floats = numbers.floats(65 * K);
    const TypedNumbers half = in_dtype(DType::kF16, numbers.floats(65 * K));
    const QuantizedNumbers blocks(DType::kQ8_0, 65, K, 35);
    const ConstTensorView f32(floats.data(), DType::kF32, {65, K});
    const ConstTensorView f16 = halves_view(half, 65, K);
    const ConstTensorView q8_0 = blocks_view(blocks, 65, K);
    const std::vector<ConstTensorView> experts_parts[] = {{f16, f32}, {q8_0, f16},  {f32, q8_0},
                                                          {f16, f16}, {q8_0, q8_0}, {f32, f32}};
    std::vector<int32_t> ids;
    for (int32_t i = 0; i < rows * k; ++i) ids.push_back(i * i % 6);
    std::vector<float> x = numbers.floats(rows * K);
    std::vector<float> bias(static_cast<size_t>(N), 0.0f);
    for (const cpu::CpuKernels* kernels : variants()) {
      cpu::CpuBackend backend(*kernels, 2, true);
      std::vector<std::unique_ptr<LinearWeight>> packed;
      std::vector<const LinearWeight*> experts;
      for (const auto& parts : experts_parts) {
        packed.push_back(pack(backend, parts));
        experts.push_back(packed.back().get());
      }
      std::vector<float> out(static_cast<size_t>(rows * k * N));
      backend.linear_experts(view(out, {rows * k, N}), view(x, {rows, K}), experts, {},
                             ConstTensorView(ids.data(), DType::kI32, {rows, k}));
      for (int64_t i = 0; i < rows * k; ++i) {
        const LinearWeight& expert = *experts[static_cast<size_t>(ids[static_cast<size_t>(i)])];
        const std::vector<float> expected = run(backend, expert, x, bias, rows);
        QVERIFY(same_bits(out.data() + i * N, expected.data() + i / k * N, N));
      }
    }
  }
};

QTEST_APPLESS_MAIN(TestLinearBf16)
#include "tst_linear_bf16.moc"
