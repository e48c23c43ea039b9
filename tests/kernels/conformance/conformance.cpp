#include "tests/kernels/conformance/conformance.h"

#include <cstdlib>

#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/device_array.h"
#include "tests/kernels/conformance/reference_backend.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {

std::vector<Case> conformance_cases(bool is_long) {
  std::vector<Case> cases;
  add_memory_cases(cases);
  add_embed_cases(cases);
  add_linear_cases(cases, is_long);
  add_expert_cases(cases);
  add_row_cases(cases);
  add_recurrent_cases(cases);
  add_rope_cases(cases);
  add_attention_cases(cases, is_long);
  add_quantized_activation_cases(cases, is_long);
  add_step_cases(cases);
  return cases;
}

bool wants_long_tests() {
  return std::getenv("QUIRE_LONG_TESTS") != nullptr;
}

std::unique_ptr<Backend> make_oracle(Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kScalar) return make_reference_backend();
  return make_backend("scalar", 1);
}

bool has_tensor_cores(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::kTensorCores || arithmetic == Arithmetic::kInt8TensorCores ||
         arithmetic == Arithmetic::kF16TensorCores;
}

Arithmetic arithmetic_of(const Column& column, Backend& tested) {
  if (column.arithmetic != Arithmetic::kTensorCores) return column.arithmetic;
  // Beside 1 a byte cannot hold 2^-9, which a half can.
  std::vector<uint8_t> blocks(2 * 34);
  for (const size_t output : {0, 1}) {
    blocks[output * 34 + 1] = 0x3c;  // The scale, 1 in f16.
    blocks[output * 34 + 2 + output] = 1;
  }
  std::vector<float> x(32);
  x[0] = 1.0f;
  x[1] = 0x1p-9f;
  Device device(tested);
  const ConstTensorView part(blocks.data(), DType::kQ8_0, {2, 32});
  const auto weight = device.pack(std::span(&part, 1));
  const DeviceArray<float> inputs(device, x);
  DeviceArray<float> out(device, 2, -7.0f);
  tested.linear(out.view({1, 2}), inputs.view({1, 32}), *weight, {});
  const std::vector<float> found = out.download();
  const bool uses_int8_gemm = found[0] == 1.0f && found[1] == 0.0f;
  return uses_int8_gemm ? Arithmetic::kInt8TensorCores : column.arithmetic;
}

Verdict run_case(const Case& conformance_case, Backend& oracle, Backend& tested,
                 Arithmetic arithmetic) {
  Trial trial{Device(oracle), Device(tested), arithmetic};
  conformance_case.run(trial);
  trial.tested.finish();
  Verdict verdict = trial.compare.verdict();
  // A failure of the device explains the wrong numbers that come with it.
  if (!trial.oracle.failure.empty()) verdict.failure = "the oracle failed: " + trial.oracle.failure;
  if (!trial.tested.failure.empty()) verdict.failure = trial.tested.failure;
  if (!verdict.failure.empty()) verdict.failure = conformance_case.name() + ": " + verdict.failure;
  return verdict;
}

}  // namespace quire::test
