// What kernels/cpu_tuning.h declares.

#include "kernels/cpu_tuning.h"

#include <sstream>
#include <utility>

#include "kernels/base/processor_cores.h"
#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/tuning/compare_tunings.h"
#include "kernels/cpu/tuning/processor_signature.h"
#include "kernels/cpu/tuning/tuning_table.h"
#include "platform/processor.h"

namespace quire {

namespace {

thread_local const std::atomic<bool>* t_stopped = nullptr;

}  // namespace

StoppableTuning::StoppableTuning(const std::atomic<bool>& stopped) {
  t_stopped = &stopped;
}

StoppableTuning::~StoppableTuning() {
  t_stopped = nullptr;
}

bool cpu::is_tuning_stopped() {
  return t_stopped != nullptr && t_stopped->load(std::memory_order_relaxed);
}

void use_tuning_store(std::shared_ptr<TuningStore> store) {
  cpu::TuningTable::of_process().use(std::move(store));
}

Result<TuningKey> cpu_tuning_key(int num_threads) {
  const Result<const cpu::CpuKernels*> kernels = cpu::chosen_kernels();
  if (!kernels) return kernels.error();
  return cpu::CpuBackend::tuning_key(**kernels, num_threads > 0 ? num_threads : num_usable_cores());
}

std::vector<TunedFormat> tuned_formats(const TuningKey& key) {
  return cpu::TuningTable::of_process().formats(key);
}

Result<void> tune_cpu(int num_threads, std::span<const DType> dtypes) {
  const Result<const cpu::CpuKernels*> kernels = cpu::chosen_kernels();
  if (!kernels) return kernels.error();
  const int threads = num_threads > 0 ? num_threads : num_usable_cores();
  cpu::CpuBackend backend(**kernels, threads, /*quantize_activations=*/true);
  return backend.tune(dtypes);
}

namespace cpu {

TuningKey CpuBackend::tuning_key(const CpuKernels& kernels, int num_threads) {
  std::istringstream cpuinfo(platform::processor_description());
  TuningKey key = processor_signature(cpuinfo);
  key.instruction_set = kernels.name;
  key.num_threads = num_threads;
  return key;
}

}  // namespace cpu
}  // namespace quire
