// The product of 8-bit inputs by matrix tiles, on emulated ones: the same bits as without tiles.

#include <QTest>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "tests/kernels/emulated_tiles.h"
#include "tests/kernels/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

const cpu::CpuKernels& scalar_with_tiles() {
  static const cpu::CpuKernels kernels = with_tiles(*cpu::scalar_kernels(), kScalarTiles);
  return kernels;
}

/// Null: this processor cannot run them.
const cpu::CpuKernels* avx512_with_tiles() {
  for (const cpu::CpuKernels* kernels : cpu::supported_kernels()) {
    if (std::string(kernels->name) != "avx512_bf16") continue;
    static const cpu::CpuKernels tiled = with_tiles(*kernels, kAvx512Tiles);
    return &tiled;
  }
  return nullptr;
}

void add_types() {
  QTest::addColumn<bool>("avx512");
  QTest::addColumn<int>("dtype");
  for (const bool avx512 : {false, true}) {
    for (DType dtype : quantized_types()) {
      QTest::addRow("%s %s", avx512 ? "avx512" : "scalar", dtype_name(dtype).data())
          << avx512 << static_cast<int>(dtype);
    }
  }
}

}  // namespace

class TestLinearTiles : public QObject {
  Q_OBJECT

 private slots:
  void linear_givesTheBitsOfVectors_data() { add_types(); }
  void linear_givesTheBitsOfVectors() {
    QFETCH(bool, avx512);
    QFETCH(int, dtype);
    const cpu::CpuKernels* const kernels = avx512 ? avx512_with_tiles() : &scalar_with_tiles();
    if (kernels == nullptr) QSKIP("This processor has no AVX-512 with BF16.");
    Numbers numbers(21);
    const auto scalar = make_backend("scalar", 1, true);
    const int64_t block = dtype_block_elements(static_cast<DType>(dtype));
    for (int64_t K :
         block > 32 ? std::vector<int64_t>{256, 512} : std::vector<int64_t>{32, 224, 544}) {
      for (int64_t N : {1, 70}) {
        const QuantizedNumbers weight(static_cast<DType>(dtype), N, K, 8);
        const int64_t most = K < 500 ? 61 : 277;  // More than share an unpacked chunk.
        std::vector<float> x = numbers.floats(most * K);
        std::vector<float> bias = numbers.floats(N);
        const auto expected =
            run(*scalar, *pack(*scalar, blocks_view(weight, N, K)), x, bias, most);
        cpu::CpuBackend backend(*kernels, 2, true);
        const auto packed = pack(backend, blocks_view(weight, N, K));
        for (int64_t T : {int64_t{1}, int64_t{7}, int64_t{8}, int64_t{16}, int64_t{33}, most}) {
          QVERIFY(same_bits(run(backend, *packed, x, bias, T).data(), expected.data(), T * N));
        }
      }
    }
  }

  /// More inputs than a slab, with several panels a task.
  void linear_givesTheSameBitsInSlabs() {
    const int64_t T = 150, K = 2080, N = 705;
    Numbers numbers(23);
    const QuantizedNumbers weight(DType::kQ4_0, N, K, 3);
    std::vector<float> x = numbers.floats(T * K);
    std::vector<float> bias = numbers.floats(N);
    cpu::CpuBackend tiles(scalar_with_tiles(), 1, true);
    const auto packed = pack(tiles, blocks_view(weight, N, K));
    const auto out = run(tiles, *packed, x, bias, T);
    for (int64_t t : {0, 15, 16, 149}) {
      std::vector<float> row(x.begin() + t * K, x.begin() + (t + 1) * K);
      QVERIFY(same_bits(out.data() + t * N, run(tiles, *packed, row, bias, 1).data(), N));
    }
  }

  /// Rows that do not lie evenly: those of an expert among others'.
  void linearExperts_givesTheBitsOfVectors() {
    const int64_t K = 64, N = 65, rows = 83, k = 2;
    Numbers numbers(22);
    const QuantizedNumbers blocks[] = {{DType::kQ4_0, N, K, 1}, {DType::kQ8_0, N, K, 2}};
    std::vector<int32_t> ids;
    for (int64_t row = 0; row < rows; ++row) {
      const auto first = static_cast<int32_t>(row * row % 3 == 1);
      ids.insert(ids.end(), {first, 1 - first});
    }
    std::vector<float> x = numbers.floats(rows * K);
    const auto outputs = [&](Backend& backend) {
      const auto a = pack(backend, blocks_view(blocks[0], N, K));
      const auto b = pack(backend, blocks_view(blocks[1], N, K));
      const LinearWeight* const experts[] = {a.get(), b.get()};
      std::vector<float> out(static_cast<size_t>(rows * k * N));
      backend.linear_experts(view(out, {rows * k, N}), view(x, {rows, K}), experts, {},
                             ConstTensorView(ids.data(), DType::kI32, {rows, k}));
      return out;
    };
    cpu::CpuBackend tiles(scalar_with_tiles(), 1, true);
    QVERIFY(outputs(tiles) == outputs(*make_backend("scalar", 1, true)));
  }
};

QTEST_APPLESS_MAIN(TestLinearTiles)
#include "tst_linear_tiles.moc"
