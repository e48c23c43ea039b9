#include "tests/bench/gpu/ceilings.h"

#include <algorithm>
#include <cstdlib>

#include "tests/bench/gpu/cuda_ceilings.h"
#include "tests/bench/gpu/device_memory.h"
#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

/// The number in "cuda:1"; "cuda" is the first.
int gpu_number(const std::string& device) {
  const size_t colon = device.find(':');
  return colon == device.npos ? 0 : std::atoi(device.c_str() + colon + 1);
}

/// 4 GiB, or less where two of them would take more than half of what is free.
int64_t copy_bytes(const Backend& backend) {
  const auto quarter = static_cast<int64_t>(backend.info().free_bytes / 4);
  const int64_t most = int64_t{4} << 30;
  return quarter > 0 ? std::min(most, quarter >> 20 << 20) : most;
}

/// Backend::copy, read and written.
Result<double> backend_copy_rate(Backend& backend, int64_t bytes, double budget_seconds) {
  DeviceMemory memory(backend);
  const TensorView from = memory.random(DType::kBF16, {bytes / 2});
  const TensorView to = memory.zeros(DType::kBF16, {bytes / 2});
  if (auto done = memory.finish(); !done) return done.error();
  const auto seconds = seconds_per_call(
      backend,
      {.call = [&](int) { backend.copy(to.data(), from.data(), static_cast<size_t>(bytes)); },
       .is_step = false,
       .budget_seconds = budget_seconds});
  if (!seconds) return seconds.error();
  return 2.0 * static_cast<double>(bytes) / *seconds;
}

void report_copy(Report& report, Backend& backend, const char* name, const Result<double>& rate,
                 double& best) {
  if (!rate) return report.add_error(name, rate.error(), backend);
  report.add(name, {{"GB/s", *rate * 1e-9}});
  best = std::max(best, *rate);
}

}  // namespace

Ceilings measure_ceilings(Backend& backend, const Options& options, Report& report) {
  report.begin_section("ceilings", "what the device gives at best; every share below is of these");
  Ceilings ceilings;
  const int64_t bytes = options.is_tiny ? int64_t{1} << 20 : copy_bytes(backend);
  double& copy = ceilings.copy_bytes_per_s;
  report_copy(report, backend, "copy by the backend",
              backend_copy_rate(backend, bytes, options.is_tiny ? 0.0 : 0.1), copy);
  if (!options.device.starts_with("cuda")) {
    report.add_not_run("bf16 matrix gemm", "only a GPU's is known");
    return ceilings;
  }
  const int gpu = gpu_number(options.device);
  report_copy(report, backend, "copy by cudaMemcpyAsync", cuda_memcpy_rate(gpu, bytes), copy);
  report_copy(report, backend, "copy by a kernel", cuda_copy_kernel_rate(gpu, bytes), copy);
  const int size = options.is_tiny ? 256 : 8192;
  const Result<double> gemm = cublas_product_rate(gpu, size);
  if (gemm) {
    ceilings.matrix_flops = *gemm;
    report.add("bf16 matrix gemm by cuBLAS", {{"TFLOP/s", *gemm * 1e-12}});
  } else {
    report.add_error("bf16 matrix gemm by cuBLAS", gemm.error(), backend);
  }
  return ceilings;
}

void add_bytes(Values& values, const Ceilings& ceilings, double bytes, double seconds) {
  values.emplace_back("GB/s", bytes / seconds * 1e-9);
  if (ceilings.copy_bytes_per_s > 0.0) {
    values.emplace_back("of copy", bytes / seconds / ceilings.copy_bytes_per_s);
  }
}

void add_flops(Values& values, const Ceilings& ceilings, double flops, double seconds) {
  values.emplace_back("TFLOP/s", flops / seconds * 1e-12);
  if (ceilings.matrix_flops > 0.0) {
    values.emplace_back("of matrix", flops / seconds / ceilings.matrix_flops);
  }
}

}  // namespace quire::bench
