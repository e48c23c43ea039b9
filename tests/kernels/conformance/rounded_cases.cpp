// What norms and GLUs round for the products that read it: bit for bit as from the same rows in
// f32.

#include <functional>

#include "kernels/base/rounded_rows.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/device_array.h"
#include "tests/kernels/conformance/weight_matrix.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {
namespace {

constexpr int64_t kOutputs = 40;

/// Writes rows (T, K) to out, in f32 or rounded.
using Producer = std::function<void(Device&, TensorView out)>;

Producer rms_norm_of(int64_t T, int64_t K) {
  return [=](Device& device, TensorView out) {
    const DeviceArray<float> x(device, Numbers(1).floats(T * K, 3.0f));
    const DeviceArray<float> weight(device, Numbers(2).floats(K));
    device.backend.rms_norm(out, x.view({T, K}), weight.view({K}), 1e-5f);
    device.finish();
  };
}

Producer add_rms_norm_of(int64_t T, int64_t K) {
  return [=](Device& device, TensorView out) {
    const DeviceArray<float> residual(device, Numbers(1).floats(T * K, 3.0f));
    const DeviceArray<float> delta(device, Numbers(2).floats(T * K));
    const DeviceArray<float> weight(device, Numbers(3).floats(K));
    device.backend.add_rms_norm(out, residual.view({T, K}), delta.view({T, K}), weight.view({K}),
                                1e-5f);
    device.finish();
  };
}

Producer layer_norm_of(int64_t T, int64_t K) {
  return [=](Device& device, TensorView out) {
    const DeviceArray<float> x(device, Numbers(1).floats(T * K, 3.0f));
    const DeviceArray<float> weight(device, Numbers(2).floats(K));
    const DeviceArray<float> bias(device, Numbers(3).floats(K));
    device.backend.layer_norm(out, x.view({T, K}), weight.view({K}), bias.view({K}), 1e-5f);
    device.finish();
  };
}

Producer glu_of(int64_t T, int64_t K) {
  return [=](Device& device, TensorView out) {
    const DeviceArray<float> gate_up(device, Numbers(1).floats(T * 2 * K, 3.0f));
    device.backend.glu(out, gate_up.view({T, 2 * K}), {});
    device.finish();
  };
}

void run_case(Trial& trial, DType of_weight, int64_t T, int64_t K, const Producer& produce) {
  Device& device = trial.tested;
  const auto weight = WeightMatrix(of_weight, kOutputs, K, 5).pack(device);
  const DType dtype = device.rounded_dtype(*weight);
  if (dtype == DType::kF32) return;  // This device's products read f32.
  const auto multiplied = [&](const TensorView& x) {
    const DeviceArray<float> out(device, T * kOutputs, -7.0f);
    produce(device, x);
    device.backend.linear(out.view({T, kOutputs}), x, *weight, {});
    return out.download();
  };
  const DeviceArray<float> floats(device, T * K, -7.0f);
  const std::vector<float> expected = multiplied(floats.view({T, K}));
  // Full of ones, so that what is left out behind a row is seen.
  const DeviceArray<uint8_t> rounded(
      device, T * dtype_span_bytes(dtype, rounded_row_stride(dtype, K)), uint8_t{0xff});
  trial.compare.same_bits("From rounded rows",
                          multiplied(rounded_rows(rounded.data(), dtype, T, K)), expected);
}

}  // namespace

void add_rounded_cases(std::vector<Case>& cases) {
  const std::pair<const char*, Producer (*)(int64_t, int64_t)> producers[] = {
      {"rms_norm", rms_norm_of},
      {"add_rms_norm", add_rms_norm_of},
      {"layer_norm", layer_norm_of},
      {"glu", glu_of}};
  for (const auto& [name, make] : producers) {
    for (const DType dtype : {DType::kBF16, DType::kF16, DType::kQ8_0, DType::kQ4_K}) {
      for (const int64_t T : {1, 3, 17}) {
        const int64_t K = dtype == DType::kQ4_K ? 768 : dtype == DType::kQ8_0 ? 992 : 1001;
        cases.push_back({"rounded " + std::string(name) + " " + std::string(dtype_name(dtype)),
                         "T=" + std::to_string(T) + " K=" + std::to_string(K),
                         [=](Trial& trial) { run_case(trial, dtype, T, K, make(T, K)); },
                         [](const Backend& backend) { return backend.info().has_own_memory; }});
      }
    }
  }
}

}  // namespace quire::test
