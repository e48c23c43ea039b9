#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/decoder_weights.h"
#include "engine/models/load_options.h"

namespace quire {

/// Brings tensors from a model's files into a backend, checking each one's shape, reporting
/// progress and heeding cancellation. Thread: one at a time. Invariants: keeps the first error;
/// after it every call returns nothing and does nothing, so that a model lists its tensors and asks
/// once, with finish().
class WeightLoader {
 public:
  /// A tensor of num_outputs rows (or elements, for vectors).
  struct Part {
    std::string name;
    int64_t num_outputs;
  };

  WeightLoader(WeightSource& source, Backend& backend, const LoadOptions& options);

  /// The parts (n_i, num_inputs), one below the other, packed as one weight.
  std::unique_ptr<LinearWeight> linear(std::initializer_list<Part> parts, int64_t num_inputs);
  /// The parts (n_i), one after the other, as f32.
  DeviceTensor vector(std::initializer_list<Part> parts);
  /// (num_rows, num_columns) in its own dtype.
  DeviceTensor table(const std::string& name, int64_t num_rows, int64_t num_columns);

  /// Waits for the uploads. Errors: the first that occurred: kNotFound, kCorruptFile (a shape that
  /// contradicts the config), kUnsupported, kOutOfMemory, kCancelled, kDevice.
  Result<void> finish();

 private:
  ConstTensorView checked(const std::string& name, std::initializer_list<int64_t> shape);
  bool may_go_on();
  void advance(ConstTensorView tensor);
  void fail(const Error& error);

  WeightSource& m_source;
  Backend& m_backend;
  const LoadOptions& m_options;
  std::vector<std::vector<float>> m_in_flight;  ///< Host memory of uploads not yet waited for.
  uint64_t m_total_bytes = 0;
  uint64_t m_done_bytes = 0;
  std::optional<Error> m_error;
};

}  // namespace quire
