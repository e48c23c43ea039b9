// linear: weights of every dtype, alone and in parts, for few rows and many.

#include <cmath>

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/product_terms.h"
#include "tests/kernels/conformance/row_promises.h"

namespace quire::test {
namespace {

struct Shape {
  int64_t T;
  int64_t N;
  int64_t K;
};

/// One problem in a device's memory. x and out are columns of wider tensors if `margin` is not 0.
class OnDevice {
 public:
  OnDevice(Device& device, std::unique_ptr<LinearWeight> weight, const std::vector<float>& x,
           const std::vector<float>& bias, int64_t T)
      : m_device(device),
        m_weight(std::move(weight)),
        m_x(device, x),
        m_bias(device, bias),
        m_has_bias(!bias.empty()),
        m_rows(T) {}

  /// Rows [begin, begin + count) in a batch of their own.
  std::vector<float> run(int64_t begin, int64_t count) const {
    const int64_t N = m_weight->num_outputs();
    const int64_t K = m_weight->num_inputs();
    DeviceArray<float> out(m_device, count * N, -7.0f);
    const ConstTensorView bias = m_has_bias ? m_bias.view({N}) : TensorView();
    m_device.backend.linear(out.view({count, N}), m_x.view({m_rows, K}).rows(begin, count),
                            *m_weight, bias);
    return out.download();
  }

 private:
  Device& m_device;
  std::unique_ptr<LinearWeight> m_weight;
  DeviceArray<float> m_x;
  DeviceArray<float> m_bias;
  bool m_has_bias;
  int64_t m_rows;
};

/// Inputs whose rows are of different sizes, as activations are.
std::vector<float> make_inputs(int64_t T, int64_t K, float size, uint32_t seed) {
  std::vector<float> x = Numbers(seed).floats(T * K, size);
  const float factors[] = {1.0f, 30.0f, 0.05f};
  for (int64_t i = 0; i < T * K; ++i) x[static_cast<size_t>(i)] *= factors[i / K % 3];
  return x;
}

void run_with(Trial& trial, const WeightMatrix& weight, const Shape& s, float size, bool has_bias) {
  const std::vector<float> x = make_inputs(s.T, s.K, size, static_cast<uint32_t>(s.T));
  const std::vector<float> bias = has_bias ? Numbers(51).floats(s.N) : std::vector<float>();
  const OnDevice oracle(trial.oracle, weight.pack(trial.oracle), x, bias, s.T);
  const OnDevice tested(trial.tested, weight.pack(trial.tested), x, bias, s.T);
  const std::vector<float> got = tested.run(0, s.T);
  trial.compare.within("out", got, oracle.run(0, s.T),
                       product_bounds(trial.arithmetic, weight, x, bias));
  check_row_promises(trial, s.T, s.N, got,
                     [&](int64_t begin, int64_t count) { return tested.run(begin, count); });
}

void run_case(Trial& trial, DType dtype, const Shape& s, float size, bool has_bias) {
  run_with(trial, {dtype, s.N, s.K, static_cast<uint32_t>(s.N + s.K)}, s, size, has_bias);
}

/// Scales that a format of the backend may not hold: numbers stay right, and zeros zero.
void run_large_scales(Trial& trial, DType dtype, int64_t T) {
  const Shape s = {T, 35, 512};
  WeightMatrix weight(dtype, s.N, s.K, 81);
  weight.enlarge_scales();
  run_with(trial, weight, s, 1.0f, false);
}

/// Parts of every family of formats, some with strides and some of one row, as a fused weight: each
/// output is that of its part alone, bit for bit.
void run_parts(Trial& trial, int64_t T) {
  constexpr int64_t K = 512;
  const WeightMatrix a(DType::kQ4_K, 70, K, 1);
  const WeightMatrix b(DType::kQ6_K, 33, K, 2);
  const WeightMatrix c(DType::kF32, 5, 2 * K, 3);
  const WeightMatrix d(DType::kBF16, 21, K, 4);
  const WeightMatrix e(DType::kQ8_0, 19, K, 5);
  const WeightMatrix f(DType::kMXFP4, 1, K, 6);
  const WeightMatrix g(DType::kF16, 18, 2 * K, 7);
  std::vector<ConstTensorView> parts = {a.view(), b.view(), c.view().columns(K, K), d.view()};
  // Rows in another order, as those of Q in a llama GGUF: a part each.
  for (int64_t i = 0; i < e.rows; ++i) parts.push_back(e.view().rows(i * 7 % e.rows, 1));
  parts.push_back(f.view());
  parts.push_back(g.view().columns(0, K));
  const std::vector<float> x = make_inputs(T, K, 1.0f, 61);
  const OnDevice whole(trial.tested, trial.tested.pack(parts), x, {}, T);
  const std::vector<float> got = whole.run(0, T);
  const auto num_outputs = static_cast<int64_t>(got.size()) / T;
  int64_t first = 0;
  for (const ConstTensorView& part : parts) {
    const OnDevice alone(trial.tested, trial.tested.pack(std::span(&part, 1)), x, {}, T);
    const std::vector<float> expected = alone.run(0, T);
    for (int64_t t = 0; t < T; ++t) {
      const auto at = [](int64_t i) { return static_cast<size_t>(i); };
      trial.compare.same_bits(
          "Row " + std::to_string(t) + " of the part at output " + std::to_string(first),
          std::span(got).subspan(at(t * num_outputs + first), at(part.dim(0))),
          std::span(expected).subspan(at(t * part.dim(0)), at(part.dim(0))));
    }
    first += part.dim(0);
  }
  trial.compare.require(first == num_outputs, "The parts' outputs are not the weight's.");
}

/// x and out are columns of wider tensors: nothing beside them is read or written.
void run_columns(Trial& trial, DType dtype, int64_t T) {
  const int64_t N = 50;
  const int64_t K = 256;
  const WeightMatrix weight(dtype, N, K, 71);
  const auto packed = weight.pack(trial.tested);
  const std::vector<float> x = make_inputs(T, K, 1.0f, 72);
  std::vector<float> wide(static_cast<size_t>(T * 300), 1e30f);
  for (int64_t t = 0; t < T; ++t) std::copy_n(x.begin() + t * K, K, wide.begin() + t * 300 + 3);
  const DeviceArray<float> wide_x(trial.tested, wide);
  const DeviceArray<float> wide_out(trial.tested, T * 90, -7.0f);
  trial.tested.backend.linear(wide_out.view({T, 90}).columns(11, N),
                              wide_x.view({T, 300}).columns(3, K), *packed, {});
  const OnDevice dense(trial.tested, weight.pack(trial.tested), x, {}, T);
  const std::vector<float> rows = dense.run(0, T);
  std::vector<float> expected(static_cast<size_t>(T * 90), -7.0f);
  for (int64_t t = 0; t < T; ++t) {
    std::copy_n(rows.begin() + t * N, N, expected.begin() + t * 90 + 11);
  }
  trial.compare.same_bits("Columns of a wider tensor", wide_out.download(), expected);
}

/// Weights (N, K) whose first column is 1 and one unit of their dtype, and whose others are
/// `others`.
std::unique_ptr<LinearWeight> pack_beside(Device& device, DType dtype, int64_t N, int64_t K,
                                          float others) {
  const float first = dtype == DType::kF16 ? 1.0f + 0x1p-10f : 1.0f + 0x1p-7f;
  std::vector<float> numbers(static_cast<size_t>(N * K), others);
  for (int64_t n = 0; n < N; ++n) numbers[static_cast<size_t>(n * K)] = first;
  TypedNumbers typed = in_dtype(dtype, numbers);
  const ConstTensorView part(typed.data(), dtype, {N, K});
  return device.pack(std::span(&part, 1));
}

/// Products that are zero change no bit of a sum, however large their other factor is. Tensor cores
/// shift the terms of a sum to the largest one's exponent and cut off what is below: it must not be
/// the exponent of a weight that a zero is multiplied with.
void run_zero_products(Trial& trial, DType dtype, int64_t T) {
  const int64_t N = 17;
  const int64_t K = 256;
  // The smallest vanish in f16: the others are there for it.
  const float sizes[] = {0x1p-20f, 0x1p-7f, 1.0f};
  std::vector<float> x(static_cast<size_t>(T * K));
  for (int64_t t = 0; t < T; ++t) {
    x[static_cast<size_t>(t * K)] = sizes[t % 3] * (1.0f + 0x1p-10f);
  }
  const OnDevice beside_zeros(trial.tested, pack_beside(trial.tested, dtype, N, K, 0.0f), x, {}, T);
  const OnDevice beside_large(trial.tested, pack_beside(trial.tested, dtype, N, K, 0x1p15f), x, {},
                              T);
  const std::vector<float> expected = beside_zeros.run(0, T);
  trial.compare.same_bits("Beside weights of 2^15", beside_large.run(0, T), expected);
  trial.compare.require(T < 2 || expected[static_cast<size_t>(N)] != 0.0f,
                        "2^-7 times 1 is nothing.");
}

/// Inputs beyond what f16 holds, and some that it holds badly.
void add_extreme_inputs(std::vector<Case>& cases) {
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kQ4_0, DType::kQ6_K}) {
    for (float size : {2000.0f, 1e-3f}) {
      cases.push_back({"linear " + std::string(dtype_name(dtype)), "inputs of " + to_text(size),
                       [=](Trial& trial) {
                         run_case(trial, dtype, {11, 50, 256}, size, true);
                       }});
    }
  }
}

std::vector<Shape> shapes_of(DType dtype, bool is_long) {
  const bool has_large_blocks = dtype_block_elements(dtype) > 32;
  const int64_t one = has_large_blocks ? 256 : is_quantized(dtype) ? 32 : 1;
  const int64_t some = has_large_blocks ? 256 : is_quantized(dtype) ? 96 : 70;
  const int64_t many = has_large_blocks ? 768 : is_quantized(dtype) ? 544 : 513;
  std::vector<Shape> shapes = {{1, 131, many}, {2, 50, some},  {7, 17, many},
                               {8, 1, one},    {9, 131, some}, {17, 50, many},
                               {33, 17, some}, {65, 50, some}, {129, 17, many}};
  if (!is_long) return shapes;
  for (int64_t T : {1, 2, 7, 8, 9, 17, 33, 65, 129, 300}) {
    for (int64_t N : {1, 17, 50, 131}) {
      for (int64_t K : {one, some, many, many * 4}) shapes.push_back({T, N, K});
    }
  }
  return shapes;
}

}  // namespace

void add_linear_cases(std::vector<Case>& cases, bool is_long) {
  for (DType dtype : weight_types()) {
    for (const Shape& s : shapes_of(dtype, is_long)) {
      const bool has_bias = s.T % 4 != 1;
      cases.push_back({"linear " + std::string(dtype_name(dtype)),
                       "T=" + std::to_string(s.T) + " N=" + std::to_string(s.N) +
                           " K=" + std::to_string(s.K) + (has_bias ? " with bias" : ""),
                       [=](Trial& trial) { run_case(trial, dtype, s, 1.0f, has_bias); }});
    }
  }
  add_extreme_inputs(cases);
  for (DType dtype : folder_types()) {
    for (int64_t T : {1, 9, 33}) {
      cases.push_back({"linear " + std::string(dtype_name(dtype)),
                       "large scales T=" + std::to_string(T),
                       [=](Trial& trial) { run_large_scales(trial, dtype, T); }});
    }
  }
  for (DType dtype : {DType::kF16, DType::kBF16}) {
    for (int64_t T : {1, 9, 33, 129}) {
      cases.push_back({"linear " + std::string(dtype_name(dtype)),
                       "zero products T=" + std::to_string(T),
                       [=](Trial& trial) { run_zero_products(trial, dtype, T); }});
    }
  }
  for (int64_t T : {1, 9, 33}) {
    cases.push_back(
        {"linear parts", "T=" + std::to_string(T), [=](Trial& trial) { run_parts(trial, T); }});
    for (DType dtype : {DType::kF32, DType::kBF16, DType::kQ4_K}) {
      cases.push_back({"linear columns", std::string(dtype_name(dtype)) + " T=" + std::to_string(T),
                       [=](Trial& trial) { run_columns(trial, dtype, T); }});
    }
  }
}

}  // namespace quire::test
