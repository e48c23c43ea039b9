// Activations as the products' kernels convert them, and how many blocks those kernels count on.

#include <simt/control.h>

#include <QTest>
#include <cmath>
#include <cstring>

#include "kernels/cuda/linear/few_rows.h"
#include "tests/support/simt/simt_test_support.h"

using namespace quire;
using cuda::Half;

namespace {

template <Half kHalf>
__global__ void convert_rows(const float* x, int64_t stride, int64_t num_inputs, uint4* out) {
  const bool is_aligned = cuda::has_aligned_rows(x, stride);
  out[blockIdx.x * blockDim.x + threadIdx.x] = cuda::convert_vector<kHalf>(
      x + blockIdx.x * stride, static_cast<int64_t>(threadIdx.x), num_inputs, is_aligned);
}

/// The half at place i of a row: input k of inputs.h.
int input_at(int i) {
  const int vector = i / 8;
  const int in_vector = i % 8;
  return vector / cuda::kPairVectors * cuda::kPairInputs + vector % cuda::kPairVectors * 2 +
         in_vector / 2 * 8 + in_vector % 2;
}

uint16_t half_of(float x, Half half) {
  if (half == Half::kBF16) return f32_to_bf16(x);
  return f32_to_f16(std::min(std::max(x * cuda::kF16InputScale, -65504.0f), 65504.0f));
}

}  // namespace

class TestCudaInputs : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }

  /// offset: floats before the first row, which take its alignment away.
  void convertVector_givesEachInputAndZerosPastTheLast_data() {
    QTest::addColumn<int>("num_inputs");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("offset");
    for (const int n : {1, 2, 24, 25, 26, 27, 31, 32, 33, 57, 58, 59, 63, 64, 95, 96}) {
      QTest::addRow("%d dense", n) << n << n << 0;
      QTest::addRow("%d aligned", n) << n << 128 << 0;
      QTest::addRow("%d of odd rows", n) << n << 129 << 0;
      QTest::addRow("%d at an odd address", n) << n << 128 << 1;
    }
  }
  void convertVector_givesEachInputAndZerosPastTheLast() {
    QFETCH(int, num_inputs);
    QFETCH(int, stride);
    QFETCH(int, offset);
    constexpr int kRows = 3;
    constexpr int kVectors = 3 * cuda::kPairVectors;  // As of 96 inputs.
    // Numbers between the rows would show if they were taken for inputs.
    std::vector<float> x(static_cast<size_t>(offset + kRows * stride));
    for (size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(1.0f + float(i % 7), int(i % 40) - 10);
    const OnDevice<float> on_device(x);
    for (const Half half : {Half::kF16, Half::kBF16}) {
      const OnDevice<uint4> out(static_cast<size_t>(kRows * kVectors));
      const auto kernel = half == Half::kF16 ? convert_rows<Half::kF16> : convert_rows<Half::kBF16>;
      launch(kernel, {.grid = kRows, .block = kVectors}, on_device.data() + offset, int64_t{stride},
             int64_t{num_inputs}, out.data());
      QCOMPARE(cudaDeviceSynchronize(), cudaSuccess);
      const std::vector<uint4> vectors = out.values();
      std::vector<uint16_t> halves(vectors.size() * 8);
      std::memcpy(halves.data(), vectors.data(), halves.size() * sizeof(uint16_t));
      for (int row = 0; row < kRows; ++row) {
        for (int i = 0; i < kVectors * 8; ++i) {
          const int k = input_at(i);
          const uint16_t expected =
              k < num_inputs ? half_of(x[static_cast<size_t>(offset + row * stride + k)], half) : 0;
          QCOMPARE(halves[static_cast<size_t>(row * kVectors * 8 + i)], expected);
        }
      }
    }
  }

  void blocks_shareTheSetsEvenly_data() {
    QTest::addColumn<int>("sets");
    QTest::addColumn<int>("multiprocessors");
    QTest::addColumn<int>("blocks");
    QTest::newRow("one each") << 256 << 132 << 256;
    QTest::newRow("three of one block instead of four of two") << 384 << 132 << 128;
    QTest::newRow("62 of two blocks, although 61 of one would do") << 8016 << 132 << 259;
    QTest::newRow("fewer than multiprocessors") << 96 << 132 << 96;
  }
  void blocks_shareTheSetsEvenly() {
    QFETCH(const int, sets);
    QFETCH(const int, multiprocessors);
    QFETCH(const int, blocks);
    QCOMPARE(cuda::blocks_for_sets(sets, 1, multiprocessors, 2), unsigned(blocks));
  }

  /// A decode of 14,336 inputs takes 65 KB: two blocks of it would not fit into 100 KB.
  void residentBlocks_areThoseThatFit_data() {
    QTest::addColumn<int>("compute_capability");
    QTest::addColumn<int>("shared_kb");
    QTest::addColumn<int>("blocks");
    QTest::newRow("Ada, small") << 89 << 40 << 2;
    QTest::newRow("Ada, large") << 89 << 65 << 1;
    QTest::newRow("Hopper, large") << 90 << 65 << 3;
    QTest::newRow("Turing, too large for two") << 75 << 40 << 1;
  }
  void residentBlocks_areThoseThatFit() {
    QFETCH(int, compute_capability);
    QFETCH(int, shared_kb);
    QFETCH(int, blocks);
    simt::set_machine({.compute_capability = compute_capability});
    const auto queue = std::move(cuda::CommandQueue::create(0)).value();
    const auto* const kernel = reinterpret_cast<const void*>(&convert_rows<Half::kF16>);
    for (int time = 0; time < 2; ++time) {
      QCOMPARE(queue->resident_blocks(kernel, 256, static_cast<size_t>(shared_kb) << 10, "test"),
               blocks);
    }
    QVERIFY(queue->take_failure().has_value());
    QCOMPARE(simt::num_calls("cudaOccupancyMaxActiveBlocksPerMultiprocessor"), 1);
  }
};

QTEST_APPLESS_MAIN(TestCudaInputs)
#include "tst_cuda_inputs.moc"
