#include "tests/kernels/conformance/columns.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace quire::test {
namespace {

/// Of this build's architecture, besides the scalar one.
constexpr const char* kInstructionSets[] = {
#if defined(__aarch64__)
    "neon", "neon_dotprod"
#else
    "avx2",        "avx2_vnni",   "avx512", "avx512_vnni",
    "avx512_vbmi", "avx512_bf16", "amx"
#endif
};

Result<std::unique_ptr<Backend>> create_cpu(const char* instruction_set,
                                            bool quantize_activations) {
  const Result<const cpu::CpuKernels*> kernels = cpu::select_kernels(instruction_set);
  if (!kernels) return kernels.error();
  // Two threads, so that work is divided; the results must not show it.
  return std::unique_ptr<Backend>(new cpu::CpuBackend(**kernels, 2, quantize_activations));
}

Result<std::unique_ptr<Backend>> create_cuda(const char* device) {
  auto backend = create_backend({.device = device});
  if (backend) return backend;
  // Advice for those who choose where a model runs: here it would test something else.
  Error error = backend.error();
  const std::string advice = " Choose the device \"cpu\".";
  if (error.message.ends_with(advice)) {
    error.message.resize(error.message.size() - advice.size());
  }
  return error;
}

Column cpu_column(const char* name, Arithmetic arithmetic) {
  return {name, arithmetic, [name] { return create_cpu(name, false); }};
}

Column int8_column(const std::string& name) {
  const bool has_bf16 = name == "avx512_bf16" || name == "amx";
  return {name + "-int8", has_bf16 ? Arithmetic::kBf16Inputs : Arithmetic::kInt8Inputs,
          [name] { return create_cpu(name.c_str(), true); }};
}

}  // namespace

std::vector<Column> columns(bool is_long) {
  std::vector<Column> all = {cpu_column("scalar", Arithmetic::kScalar)};
  for (const char* name : kInstructionSets) all.push_back(cpu_column(name, Arithmetic::kVector));
  std::vector<Column> int8 = {int8_column("scalar")};
  for (const char* name : kInstructionSets) int8.push_back(int8_column(name));
  for (Column& column : int8) {
    // The rest does not depend on how activations are multiplied.
    if (!is_long) {
      column.operations = {"linear", "quantised", "attention", "embed", "launch_graph"};
    }
    all.push_back(std::move(column));
  }
  for (Column& column : harness_columns(is_long)) all.push_back(std::move(column));
  for (const char* const device : {"cuda", "cuda:0+cuda:1"}) {
    all.push_back({device, Arithmetic::kTensorCores, [device] { return create_cuda(device); }});
  }
  return all;
}

}  // namespace quire::test
