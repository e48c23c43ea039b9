// The row operations of the CUDA backend under the SIMT harness, against the scalar CPU backend.

#include <QTest>
#include <cmath>

#include "kernels/cuda/operations.h"
#include "tests/kernels/cuda/test_gpu.h"

using namespace quire;
using namespace quire::test;

namespace {

/// An operand: rows of `stride` numbers, of which an operation gets the columns
/// [offset, offset + columns).
struct Operand {
  int64_t rows;
  int64_t columns;
  int64_t stride;
  int64_t offset;
  std::vector<float> numbers;

  TensorView view(float* data) const {
    return TensorView(data, DType::kF32, {rows, stride}).columns(offset, columns);
  }
};

/// How operands lie: next to each other, in wider rows at multiples of 16 bytes, or at neither.
enum class Lying { kDense, kWide, kOdd };
constexpr Lying kLyings[] = {Lying::kDense, Lying::kWide, Lying::kOdd};

Operand operand(int64_t rows, int64_t columns, Lying lying, uint32_t seed, float scale = 1.0f) {
  const int64_t stride = lying == Lying::kDense  ? columns
                         : lying == Lying::kWide ? (columns + 3) / 4 * 4 + 8
                                                 : columns + 5;
  const int64_t offset = lying == Lying::kDense ? 0 : lying == Lying::kWide ? 4 : 3;
  return {rows, columns, stride, offset, Numbers(seed).floats(rows * stride, scale)};
}

/// What all operands hold after `apply` was done to their views, here and there.
struct Outcome {
  std::vector<std::vector<float>> gpu;
  std::vector<std::vector<float>> cpu;
};

/// Backend's names for the functions of the family.
struct GpuOperations {
  cuda::CommandQueue& queue;

  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) {
    cuda::rms_norm(queue, out, x, weight, eps);
  }
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) {
    cuda::add_rms_norm(queue, out, residual, delta, weight, eps);
  }
  void add(TensorView x, ConstTensorView y) { cuda::add(queue, x, y); }
  void scale(TensorView x, float factor) { cuda::scale(queue, x, factor); }
  void soft_cap(TensorView x, float cap) { cuda::soft_cap(queue, x, cap); }
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
    cuda::glu(queue, out, gate_up, params);
  }
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView weights) {
    cuda::mix_experts(queue, out, x, weights);
  }
};

template <typename Apply>
Outcome apply_both(const std::vector<Operand>& operands, const Apply& apply) {
  Outcome outcome;
  for (const Operand& o : operands) outcome.cpu.push_back(o.numbers);
  std::vector<TensorView> views;
  for (size_t i = 0; i < operands.size(); ++i) {
    views.push_back(operands[i].view(outcome.cpu[i].data()));
  }
  const auto cpu = make_backend("scalar", 1);
  apply(*cpu, views);

  TestGpu gpu(operands.size());
  std::vector<std::unique_ptr<GpuArray<float>>> arrays;
  views.clear();
  for (const Operand& o : operands) {
    arrays.push_back(std::make_unique<GpuArray<float>>(o.numbers));
    views.push_back(o.view(arrays.back()->data()));
  }
  GpuOperations operations{*gpu.queue};
  apply(operations, views);
  for (const auto& array : arrays) outcome.gpu.push_back(array->download(*gpu.queue));
  return outcome;
}

/// The largest distance in 2^-24 of the number; NaNs are equal. What is below 1e-30 counts as
/// one size.
double largest_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    if ((std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]) continue;
    const double unit = std::ldexp(std::max(std::fabs(double{b[i]}), 1e-30), -24);
    const double distance = std::fabs(double{a[i]} - double{b[i]}) / unit;
    if (!(distance <= 1e9)) return 1e9;
    largest = std::max(largest, distance);
  }
  return largest;
}

/// Up to 8,192 columns the sum of squares is within 20 units and two roundings, its root within
/// half of that and one, and three roundings follow on each side.
constexpr double kNormBound = 16.0;
constexpr double kActivationBound = 8.0;
constexpr int64_t kColumns[] = {1, 3, 4, 64, 127, 256, 257, 1000, 4096, 9001};

}  // namespace

class TestCudaRows : public QObject {
  Q_OBJECT

 private slots:
  void rms_norm_isTheCpusWithinRounding() {
    for (const int64_t n : kColumns) {
      for (const Lying lying : kLyings) {
        const std::vector<Operand> operands = {
            operand(3, n, lying, 1), operand(3, n, lying, 2, 5.0f), operand(1, n, lying, 3)};
        const Outcome apart = apply_both(operands, [](auto& on, const auto& v) {
          const ConstTensorView weight(v[2].data(), DType::kF32, {v[2].dim(1)});
          on.rms_norm(v[0], v[1], weight, 1e-5f);
        });
        QCOMPARE_LE(largest_distance(apart.gpu[0], apart.cpu[0]), kNormBound);
        const Outcome alias = apply_both(operands, [](auto& on, const auto& v) {
          const ConstTensorView weight(v[2].data(), DType::kF32, {v[2].dim(1)});
          on.rms_norm(v[1], v[1], weight, 1e-5f);
        });
        QCOMPARE_LE(largest_distance(alias.gpu[1], alias.cpu[1]), kNormBound);
      }
    }
  }

  void rms_norm_ofHeadsNormsEachAsARow() {
    for (const auto& [H, D] : {std::pair<int64_t, int64_t>{1, 64}, {5, 80}, {3, 13}, {2, 300}}) {
      for (const Lying lying : kLyings) {
        const Outcome o = apply_both(
            {operand(7, H * D, lying, 4), operand(7, H * D, lying, 5), operand(1, D, lying, 6)},
            [d = D](auto& on, const auto& v) {
              const ConstTensorView weight(v[2].data(), DType::kF32, {d});
              on.rms_norm(v[0].split_columns(d), v[1].split_columns(d), weight, 1e-6f);
            });
        QCOMPARE_LE(largest_distance(o.gpu[0], o.cpu[0]), kNormBound);
      }
    }
  }

  void add_rms_norm_addsExactlyAndMayOverwriteDelta() {
    for (const int64_t n : kColumns) {
      for (const Lying lying : kLyings) {
        const std::vector<Operand> operands = {operand(2, n, lying, 7), operand(2, n, lying, 8),
                                               operand(2, n, lying, 9), operand(1, n, lying, 10)};
        for (const size_t out : {size_t{0}, size_t{2}}) {
          const Outcome o = apply_both(operands, [out](auto& on, const auto& v) {
            const ConstTensorView weight(v[3].data(), DType::kF32, {v[3].dim(1)});
            on.add_rms_norm(v[out], v[1], v[2], weight, 1e-5f);
          });
          QVERIFY(same_bits(o.gpu[1], o.cpu[1]));
          QCOMPARE_LE(largest_distance(o.gpu[out], o.cpu[out]), kNormBound);
        }
      }
    }
  }

  /// The order of a sum depends on the row's length alone: not on other rows, nor on where it lies.
  void norms_giveARowTheSameBitsAnywhere() {
    for (const int64_t n : {96, 1024, 8192}) {
      const Operand dense = operand(9, n, Lying::kDense, 11);
      const auto norm = [](auto& on, const auto& v) {
        const ConstTensorView weight(v[2].data(), DType::kF32, {v[2].dim(1)});
        on.rms_norm(v[0], v[1], weight, 1e-5f);
      };
      const Operand weight = operand(1, n, Lying::kDense, 12);
      const std::vector<float> whole = apply_both({dense, dense, weight}, norm).gpu[0];
      for (const Lying lying : kLyings) {
        Operand alone = operand(1, n, lying, 13);
        std::copy_n(dense.numbers.begin() + 5 * n, n, alone.numbers.begin() + alone.offset);
        const std::vector<float> row = apply_both({alone, alone, weight}, norm).gpu[0];
        QVERIFY(same_bits(row.data() + alone.offset, whole.data() + 5 * n, n));
      }
    }
  }

  void addScaleAndMix_areTheCpusBits() {
    for (const int64_t n : kColumns) {
      for (const Lying lying : kLyings) {
        const Outcome sum = apply_both({operand(3, n, lying, 14), operand(3, n, lying, 15)},
                                       [](auto& on, const auto& v) { on.add(v[0], v[1]); });
        QVERIFY(same_bits(sum.gpu[0], sum.cpu[0]));
        const Outcome gemm = apply_both({operand(3, n, lying, 16)},
                                        [](auto& on, const auto& v) { on.scale(v[0], 1.7f); });
        QVERIFY(same_bits(gemm.gpu[0], gemm.cpu[0]));
        const Outcome mix = apply_both(
            {operand(3, n, lying, 17), operand(12, n, lying, 18), operand(3, 4, lying, 19)},
            [](auto& on, const auto& v) { on.mix_experts(v[0], v[1], v[2]); });
        QVERIFY(same_bits(mix.gpu[0], mix.cpu[0]));
      }
    }
  }

  void activations_areTheCpusWithinRounding() {
    for (const int64_t n : kColumns) {
      for (const Lying lying : kLyings) {
        for (const GluParams::Kind kind : {GluParams::Kind::kSilu, GluParams::Kind::kGeluTanh,
                                           GluParams::Kind::kClampedSwiglu}) {
          const Outcome o =
              apply_both({operand(2, n, lying, 20), operand(2, 2 * n, lying, 21, 12.0f)},
                         [kind](auto& on, const auto& v) { on.glu(v[0], v[1], {.kind = kind}); });
          QCOMPARE_LE(largest_distance(o.gpu[0], o.cpu[0]), kActivationBound);
        }
        const Outcome capped =
            apply_both({operand(2, n, lying, 22, 90.0f)},
                       [](auto& on, const auto& v) { on.soft_cap(v[0], 30.0f); });
        QCOMPARE_LE(largest_distance(capped.gpu[0], capped.cpu[0]), kActivationBound);
      }
    }
  }

  void activations_keepWhatIsNotANumber() {
    Operand gates = operand(1, 12, Lying::kDense, 23);
    for (const size_t i : {0, 7}) gates.numbers[i] = NAN;
    gates.numbers[2] = INFINITY;
    gates.numbers[3] = -INFINITY;
    gates.numbers[9] = -300.0f;
    for (const GluParams::Kind kind :
         {GluParams::Kind::kSilu, GluParams::Kind::kGeluTanh, GluParams::Kind::kClampedSwiglu}) {
      const Outcome o =
          apply_both({operand(1, 6, Lying::kDense, 24), gates},
                     [kind](auto& on, const auto& v) { on.glu(v[0], v[1], {.kind = kind}); });
      QCOMPARE_LE(largest_distance(o.gpu[0], o.cpu[0]), kActivationBound);
    }
  }

  void gather_rows_copiesAndLeavesOutWhatIsNotThere() {
    for (const int64_t n : kColumns) {
      for (const Lying lying : kLyings) {
        const Operand x = operand(6, n, lying, 25);
        const Operand out = operand(4, n, lying, 26);
        std::vector<float> expected = out.numbers;
        const std::vector<int32_t> sources = {5, 0, 6, 5};
        for (const int64_t row : {0, 1, 3}) {
          std::copy_n(x.numbers.begin() + sources[row] * x.stride + x.offset, n,
                      expected.begin() + row * out.stride + out.offset);
        }
        TestGpu gpu;
        const GpuArray<float> from(x.numbers);
        const GpuArray<float> to(out.numbers);
        const GpuArray<int32_t> rows(sources);
        cuda::gather_rows(*gpu.queue, out.view(to.data()), x.view(from.data()),
                          {rows.data(), DType::kI32, {4}});
        QVERIFY(same_bits(to.download(*gpu.queue), expected));
      }
    }
  }

  void route_experts_choosesAsTheCpu_data() {
    QTest::addColumn<int>("E");
    QTest::addColumn<int>("k");
    for (const auto& [E, k] : {std::pair{1, 1}, {4, 2}, {8, 8}, {33, 4}, {128, 8}, {300, 40}}) {
      QTest::addRow("%d of %d", k, E) << E << k;
    }
  }
  void route_experts_choosesAsTheCpu() {
    QFETCH(int, E);
    QFETCH(int, k);
    constexpr int kRows = 21;
    Numbers numbers(static_cast<uint32_t>(E));
    std::vector<float> logits = numbers.floats(kRows * E, 4.0f);
    for (int e = 0; e < E; ++e) {
      logits[e] = 1.5f;                                              // All equal.
      logits[E + e] = std::round(logits[E + e]);                     // Many equal.
      logits[2 * E + e] = e % 3 == 0 ? NAN : logits[2 * E + e];      // Broken.
      logits[3 * E + e] = e % 2 == 0 ? -INFINITY : 80.0f * e;        // Far apart.
      logits[4 * E + e] = 1.0f + 1e-7f * static_cast<float>(e % 5);  // Units apart.
    }
    for (const bool renormalize : {false, true}) {
      std::vector<int32_t> ids(kRows * k);
      std::vector<float> weights(kRows * k);
      make_backend("scalar", 1)
          ->route_experts(view(ids, {kRows, k}), view(weights, {kRows, k}),
                          view(logits, {kRows, E}), {.renormalize = renormalize});
      TestGpu gpu(3);
      const GpuArray<float> from(logits);
      const GpuArray<int32_t> chosen(std::vector<int32_t>(ids.size(), -7));
      const GpuArray<float> probabilities(std::vector<float>(weights.size(), -7.0f));
      cuda::route_experts(*gpu.queue, {chosen.data(), DType::kI32, {kRows, k}},
                          {probabilities.data(), DType::kF32, {kRows, k}},
                          {from.data(), DType::kF32, {kRows, E}}, {.renormalize = renormalize});
      QCOMPARE(chosen.download(*gpu.queue), ids);
      // In double on both sides: at most one unit where the last bits of a double decide.
      QCOMPARE_LE(largest_distance(probabilities.download(*gpu.queue), weights), 2.0);
    }
  }
};

QTEST_APPLESS_MAIN(TestCudaRows)
#include "tst_cuda_rows.moc"
