#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/dtype.h"
#include "kernels/base/linear_tuning.h"
#include "kernels/base/result.h"

/// The CPU's choices between ways that give the same bits: measured once for a format of weights on
/// a processor, and kept by the program beside its other data. The choices are the processor's, so
/// they are shared by all CPU backends of the process.
namespace quire {

/// To be raised when kernels change so that another choice may be the fastest.
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

/// A dtype of weight as it was measured.
struct TunedFormat {
  DType dtype = DType::kF32;
  LinearTuning choice{};
  double seconds = 0.0;             ///< What measuring took.
  std::vector<TuningSpeed> speeds;  ///< Those of the default first.
};

/// Keeps choices beyond the end of the process. Thread: any; one call at a time.
class TuningStore {
 public:
  virtual ~TuningStore() = default;
  /// Nothing if nothing usable is known for the key.
  virtual std::vector<TunedFormat> load(const TuningKey& key) = 0;
  /// Replaces all formats of the key. A failure is ignored: the next process measures again.
  virtual void save(const TuningKey& key, std::span<const TunedFormat> formats) = 0;
};

/// From now on a CPU backend whose model is loaded measures the formats that are not known yet, in
/// less than a second each, if the model has enough weights of them to gain from it. Null, as at
/// first: nothing is measured or read, and the defaults apply. Thread: any.
void use_tuning_store(std::shared_ptr<TuningStore> store);

/// The key of CPU backends with so many threads; 0: of all cores. Errors: those of
/// chosen_instruction_set().
Result<TuningKey> cpu_tuning_key(int num_threads);

/// What is known for the key, by this process or by its store. Thread: any.
std::vector<TunedFormat> tuned_formats(const TuningKey& key);

/// Measures these formats anew, as far as the processor has any choice for them, and saves the
/// results. Errors: those of cpu_tuning_key(); kOutOfMemory. Thread: any.
Result<void> tune_cpu(int num_threads, std::span<const DType> dtypes);

}  // namespace quire
