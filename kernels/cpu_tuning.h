#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/dtype.h"
#include "kernels/base/linear_tuning.h"
#include "kernels/base/result.h"

/// The CPU's choices between ways of computing that give the same bits. They are measured once for
/// each format of weights on a processor, kept by the program beside its other data, and shared by
/// all CPU backends of the process.
namespace quire {

/// To be raised when the kernels change in a way that may make another choice the fastest.
inline constexpr int kTuningVersion = 1;

/// What the choices depend on.
struct TuningKey {
  std::string processor;        ///< Its name, family, model and stepping.
  std::string microcode;        ///< As the system prints it; empty if it does not.
  std::string instruction_set;  ///< As in QUIRE_CPU_ISA.
  int num_threads = 1;
  int version = kTuningVersion;

  bool operator==(const TuningKey&) const = default;
};

inline bool operator==(const LinearTuning& a, const LinearTuning& b) {
  return a.ahead_bytes == b.ahead_bytes && a.into_l2 == b.into_l2 && a.gemv_rows == b.gemv_rows;
}

/// How fast a tuning multiplied num_rows rows by weights from memory.
struct TuningSpeed {
  LinearTuning tuning;
  int num_rows = 1;
  double gigabytes_per_second = 0.0;  ///< Of weights, in a typical pass.
};

/// What was measured for a dtype of weight.
struct TunedFormat {
  DType dtype = DType::kF32;
  LinearTuning choice{};
  double seconds = 0.0;             ///< How long measuring took.
  std::vector<TuningSpeed> speeds;  ///< The default's first; with one row, then with two.
};

/// Keeps choices beyond the end of the process. Thread: any; one call at a time.
class TuningStore {
 public:
  virtual ~TuningStore() = default;
  /// The formats of the key; empty if nothing usable is kept for it.
  virtual std::vector<TunedFormat> load(const TuningKey& key) = 0;
  /// Replaces all formats of the key. After a failure the next process measures again.
  virtual Result<void> save(const TuningKey& key, std::span<const TunedFormat> formats) = 0;
};

/// From now on, when a model is loaded onto a CPU backend, the backend measures the formats that
/// are not known yet and of which the model has at least 64 MB, in less than a second each. With
/// null, the initial state, nothing is measured or read, and the defaults apply. Thread: any.
void use_tuning_store(std::shared_ptr<TuningStore> store);

/// While it lives, measuring on this thread, such as that of a load, ends within some passes after
/// `stopped` was set. A format whose measuring was ended keeps its default and is not saved.
class StoppableTuning {
 public:
  explicit StoppableTuning(const std::atomic<bool>& stopped);
  ~StoppableTuning();
  StoppableTuning(const StoppableTuning&) = delete;
  StoppableTuning& operator=(const StoppableTuning&) = delete;
};

/// The key of CPU backends with `num_threads` threads; 0: with one for each core. Errors: those of
/// chosen_instruction_set().
Result<TuningKey> cpu_tuning_key(int num_threads);

/// The formats that are known for the key, measured by this process or loaded from its store.
/// Thread: any.
std::vector<TunedFormat> tuned_formats(const TuningKey& key);

/// Measures these formats again and saves the results. Formats for which the processor has no
/// choice are skipped. num_threads: as for cpu_tuning_key(). Errors: those of cpu_tuning_key() and
/// of TuningStore::save(), after all were measured; kOutOfMemory. Thread: any.
Result<void> tune_cpu(int num_threads, std::span<const DType> dtypes);

}  // namespace quire
