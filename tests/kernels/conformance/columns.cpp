#include "tests/kernels/conformance/columns.h"

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"

namespace quire::test {
namespace {

Result<std::unique_ptr<Backend>> create_cpu(const char* instruction_set) {
  const Result<const cpu::CpuKernels*> kernels = cpu::select_kernels(instruction_set);
  if (!kernels) return kernels.error();
  // Two threads, so that work is divided; the results must not show it.
  return std::unique_ptr<Backend>(new cpu::CpuBackend(**kernels, 2));
}

Result<std::unique_ptr<Backend>> create_cuda() {
  auto backend = create_backend({.device = "cuda"});
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
  return {name, arithmetic, [name] { return create_cpu(name); }};
}

}  // namespace

std::vector<Column> columns(bool is_long) {
  std::vector<Column> all = {cpu_column("scalar", Arithmetic::kScalar),
                             cpu_column("avx2", Arithmetic::kVector),
                             cpu_column("avx512", Arithmetic::kVector)};
  for (Column& column : harness_columns(is_long)) all.push_back(std::move(column));
  all.push_back({"cuda", Arithmetic::kTensorCores, create_cuda});
  return all;
}

}  // namespace quire::test
