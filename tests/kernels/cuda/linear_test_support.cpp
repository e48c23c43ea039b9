#include "tests/kernels/cuda/linear_test_support.h"
#include "kernels/cuda/weights/linear_packer.h"

#include <simt/control.h>

#include <cmath>

namespace quire::test {
namespace {

/// Rows of `columns` numbers with `gap` more floats after each.
std::vector<float> spread(const std::vector<float>& numbers, int64_t columns, int64_t gap) {
  const int64_t rows = static_cast<int64_t>(numbers.size()) / columns;
  std::vector<float> wide(static_cast<size_t>(rows * (columns + gap)), NAN);
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(&numbers[static_cast<size_t>(row * columns)], columns,
                &wide[static_cast<size_t>(row * (columns + gap))]);
  }
  return wide;
}

std::vector<float> gather(const std::vector<float>& wide, int64_t columns, int64_t gap) {
  std::vector<float> numbers;
  for (size_t at = 0; at < wide.size(); at += static_cast<size_t>(columns + gap)) {
    numbers.insert(numbers.end(), &wide[at], &wide[at] + columns);
  }
  return numbers;
}

}  // namespace

LinearProblem::LinearProblem(DType dtype, int64_t outputs, int64_t inputs, int64_t rows,
                             uint32_t seed)
    : weight(dtype, outputs, inputs, seed),
      x(Numbers(seed + 1).floats(rows * inputs)),
      bias(Numbers(seed + 2).floats(outputs)) {}

std::unique_ptr<cuda::CommandQueue> make_quick_queue(int compute_capability) {
  simt::Machine machine;
  machine.compute_capability = compute_capability;
  machine.memory_bytes = size_t{628} << 20;  // 500 of them are the desktop's.
  machine.is_memory_protected = false;
  simt::set_machine(machine);
  return cuda::CommandQueue::create(0).value();
}

std::unique_ptr<LinearWeight> pack(cuda::CommandQueue& queue,
                                   const std::vector<ConstTensorView>& parts) {
  Result<std::unique_ptr<LinearWeight>> packed = cuda::LinearPacker(queue).pack(parts);
  if (!packed) qFatal("%s", packed.error().message.c_str());
  return std::move(*packed);
}

std::vector<float> run_linear(cuda::CommandQueue& queue, const LinearWeight& weight,
                              const std::vector<float>& x, const std::vector<float>& bias,
                              cuda::CublasGemm* fast) {
  const int64_t inputs = weight.num_inputs();
  const int64_t outputs = weight.num_outputs();
  const int64_t rows = static_cast<int64_t>(x.size()) / inputs;
  // Most widths are even: an odd number of rows can be read two floats at a time, others cannot.
  const int64_t gap = 3 + rows % 2;
  const DeviceArray<float> device_x(spread(x, inputs, gap));
  const DeviceArray<float> device_bias(bias.empty() ? std::vector<float>(1) : bias);
  const DeviceArray<float> out(
      std::vector<float>(static_cast<size_t>(rows * (outputs + gap)), 777.0f));
  const auto columns = [gap](float* data, int64_t num_rows, int64_t num_columns) {
    const TensorView wide(data, DType::kF32, {num_rows, num_columns + gap});
    return wide.columns(0, num_columns);
  };
  cuda::linear(queue, columns(out.data(), rows, outputs), columns(device_x.data(), rows, inputs),
               weight,
               bias.empty() ? ConstTensorView()
                            : ConstTensorView(device_bias.data(), DType::kF32, {outputs}),
               fast);
  const std::vector<float> wide = out.numbers(queue);
  CHECK(queue.take_failure().has_value());
  for (size_t i = 0; i < wide.size(); ++i) {
    // Nothing is written between the rows.
    CHECK(static_cast<int64_t>(i) % (outputs + gap) < outputs || wide[i] == 777.0f);
  }
  return gather(wide, outputs, gap);
}

std::vector<float> scalar_linear(const std::vector<ConstTensorView>& parts,
                                 const std::vector<float>& x, const std::vector<float>& bias) {
  const auto backend = make_backend("scalar", 1);
  const auto weight = std::move(backend->pack_linear(parts).value());
  const int64_t rows = static_cast<int64_t>(x.size()) / weight->num_inputs();
  std::vector<float> out(static_cast<size_t>(rows * weight->num_outputs()));
  backend->linear(view(out, {rows, weight->num_outputs()}),
                  ConstTensorView(x.data(), DType::kF32, {rows, weight->num_inputs()}), *weight,
                  bias.empty()
                      ? ConstTensorView()
                      : ConstTensorView(bias.data(), DType::kF32, {weight->num_outputs()}));
  return out;
}

std::vector<double> product_bounds(const LinearProblem& problem, bool has_bf16) {
  const WeightNumbers& weight = problem.weight;
  const DType dtype = weight.dtype;
  const bool is_bf16 = has_bf16 && (dtype == DType::kBF16 || dtype == DType::kMXFP4);
  const double of_input = dtype == DType::kF32 ? 0.0 : is_bf16 ? 0x1p-9 : 0x1p-11;
  const double of_sums = 0x1p-24 * 300;
  const std::vector<double> of_weights = weight.bounds();
  std::vector<double> bounds;
  for (int64_t row = 0; row < problem.num_rows(); ++row) {
    const float* const x = &problem.x[static_cast<size_t>(row * weight.columns)];
    for (int64_t n = 0; n < weight.rows; ++n) {
      double bound = 1e-6;
      for (int64_t k = 0; k < weight.columns; ++k) {
        const auto i = static_cast<size_t>(n * weight.columns + k);
        const double size = std::fabs(x[k]) * std::fabs(weight.exact[i]);
        bound += (of_input + of_sums) * size + std::fabs(x[k]) * of_weights[i] * (1 + of_input);
      }
      bounds.push_back(bound);
    }
  }
  return bounds;
}

QString dtype_text(DType dtype) {
  const std::string_view name = dtype_name(dtype);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

int64_t odd_inputs(DType dtype) {
  const int64_t block = dtype_block_elements(dtype);
  return block == 1 ? 326 : block == 32 ? 32 * 11 : 256 * 3;
}

std::vector<float> rows_of(const std::vector<float>& numbers, int64_t n, int64_t first,
                           int64_t count) {
  return {numbers.begin() + first * n, numbers.begin() + (first + count) * n};
}

}  // namespace quire::test
