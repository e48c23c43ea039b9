// Quantised activations: what norms, GLUs and attention round to halves or int8 for the GEMMs that
// read it. A GEMM gives the bits that it gives with the same numbers in f32, which it rounds
// itself.

#include <simt/control.h>

#include <QTest>
#include <functional>
#include <limits>

#include "kernels/base/quantized_activations.h"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/linear/gemm_task.h"
#include "tests/kernels/cuda/gpu_attention_problem.h"
#include "tests/kernels/cuda/test_gpu.h"
#include "tests/kernels/cuda/weights_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Computes rows (T, K): the operands of a producer are the same at every call.
using Producer = std::function<void(Backend& backend, TensorView out)>;

struct Shape {
  DType weight;
  int64_t inputs;
  int64_t rows;
  int compute_capability = 90;
};

std::unique_ptr<Backend> make_gpu(const Shape& shape) {
  simt::Machine machine;
  machine.compute_capability = shape.compute_capability;
  machine.seed = 7;
  machine.is_memory_protected = false;
  simt::set_machine(machine);
  return std::move(cuda::CudaBackend::create(0, {.device = "cuda"})).value();
}

std::vector<float> download(Backend& backend, ConstTensorView view) {
  std::vector<float> numbers(static_cast<size_t>(view.num_elements()));
  backend.download(numbers.data(), view.data(), numbers.size() * sizeof(float));
  CHECK(backend.synchronize().has_value());
  return numbers;
}

/// Memory for rows in f32 or quantised activations, full of NaNs.
class RowMemory {
 public:
  RowMemory(int64_t num_rows, int64_t num_columns)
      : m_array(std::vector<uint16_t>(
            static_cast<size_t>(num_rows *
                                (2 * num_columns + quantized_row_stride(DType::kF16, num_columns))),
            0xffff)),
        m_rows(num_rows),
        m_columns(num_columns) {}
  TensorView view(DType dtype) const {
    if (dtype == DType::kF32) return {m_array.data(), dtype, {m_rows, m_columns}};
    return quantized_activations(m_array.data(), dtype, m_rows, m_columns);
  }

 private:
  GpuArray<uint16_t> m_array;
  int64_t m_rows, m_columns;
};

/// linear() of what the producer writes in f32 or as quantised activations; `kept` rows of it if
/// not all.
std::vector<float> produce_and_multiply(Backend& backend, const Producer& producer,
                                        const LinearWeight& weight, int64_t rows, DType dtype,
                                        const std::vector<int32_t>& kept = {}) {
  const RowMemory produced(rows, weight.num_inputs());
  const auto num_kept = static_cast<int64_t>(kept.size());
  const RowMemory gathered(std::max<int64_t>(1, num_kept), weight.num_inputs());
  const GpuArray<int32_t> ids(kept.empty() ? std::vector<int32_t>{0} : kept);
  producer(backend, produced.view(dtype));
  TensorView x = produced.view(dtype);
  if (num_kept > 0) {
    x = gathered.view(dtype);
    backend.gather_rows(x, produced.view(dtype), {ids.data(), DType::kI32, {num_kept}});
  }
  const RowMemory out(x.dim(0), weight.num_outputs());
  backend.linear(out.view(DType::kF32), x, weight, {});
  return download(backend, out.view(DType::kF32));
}

void add_shapes() {
  QTest::addColumn<DType>("weight");
  QTest::addColumn<int>("inputs");
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("capability");
  const auto add = [](DType weight, int inputs, int rows, int capability = 90) {
    QTest::addRow("%s, %d inputs, %d rows, sm_%d", std::string(dtype_name(weight)).c_str(), inputs,
                  rows, capability)
        << weight << inputs << rows << capability;
  };
  for (const int inputs : {1, 2, 31, 100, 256, 1000, 1001}) {
    for (const int rows : {1, 3}) add(DType::kBF16, inputs, rows);
  }
  for (const int rows : {8, 9, 33, 70}) add(DType::kBF16, 1000, rows);
  for (const int rows : {1, 8, 17, 70}) add(DType::kF16, 100, rows);
  for (const int inputs : {32, 96, 256, 992}) {
    for (const int rows : {1, 3}) add(DType::kQ8_0, inputs, rows, 89);
  }
  for (const int rows : {8, 9, 33, 70}) add(DType::kQ8_0, 992, rows, 89);
  for (const int rows : {1, 2, 40}) add(DType::kQ4_K, 512, rows, 89);
  for (const int rows : {1, 17}) add(DType::kQ6_K, 768, rows, 120);
  for (const int rows : {1, 5, 16}) add(DType::kQ8_0, 992, rows);
  for (const int rows : {1, 40}) add(DType::kQ4_K, 512, rows);
  add(DType::kBF16, 100, 1, 75);
  add(DType::kBF16, 8200, 1);
  add(DType::kBF16, 8200, 8);
  add(DType::kQ8_0, 96, 1, 75);
  add(DType::kQ8_0, 8224, 1, 89);
  add(DType::kQ8_0, 8224, 8, 120);
}

Shape fetch_shape() {
  QFETCH(const DType, weight);
  QFETCH(const int, inputs);
  QFETCH(const int, rows);
  QFETCH(const int, capability);
  return {weight, inputs, rows, capability};
}

DType activation_dtype(const Shape& shape) {
  if (is_quantized(shape.weight)) {
    return cuda::uses_int8_gemm(shape.compute_capability) ? DType::kI8 : DType::kF16;
  }
  return shape.weight == DType::kBF16 && shape.compute_capability >= 80 ? DType::kBF16
                                                                        : DType::kF16;
}

/// Whether the GEMM of the producer's quantised activations has the bits of that of its rows in
/// f32.
void compare_bits(const Shape& shape, const std::function<Producer()>& make_producer) {
  const auto backend = make_gpu(shape);
  const WeightNumbers numbers(shape.weight, 40, shape.inputs, 5);
  const ConstTensorView parts[] = {numbers.view()};
  const auto weight = std::move(backend->pack_linear(parts)).value();
  const DType quantized = backend->input_dtype(*weight);
  QCOMPARE(quantized, activation_dtype(shape));
  const Producer producer = make_producer();
  QVERIFY(same_bits(produce_and_multiply(*backend, producer, *weight, shape.rows, quantized),
                    produce_and_multiply(*backend, producer, *weight, shape.rows, DType::kF32)));
}

std::shared_ptr<GpuArray<float>> gpu_numbers(int64_t count, uint32_t seed, float scale = 1.0f) {
  return std::make_shared<GpuArray<float>>(Numbers(seed).floats(count, scale));
}

TensorView matrix(const std::shared_ptr<GpuArray<float>>& numbers, int64_t rows, int64_t columns) {
  return {numbers->data(), DType::kF32, {rows, columns}};
}
ConstTensorView vector(const std::shared_ptr<GpuArray<float>>& numbers, int64_t count) {
  return {numbers->data(), DType::kF32, {count}};
}

/// A norm whose rows reach from numbers that f16 rounds away to such that it cannot hold.
Producer rms_norm_of(const Shape& shape) {
  const int64_t rows = shape.rows, n = shape.inputs;
  const auto x = gpu_numbers(rows * n, 1, 3.0f), weight = gpu_numbers(n, 2, 5e6f);
  return [=](Backend& backend, TensorView out) {
    backend.rms_norm(out, matrix(x, rows, n), vector(weight, n), 1e-5f);
  };
}

/// The int8 activations that a GEMM rounds x to, in memory full of ones.
std::vector<uint8_t> quantized_by_gemm(cuda::CommandQueue& queue, const TensorView& x) {
  const int64_t rows = x.dim(0), n = x.dim(1);
  const auto bytes = static_cast<size_t>(rows * quantized_row_stride(DType::kI8, n));
  const GpuArray<uint8_t> quantized(std::vector<uint8_t>(bytes, 0xff));
  cuda::quantize_activations(queue, "test", reinterpret_cast<uint4*>(quantized.data()), x,
                             DType::kI8);
  return quantized.download(queue);
}

/// Numbers of which some are so small that they quantise to zero, infinite, or NaN.
std::vector<float> extreme_numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers = Numbers(seed).floats(count, 3.0f);
  const auto set = [&](size_t i, float x) {
    if (i < numbers.size()) numbers[i] = x;
  };
  for (size_t i = 32; i < 64; ++i) set(i, 1e-32f);
  set(70, std::numeric_limits<float>::infinity());
  set(97, std::numeric_limits<float>::quiet_NaN());
  set(130, -std::numeric_limits<float>::infinity());
  return numbers;
}

}  // namespace

class TestCudaQuantizedActivations : public QObject {
  Q_OBJECT

 private slots:
  void rmsNorm_givesGemmsTheirBits_data() { add_shapes(); }
  void rmsNorm_givesGemmsTheirBits() {
    const Shape shape = fetch_shape();
    compare_bits(shape, [&] { return rms_norm_of(shape); });
  }

  void layerNorm_givesGemmsTheirBits_data() { add_shapes(); }
  void layerNorm_givesGemmsTheirBits() {
    const Shape shape = fetch_shape();
    const int64_t rows = shape.rows, n = shape.inputs;
    for (const bool has_bias : {false, true}) {
      compare_bits(shape, [&] {
        const auto x = gpu_numbers(rows * n, 1, 3.0f);
        const auto weight = gpu_numbers(n, 2), bias = gpu_numbers(n, 3);
        return [=](Backend& backend, TensorView out) {
          backend.layer_norm(out, matrix(x, rows, n), vector(weight, n),
                             has_bias ? vector(bias, n) : ConstTensorView(), 1e-5f);
        };
      });
    }
  }

  void addRmsNorm_givesGemmsTheirBits_data() { add_shapes(); }
  void addRmsNorm_givesGemmsTheirBits() {
    const Shape shape = fetch_shape();
    const int64_t rows = shape.rows, n = shape.inputs;
    compare_bits(shape, [&] {
      const auto first = gpu_numbers(rows * n, 1), delta = gpu_numbers(rows * n, 2);
      const auto weight = gpu_numbers(n, 3), residual = gpu_numbers(rows * n, 4);
      return [=](Backend& backend, TensorView out) {
        const size_t bytes = static_cast<size_t>(rows * n) * sizeof(float);
        backend.copy(residual->data(), first->data(), bytes);
        backend.add_rms_norm(out, matrix(residual, rows, n), matrix(delta, rows, n),
                             vector(weight, n), 1e-5f);
      };
    });
  }

  /// Byte by byte, with the scales, also in widths that no int8 weight has.
  void producers_quantizeAsGemms_data() {
    QTest::addColumn<int>("inputs");
    QTest::addColumn<int>("rows");
    for (const int inputs : {1, 2, 31, 100, 256, 260, 1000, 1001, 8300}) {
      for (const int rows : {1, 5}) {
        QTest::addRow("%d inputs, %d rows", inputs, rows) << inputs << rows;
      }
    }
  }
  void producers_quantizeAsGemms() {
    QFETCH(const int, inputs);
    QFETCH(const int, rows);
    const auto queue = make_queue();
    const int64_t n = inputs;
    const GpuArray<float> x(Numbers(1).floats(rows * n)), delta(Numbers(2).floats(rows * n));
    const GpuArray<float> weight(extreme_numbers(n, 3)), bias(Numbers(4).floats(n));
    const GpuArray<float> gate_up(extreme_numbers(rows * 2 * n, 5));
    const ConstTensorView in(x.data(), DType::kF32, {rows, n});
    const ConstTensorView factors(weight.data(), DType::kF32, {n});
    const ConstTensorView shifts(bias.data(), DType::kF32, {n});
    const std::function<void(TensorView)> producers[] = {
        [&](TensorView out) { cuda::rms_norm(*queue, out, in, factors, 1e-5f); },
        [&](TensorView out) { cuda::layer_norm(*queue, out, in, factors, shifts, 1e-5f); },
        [&](TensorView out) {
          const GpuArray<float> residual(Numbers(6).floats(rows * n));
          cuda::add_rms_norm(*queue, out, {residual.data(), DType::kF32, {rows, n}},
                             {delta.data(), DType::kF32, {rows, n}}, factors, 1e-5f);
          CHECK(cudaStreamSynchronize(queue->stream()) == cudaSuccess);
        },
        [&](TensorView out) {
          cuda::glu(*queue, out, {gate_up.data(), DType::kF32, {rows, 2 * n}}, {});
        }};
    for (const auto& produce : producers) {
      const GpuArray<float> floats(std::vector<float>(static_cast<size_t>(rows * n)));
      const TensorView exact(floats.data(), DType::kF32, {rows, n});
      produce(exact);
      const auto bytes = static_cast<size_t>(rows * quantized_row_stride(DType::kI8, n));
      const GpuArray<uint8_t> quantized(std::vector<uint8_t>(bytes, 0xff));
      produce(quantized_activations(quantized.data(), DType::kI8, rows, n));
      QCOMPARE(quantized.download(*queue), quantized_by_gemm(*queue, exact));
    }
  }

  void glu_givesGemmsTheirBits_data() { add_shapes(); }
  void glu_givesGemmsTheirBits() {
    const Shape shape = fetch_shape();
    const int64_t rows = shape.rows, n = shape.inputs;
    using Kind = GluParams::Kind;
    for (const Kind kind : {Kind::kSilu, Kind::kGeluTanh, Kind::kClampedSwiglu}) {
      compare_bits(shape, [&] {
        const auto gate_up = gpu_numbers(rows * 2 * n, 1, 6.0f);
        return [=](Backend& backend, TensorView out) {
          backend.glu(out, matrix(gate_up, rows, 2 * n),
                      {.kind = kind, .limit = 4.0f, .alpha = 1.7f});
        };
      });
    }
  }

  /// Kernels on tensor cores and in f32, tiles that end with their row and states that are folded,
  /// heads that fill a row's last chunk and such that do not.
  void attention_givesGemmsTheirBits_data() {
    QTest::addColumn<int>("kvHeads");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("headDim");
    QTest::addColumn<DType>("pages");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("context");
    QTest::newRow("decode, folded") << 2 << 2 << 64 << DType::kF16 << 1 << 700;
    QTest::newRow("decode, odd width") << 3 << 1 << 48 << DType::kBF16 << 1 << 20;
    QTest::newRow("prefill, odd width") << 1 << 5 << 80 << DType::kF16 << 30 << 40;
    QTest::newRow("wide heads") << 1 << 3 << 144 << DType::kBF16 << 9 << 300;
    QTest::newRow("many rows") << 1 << 8 << 32 << DType::kF16 << 80 << 80;
    QTest::newRow("f32 pages") << 2 << 1 << 24 << DType::kF32 << 3 << 300;
    QTest::newRow("f32 pages, prefill") << 1 << 3 << 13 << DType::kF32 << 20 << 20;
    QTest::newRow("wider than tiles") << 1 << 1 << 300 << DType::kF16 << 2 << 30;
    QTest::newRow("i8 pages") << 1 << 4 << 64 << DType::kI8 << 2 << 600;
    QTest::newRow("three groups a head") << 3 << 1 << 96 << DType::kF16 << 20 << 40;
    QTest::newRow("two warps a head") << 1 << 3 << 160 << DType::kBF16 << 9 << 300;
    QTest::newRow("f32 pages, groups") << 3 << 1 << 32 << DType::kF32 << 20 << 300;
    QTest::newRow("wider than tiles, groups") << 1 << 1 << 288 << DType::kF16 << 2 << 30;
  }
  void attention_givesGemmsTheirBits() {
    QFETCH(const int, kvHeads);
    QFETCH(const int, group);
    QFETCH(const int, headDim);
    QFETCH(const DType, pages);
    QFETCH(const int, rows);
    QFETCH(const int, context);
    const auto queue = make_queue(89);
    cuda::PagedAttention attention(*queue);
    const GpuAttentionProblem problem(
        {.Hkv = kvHeads, .group = group, .D = headDim, .dtype = pages},
        {{.rows = rows, .context = context}, {.rows = 1, .context = 5}});
    const GpuAttentionStep step(problem, problem.whole(), /*padding=*/1);
    step.begin(attention);
    const int64_t num_rows = problem.num_rows() + 1, num_inputs = problem.row_floats();
    cuda::LinearPacker packer(*queue);
    const auto multiply = [&](DType of_weight, DType dtype) {
      const WeightNumbers numbers(of_weight, 40, num_inputs, 5);
      const ConstTensorView parts[] = {numbers.view()};
      const auto weight = std::move(packer.pack(parts)).value();
      const RowMemory x(num_rows, num_inputs), out(num_rows, 40);
      step.run(attention, x.view(dtype).split_columns(headDim));
      cuda::linear(*queue, out.view(DType::kF32), x.view(dtype), *weight, {});
      std::vector<float> host(static_cast<size_t>(num_rows * 40));
      CHECK(cudaStreamSynchronize(queue->stream()) == cudaSuccess);
      CHECK(queue->take_failure().has_value());
      CHECK(cudaMemcpy(host.data(), out.view(DType::kF32).data(), host.size() * sizeof(float),
                       cudaMemcpyDeviceToHost) == cudaSuccess);
      return host;
    };
    QVERIFY(same_bits(multiply(DType::kBF16, DType::kBF16), multiply(DType::kBF16, DType::kF32)));
    if (headDim % kQuantizedRowGroup != 0) return;
    QVERIFY(same_bits(multiply(DType::kQ8_0, DType::kI8), multiply(DType::kQ8_0, DType::kF32)));
  }

  void gatheredRows_giveGemmsTheirBits_data() {
    QTest::addColumn<DType>("weight");
    for (const DType weight : {DType::kF16, DType::kQ8_0}) {
      QTest::newRow(std::string(dtype_name(weight)).c_str()) << weight;
    }
  }
  void gatheredRows_giveGemmsTheirBits() {
    QFETCH(const DType, weight);
    const Shape shape = {weight, 992, 6, 89};
    const auto backend = make_gpu(shape);
    const WeightNumbers numbers(shape.weight, 40, shape.inputs, 5);
    const ConstTensorView parts[] = {numbers.view()};
    const auto packed = std::move(backend->pack_linear(parts)).value();
    const Producer producer = rms_norm_of(shape);
    const std::vector<int32_t> kept = {4, 1, 4};
    const DType dtype = activation_dtype(shape);
    QVERIFY(same_bits(produce_and_multiply(*backend, producer, *packed, 6, dtype, kept),
                      produce_and_multiply(*backend, producer, *packed, 6, DType::kF32, kept)));
  }

  /// Each expert's rows are found by the same row numbers in quantised activations as in f32.
  void experts_giveTheirBits_data() {
    QTest::addColumn<DType>("weight");
    QTest::addColumn<int>("inputs");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<bool>("rowsOfTokens");
    const auto add = [](DType weight, int inputs) {
      const std::string name(dtype_name(weight));
      for (const int tokens : {1, 9, 40}) {
        QTest::addRow("%s, %d tokens", name.c_str(), tokens) << weight << inputs << tokens << false;
        QTest::addRow("%s, %d tokens, a row for each expert", name.c_str(), tokens)
            << weight << inputs << tokens << true;
      }
    };
    add(DType::kBF16, 100);
    add(DType::kQ8_0, 96);
    add(DType::kQ4_K, 512);
  }
  void experts_giveTheirBits() {
    QFETCH(const DType, weight);
    QFETCH(const int, inputs);
    QFETCH(const int, tokens);
    QFETCH(const bool, rowsOfTokens);
    constexpr int kExperts = 3, kOfToken = 2, kOutputs = 24;
    const Shape shape = {weight, inputs, tokens * (rowsOfTokens ? kOfToken : 1), 89};
    const auto backend = make_gpu(shape);
    std::vector<std::unique_ptr<LinearWeight>> experts;
    std::vector<const LinearWeight*> views;
    for (uint32_t e = 0; e < kExperts; ++e) {
      const WeightNumbers numbers(shape.weight, kOutputs, shape.inputs, e);
      const ConstTensorView parts[] = {numbers.view()};
      experts.push_back(std::move(backend->pack_linear(parts)).value());
      views.push_back(experts.back().get());
    }
    std::vector<int32_t> chosen;
    for (int i = 0; i < tokens * kOfToken; ++i) chosen.push_back(i * 5 / 3 % kExperts);
    const GpuArray<int32_t> ids(chosen);
    const Producer producer = rms_norm_of(shape);
    const auto multiply = [&](DType dtype) {
      const RowMemory x(shape.rows, shape.inputs), out(tokens * kOfToken, kOutputs);
      producer(*backend, x.view(dtype));
      backend->linear_experts(out.view(DType::kF32), x.view(dtype), views, {},
                              {ids.data(), DType::kI32, {tokens, kOfToken}});
      return download(*backend, out.view(DType::kF32));
    };
    QVERIFY(same_bits(multiply(activation_dtype(shape)), multiply(DType::kF32)));
  }

  /// What one GEMM reads in two dtypes, or in another order, is to be f32.
  void inputDtype_isThatOfEveryPart() {
    const auto backend = make_gpu({.compute_capability = 89});
    const WeightNumbers bf16(DType::kBF16, 16, 64, 1), f16(DType::kF16, 16, 64, 2);
    const WeightNumbers q8(DType::kQ8_0, 16, 64, 3), f32(DType::kF32, 16, 64, 4);
    const WeightNumbers q4(DType::kQ4_0, 16, 64, 5);
    const auto dtype_of = [&](const std::vector<ConstTensorView>& parts) {
      return backend->input_dtype(*std::move(backend->pack_linear(parts)).value());
    };
    QCOMPARE(dtype_of({bf16.view(), bf16.view()}), DType::kBF16);
    QCOMPARE(dtype_of({q8.view(), q8.view()}), DType::kI8);
    QCOMPARE(dtype_of({q8.view(), q4.view()}), DType::kI8);
    QCOMPARE(dtype_of({f16.view(), q8.view()}), DType::kF32);
    QCOMPARE(dtype_of({bf16.view(), q8.view()}), DType::kF32);
    QCOMPARE(dtype_of({f16.view(), f32.view()}), DType::kF32);
    QCOMPARE(dtype_of({f32.view()}), DType::kF32);
    std::vector<int32_t> order(64);
    for (int32_t i = 0; i < 64; ++i) order[static_cast<size_t>(i)] = 63 - i;
    QCOMPARE(dtype_of({f16.view(), {order.data(), DType::kI32, {64}}}), DType::kF32);
  }
};

QTEST_APPLESS_MAIN(TestCudaQuantizedActivations)
#include "tst_cuda_quantized_activations.moc"
