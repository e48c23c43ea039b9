// Backend::linear_glu with many rows, whose GEMM stores the GLU itself: bit for bit what
// linear() and then glu() write.

#include <simt/control.h>

#include <QTest>
#include <cmath>
#include <numeric>
#include <optional>

#include "kernels/base/quantized_activations.h"
#include "kernels/cuda/cuda_backend.h"
#include "tests/kernels/cuda/test_gpu.h"
#include "tests/kernels/cuda/weights_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

using Kind = GluParams::Kind;

struct Shape {
  DType weight;
  int64_t rows = 70;
  int64_t width = 256;  ///< F
  DType out = DType::kBF16;
  int compute_capability = 90;
  int num_multiprocessors = 4;  ///< With so few, tiles are the large ones.
  Kind kind = Kind::kSilu;
  bool has_bias = false;
  bool has_quantized_x = false;  ///< For linear_glu(), as the engine has it behind a norm.
  std::optional<DType> up = {};  ///< The dtype of the up projection, if it is another one.

  DType of_up() const { return up.value_or(weight); }
};

std::unique_ptr<Backend> make_gpu(const Shape& shape) {
  simt::set_machine({.compute_capability = shape.compute_capability,
                     .num_multiprocessors = shape.num_multiprocessors,
                     .seed = 7,
                     .is_memory_protected = false});
  return std::move(cuda::CudaBackend::create(0, {.device = "cuda"})).value();
}

constexpr int64_t kInputs = 512;
constexpr uint16_t kUnwritten = 0xffff;

/// The operands of a call, and memory for its results: as halves whatever it holds.
class Operands {
 public:
  explicit Operands(const Shape& shape)
      : m_shape(shape),
        m_numbers(Numbers(1).floats(shape.rows * kInputs, 3.0f)),
        m_ones(std::vector<float>(kInputs, 1.0f)),
        m_x(Numbers(1).floats(shape.rows * kInputs)),
        m_bias(Numbers(2).floats(2 * shape.width)),
        m_out(std::vector<uint16_t>(num_halves(shape), kUnwritten)),
        m_gate_up(std::vector<float>(static_cast<size_t>(shape.rows * 2 * shape.width), NAN)) {}

  TensorView out() const {
    if (m_shape.out == DType::kF32) {
      return {m_out.data(), DType::kF32, {m_shape.rows, m_shape.width}};
    }
    return quantized_activations(m_out.data(), m_shape.out, m_shape.rows, m_shape.width);
  }
  TensorView gate_up() const {
    return {m_gate_up.data(), DType::kF32, {m_shape.rows, 2 * m_shape.width}};
  }
  /// x, normed numbers, in f32 or as quantised activations.
  ConstTensorView x(Backend& backend, DType dtype) const {
    const TensorView x = dtype == DType::kF32
                             ? TensorView(m_x.data(), dtype, {m_shape.rows, kInputs})
                             : quantized_activations(m_x.data(), dtype, m_shape.rows, kInputs);
    const ConstTensorView numbers(m_numbers.data(), DType::kF32, {m_shape.rows, kInputs});
    backend.rms_norm(x, numbers, {m_ones.data(), DType::kF32, {kInputs}}, 1e-5f);
    return x;
  }
  ConstTensorView bias() const {
    if (!m_shape.has_bias) return {};
    return {m_bias.data(), DType::kF32, {2 * m_shape.width}};
  }
  GluParams params() const { return {.kind = m_shape.kind, .limit = 4.0f, .alpha = 1.7f}; }

  std::vector<uint16_t> results(Backend& backend) const {
    std::vector<uint16_t> results(num_halves(m_shape));
    backend.download(results.data(), m_out.data(), results.size() * sizeof(uint16_t));
    CHECK(backend.synchronize().has_value());
    return results;
  }
  /// Whether the sums were stored, as they are without fusion.
  bool has_sums(Backend& backend) const {
    float first = 0.0f;
    backend.download(&first, m_gate_up.data(), sizeof(first));
    CHECK(backend.synchronize().has_value());
    return !std::isnan(first);
  }

 private:
  static size_t num_halves(const Shape& shape) {
    return static_cast<size_t>(shape.rows * 2 * quantized_row_stride(DType::kF16, shape.width));
  }

  Shape m_shape;
  GpuArray<float> m_numbers, m_ones, m_x, m_bias;
  GpuArray<uint16_t> m_out;
  GpuArray<float> m_gate_up;
};

/// Compares both ways to compute it. more_parts: of the weight behind gate and up.
void compare(const Shape& shape, bool is_fused, std::vector<ConstTensorView> more_parts = {}) {
  const auto backend = make_gpu(shape);
  const WeightNumbers gate(shape.weight, shape.width, kInputs, 5);
  const WeightNumbers up(shape.of_up(), shape.width, kInputs, 6);
  std::vector<ConstTensorView> parts = {gate.view(), up.view()};
  parts.insert(parts.end(), more_parts.begin(), more_parts.end());
  const auto weight = std::move(backend->pack_linear(parts)).value();

  const Operands separate(shape), fused(shape);
  const ConstTensorView floats = separate.x(*backend, DType::kF32);
  backend->linear(separate.gate_up(), floats, *weight, separate.bias());
  backend->glu(separate.out(), separate.gate_up(), separate.params());
  const GluParams params = fused.params();
  const DType dtype = shape.has_quantized_x ? backend->input_dtype(*weight) : DType::kF32;
  const ConstTensorView x = fused.x(*backend, dtype);
  backend->linear_glu(fused.out(), fused.gate_up(), x, {*weight, fused.bias(), params});

  QVERIFY(separate.has_sums(*backend));
  QCOMPARE(fused.has_sums(*backend), !is_fused);
  QVERIFY(fused.results(*backend) == separate.results(*backend));
}

}  // namespace

class TestCudaLinearGlu : public QObject {
  Q_OBJECT

 private slots:
  void fusedGlu_hasTheBitsOfLinearThenGlu_data() {
    QTest::addColumn<Shape>("shape");
    QTest::newRow("bf16") << Shape{DType::kBF16};
    QTest::newRow("bf16, small tiles")
        << Shape{.weight = DType::kBF16, .num_multiprocessors = 1000, .has_bias = true};
    QTest::newRow("bf16, two tiles of rows")
        << Shape{.weight = DType::kBF16, .rows = 131, .width = 512, .kind = Kind::kGeluTanh};
    QTest::newRow("bf16, quantised inputs")
        << Shape{.weight = DType::kBF16, .has_quantized_x = true};
    QTest::newRow("q4_k in int8, quantised inputs") << Shape{.weight = DType::kQ4_K,
                                                             .out = DType::kI8,
                                                             .compute_capability = 89,
                                                             .has_quantized_x = true};
    QTest::newRow("q8_0, Turing, fewer rows")
        << Shape{.weight = DType::kQ8_0, .rows = 40, .out = DType::kI8, .compute_capability = 75};
    QTest::newRow("f16 to int8") << Shape{.weight = DType::kF16, .out = DType::kI8};
    QTest::newRow("q4_0") << Shape{.weight = DType::kQ4_0, .out = DType::kF16, .has_bias = true};
    QTest::newRow("q4_0 in int8") << Shape{
        .weight = DType::kQ4_0, .out = DType::kI8, .compute_capability = 89};
    QTest::newRow("q4_0 in int8, small tiles") << Shape{.weight = DType::kQ4_0,
                                                        .rows = 129,
                                                        .out = DType::kI8,
                                                        .compute_capability = 89,
                                                        .num_multiprocessors = 1000};
    QTest::newRow("q4_k in int8") << Shape{.weight = DType::kQ4_K,
                                           .width = 512,
                                           .out = DType::kI8,
                                           .compute_capability = 120,
                                           .has_bias = true};
    QTest::newRow("q6_k in int8, to halves")
        << Shape{.weight = DType::kQ6_K, .out = DType::kF16, .compute_capability = 86};
    QTest::newRow("q8_0, Turing") << Shape{
        .weight = DType::kQ8_0, .out = DType::kI8, .compute_capability = 75};
    QTest::newRow("mxfp4, clamped") << Shape{.weight = DType::kMXFP4,
                                             .out = DType::kF16,
                                             .kind = Kind::kClampedSwiglu,
                                             .has_bias = true};
    QTest::newRow("iq3_s") << Shape{.weight = DType::kIQ3_S, .out = DType::kF16};
  }
  void fusedGlu_hasTheBitsOfLinearThenGlu() {
    QFETCH(const Shape, shape);
    compare(shape, true);
  }

  /// What runs as two kernels: few rows, widths that end within a chunk, f32, and weights
  /// that are more than one GEMM.
  void otherShapes_runLinearThenGlu_data() {
    QTest::addColumn<Shape>("shape");
    QTest::newRow("few rows") << Shape{.weight = DType::kBF16, .rows = 64};
    QTest::newRow("a width within a chunk") << Shape{.weight = DType::kBF16, .width = 320};
    QTest::newRow("f32 weights") << Shape{.weight = DType::kF32};
    QTest::newRow("f32 results") << Shape{.weight = DType::kBF16, .out = DType::kF32};
    QTest::newRow("two formats") << Shape{.weight = DType::kQ4_K, .up = DType::kQ6_K};
  }
  void otherShapes_runLinearThenGlu() {
    QFETCH(const Shape, shape);
    compare(shape, false);
  }
  void orderedInputs_runLinearThenGlu() {
    std::vector<int32_t> order(kInputs);
    std::iota(order.rbegin(), order.rend(), 0);
    compare({.weight = DType::kQ4_0}, false, {{order.data(), DType::kI32, {kInputs}}});
  }
  void outputScales_runLinearThenGlu() {
    const Shape shape = {.weight = DType::kNVFP4};
    const std::vector<float> scales = Numbers(3).floats(2 * shape.width);
    compare(shape, false, {{scales.data(), DType::kF32, {2 * shape.width}}});
  }
};

QTEST_APPLESS_MAIN(TestCudaLinearGlu)
#include "tst_cuda_linear_glu.moc"
