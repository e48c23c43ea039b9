// How a CpuBackend measures and chooses its LinearTunings.

#include <algorithm>
#include <chrono>
#include <utility>

#include "kernels/cpu/cpu_backend.h"
#include "kernels/cpu/tuning/compare_tunings.h"
#include "kernels/cpu/tuning/tuning_table.h"
#include "platform/processor.h"
#include "platform/time.h"

namespace quire::cpu {
namespace {

/// A dtype is measured if a model has at least so many bytes of weights in it. Fewer may be in the
/// caches anyway.
constexpr uint64_t kLeastModelBytes = uint64_t{64} << 20;
/// The size of the measured weight, in last-level caches: large enough that it is read from memory,
/// even if two threads have a cache each where a virtual machine shows only one.
constexpr int64_t kCaches = 4;
constexpr int64_t kLeastBytes = int64_t{64} << 20;
constexpr int64_t kMostBytes = int64_t{256} << 20;
/// The inputs of the measured weight: with these a panel is as large as in common models.
constexpr int64_t kInputs = 4096;
/// The time for all passes of a dtype with one row, and with two.
constexpr double kBudgetSeconds = 0.5;
constexpr double kTwoRowsBudgetSeconds = 0.15;

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Multiplies num_rows rows by a weight and measures how long that takes.
struct MeasuredProduct {
  Backend& backend;
  const LinearWeight& weight;
  int64_t num_rows;
  std::vector<float> x = std::vector<float>(static_cast<size_t>(num_rows * kInputs), 0.5f);
  std::vector<float> out = std::vector<float>(static_cast<size_t>(num_rows * weight.num_outputs()));

  TuningPass pass(int num_threads) {
    const double begin = now_seconds();
    const double begin_processor = platform::process_seconds();
    backend.linear({out.data(), DType::kF32, {num_rows, weight.num_outputs()}},
                   {x.data(), DType::kF32, {num_rows, kInputs}}, weight, {});
    return {(platform::process_seconds() - begin_processor) / num_threads, now_seconds() - begin};
  }
};

}  // namespace

void CpuBackend::compare(TunedFormat& format, const LinearWeight& weight, int num_rows,
                         std::span<const LinearTuning> candidates, double budget_seconds) {
  MeasuredProduct product = {*this, weight, num_rows};
  LinearTuning& current = m_tunings[static_cast<size_t>(format.dtype)];
  const auto pass = [&](const LinearTuning& tuning) {
    // A stopped measurement ends with its budget, and its result is not used.
    if (is_tuning_stopped()) return TuningPass{1.0, 2.0 * budget_seconds};
    current = tuning;
    return product.pass(m_pool.num_threads());
  };
  const ComparedTunings compared = compare_tunings(candidates, pass, budget_seconds);
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double bytes = static_cast<double>(weight.size_bytes());
    format.speeds.push_back({candidates[i], num_rows, bytes / compared.seconds[i] * 1e-9});
  }
  format.choice = current = candidates[compared.chosen];
}

Result<TunedFormat> CpuBackend::measure(DType dtype, std::span<const LinearTuning> candidates) {
  if (is_tuning_stopped()) return Error{ErrorCode::kCancelled, "measuring was cancelled"};
  const double begin = now_seconds();
  const int64_t bytes =
      std::clamp(kCaches * platform::last_level_cache_bytes(), kLeastBytes, kMostBytes);
  const auto weight = uniform_weight(dtype, bytes / dtype_span_bytes(dtype, kInputs), kInputs);
  if (!weight) return weight.error();
  TunedFormat format = {.dtype = dtype};
  compare(format, **weight, 1, candidates, kBudgetSeconds);
  if (format.choice.gemv_rows > 1) {
    LinearTuning one_row = format.choice;
    one_row.gemv_rows = 1;
    const LinearTuning with_two[] = {format.choice, one_row};
    compare(format, **weight, 2, with_two, kTwoRowsBudgetSeconds);
  }
  format.seconds = now_seconds() - begin;
  if (is_tuning_stopped()) return Error{ErrorCode::kCancelled, "measuring was cancelled"};
  return format;
}

Result<void> CpuBackend::tune(std::span<const DType> dtypes) {
  std::lock_guard lock(TuningTable::of_process().measuring());
  return measure_all(dtypes);
}

Result<void> CpuBackend::measure_all(std::span<const DType> dtypes) {
  const TuningKey key = tuning_key(m_kernels, m_pool.num_threads());
  // The products that are measured are not part of a model, so no observer sees them.
  LinearObserver* const observer = std::exchange(m_observer, nullptr);
  Result<void> result;
  for (const DType dtype : dtypes) {
    const std::vector<LinearTuning> candidates = tuning_candidates(m_kernels, dtype);
    if (candidates.empty()) continue;
    const Result<TunedFormat> format = measure(dtype, candidates);
    if (!format) result = format.error();
    if (!format || m_pool.is_limited()) {
      m_tunings[static_cast<size_t>(dtype)] = candidates.front();
      break;
    }
    const Result<void> saved = TuningTable::of_process().set(key, std::span(&*format, 1));
    if (!saved) result = saved.error();
  }
  m_observer = observer;
  return result;
}

void CpuBackend::apply_tunings() {
  TuningTable& table = TuningTable::of_process();
  if (!table.has_store() || !m_quantizes_activations) return;
  // Waits for another backend that measures: it may find the choices that this one needs.
  std::lock_guard lock(table.measuring());
  const std::vector<TunedFormat> known = table.formats(tuning_key(m_kernels, m_pool.num_threads()));
  std::vector<DType> unknown;
  for (size_t i = 0; i < m_packed_bytes.size(); ++i) {
    const auto dtype = static_cast<DType>(i);
    const auto found = std::ranges::find(known, dtype, &TunedFormat::dtype);
    if (found != known.end()) {
      m_tunings[i] = found->choice;
    } else if (m_packed_bytes[i] >= kLeastModelBytes) {
      unknown.push_back(dtype);
    }
  }
  // Without memory for measuring the defaults apply; what cannot be saved is measured again later.
  static_cast<void>(measure_all(unknown));
}

}  // namespace quire::cpu
