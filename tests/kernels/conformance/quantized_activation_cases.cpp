// What norms and GLUs quantise for the GEMMs that read it: bit for bit as from the same rows in
// f32; and linear_glu: bit for bit as linear and then glu.

#include <functional>

#include "kernels/base/quantized_activations.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/device_array.h"
#include "tests/kernels/conformance/weight_matrix.h"
#include "tests/kernels/kernel_test_support.h"

namespace quire::test {
namespace {

constexpr int64_t kOutputs = 40;

/// Writes rows (T, K) to out, in f32 or quantised.
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
  const DType dtype = device.activation_dtype(*weight);
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
  const DeviceArray<uint8_t> quantized(
      device, T * dtype_span_bytes(dtype, quantized_row_stride(dtype, K)), uint8_t{0xff});
  trial.compare.same_bits("From quantised activations",
                          multiplied(quantized_activations(quantized.data(), dtype, T, K)),
                          expected);
}

/// linear_glu() with so many rows that a GEMM may store it, against the two operations.
void run_linear_glu(Trial& trial, DType of_weight, int64_t T, int64_t F) {
  Device& device = trial.tested;
  constexpr int64_t kInputs = 256;
  const auto weight = WeightMatrix(of_weight, 2 * F, kInputs, 5).pack(device);
  const DType dtype = device.activation_dtype(*weight);
  if (dtype == DType::kF32) return;
  const DeviceArray<float> x(device, Numbers(1).floats(T * kInputs, 3.0f));
  const DeviceArray<float> bias(device, Numbers(2).floats(2 * F));
  const DeviceArray<float> sums(device, T * 2 * F, -7.0f);
  const int64_t bytes = T * dtype_span_bytes(dtype, quantized_row_stride(dtype, F));
  const DeviceArray<uint8_t> separate(device, bytes, uint8_t{0xff});
  const DeviceArray<uint8_t> fused(device, bytes, uint8_t{0xff});
  const GluParams params = {.kind = GluParams::Kind::kClampedSwiglu, .limit = 4.0f};
  device.backend.linear(sums.view({T, 2 * F}), x.view({T, kInputs}), *weight, bias.view({2 * F}));
  device.backend.glu(quantized_activations(separate.data(), dtype, T, F), sums.view({T, 2 * F}),
                     params);
  device.backend.linear_glu(quantized_activations(fused.data(), dtype, T, F), sums.view({T, 2 * F}),
                            x.view({T, kInputs}), {*weight, bias.view({2 * F}), params});
  trial.compare.same_bits("Fused into the GEMM", fused.download(), separate.download());
}

}  // namespace

void add_quantized_activation_cases(std::vector<Case>& cases, bool is_long) {
  const auto has_own_memory = [](const Backend& backend) { return backend.info().has_own_memory; };
  const std::pair<const char*, Producer (*)(int64_t, int64_t)> producers[] = {
      {"rms_norm", rms_norm_of},
      {"add_rms_norm", add_rms_norm_of},
      {"layer_norm", layer_norm_of},
      {"glu", glu_of}};
  for (const DType dtype : {DType::kBF16, DType::kF16, DType::kQ8_0, DType::kQ4_K}) {
    const std::string weights(dtype_name(dtype));
    for (const auto& [name, make] : producers) {
      for (const int64_t T : {1, 3, 17}) {
        const int64_t K = dtype == DType::kQ4_K ? 768 : dtype == DType::kQ8_0 ? 992 : 1001;
        cases.push_back({"quantised " + std::string(name) + " " + weights,
                         "T=" + std::to_string(T) + " K=" + std::to_string(K),
                         [=](Trial& trial) { run_case(trial, dtype, T, K, make(T, K)); },
                         has_own_memory});
      }
    }
    const auto add_linear_glu = [&](int64_t T, int64_t F) {
      cases.push_back({"linear_glu " + weights,
                       "T=" + std::to_string(T) + " F=" + std::to_string(F),
                       [=](Trial& trial) { run_linear_glu(trial, dtype, T, F); }, has_own_memory});
    };
    for (const int64_t T : {70, 130}) add_linear_glu(T, 256);
    if (is_long) add_linear_glu(700, 2048);  // Large tiles, also for 190 multiprocessors.
  }
}

}  // namespace quire::test
