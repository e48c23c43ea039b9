#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/weights.h"
#include "engine/models/layers/norm.h"
#include "engine/models/load_options.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_conventions.h"
#include "engine/models/weight_part.h"

namespace quire {

/// Loads tensors from a model's files into a backend by Quire's own names for them, which are
/// GGUF's, and undoes the files' conventions; checks shapes, reports progress, honours
/// cancellation, and releases the pages of what it has read. Thread: one at a time. Invariants:
/// keeps the first error; after it every call returns nothing and does nothing, so that callers
/// check once, with finish().
class WeightLoader {
 public:
  using Part = WeightPart;

  /// A linear layer that adapters can be added to, as its model's files store it.
  struct AdapterSlot {
    std::vector<Part> parts;
    int64_t num_inputs;
    FileFormat format;
    std::shared_ptr<LinearAdapters> adapters;  ///< The layer's.
  };

  WeightLoader(WeightSource& source, WeightConventions conventions, Backend& backend,
               const LoadOptions& options);

  bool has(const std::string& name) const;
  /// The tensor's first dimension, 0 if there is no such tensor.
  int64_t num_rows(const std::string& name) const;

  /// The parts (n_i, num_inputs), one below the other, packed as one weight.
  std::unique_ptr<LinearWeight> linear(std::span<const Part> parts, int64_t num_inputs);
  /// A table of embeddings (rows_in_file, num_inputs), at least `num_rows` long: rows that the file
  /// lacks are its row 0.
  std::unique_ptr<LinearWeight> padded_table(const std::string& name, int64_t rows_in_file,
                                             int64_t num_rows, int64_t num_inputs);
  /// The parts (n_i), one after the other, as f32.
  DeviceTensor vector(std::span<const Part> parts);
  /// A norm (num_elements) by its name without ".weight" and ".bias".
  Norm norm(const std::string& name, int64_t num_elements, NormKind kind, float eps);
  /// LayerTensors::scaled_norm.
  Norm scaled_norm(const std::string& name, int64_t num_elements, double factor, float eps);
  /// LayerTensors::parameters and decays.
  DeviceTensor parameters(const std::string& name, int64_t rows, int64_t columns);
  DeviceTensor decays(const std::string& name, int64_t size);
  /// LayerTensors::number; 0 after an error, as for a number that is not finite.
  float number(const std::string& name, std::optional<float> fallback);
  /// (num_elements) f32, all 1, or all `value`.
  DeviceTensor ones(int64_t num_elements) { return filled(num_elements, 1.0f); }
  DeviceTensor filled(int64_t num_elements, float value);
  /// Whether the files have a tensor of experts of that name, which leaves out ".weight".
  bool has_experts(const std::string& name) const;
  /// For each expert the parts (n_i, num_inputs), one below the other. The names leave out
  /// ".weight" and ".bias".
  ExpertLinears experts(std::span<const Part> parts, int num_experts, int64_t num_inputs,
                        bool has_bias);

  /// Rows [first, first + count) of each head's rows_per_head rows of a matrix.
  struct HeadRows {
    int num_heads;
    int64_t rows_per_head;
    int64_t first;
    int64_t count;
    bool transposed = false;  ///< The weights are (num_inputs, count) instead.
  };
  /// A weight for each head, of the matrix (num_heads * rows_per_head, num_inputs) of that name.
  /// Errors as for other weights. Quantised rows that are transposed become f32.
  ExpertLinears heads(const std::string& name, const HeadRows& rows, int64_t num_inputs);

  /// Notes the parts of a linear layer, so that adapters can be added to it.
  void add_slot(Linear& linear, std::vector<Part> parts, int64_t num_inputs);
  /// The linear layers since the last call.
  std::vector<AdapterSlot> take_slots() { return std::exchange(m_slots, {}); }

  /// Loads onto that backend from now on.
  void place_on(Backend& backend);

  /// Waits for the uploads. Errors: the first that occurred: kNotFound, kCorruptFile (a shape that
  /// contradicts the config), kUnsupported (also for a tensor of the decoder that was not asked
  /// for), kOutOfMemory, kCancelled, kDevice.
  Result<void> finish();

 private:
  ConstTensorView matrix(const std::string& file_name, const Part& part, int64_t num_inputs,
                         std::vector<std::vector<std::byte>>& transposed);
  ConstTensorView checked(const std::string& file_name, const std::vector<int64_t>& shape);
  bool has_shape(const std::string& file_name, const std::vector<int64_t>& shape);
  std::span<const std::byte> raw(const std::string& file_name, const std::vector<int64_t>& shape);
  /// The files' names of experts' parts, "model.layers.0.mlp.experts.#.up_proj.weight".
  std::vector<std::string> expert_names(std::span<const Part> parts) const;
  ConstTensorView expert_slice(const std::string& file_name, int index,
                               const std::vector<int64_t>& shape);
  std::unique_ptr<LinearWeight> expert(std::span<const Part> parts,
                                       std::span<const std::string> names, int index,
                                       int num_experts, int64_t num_inputs);
  std::unique_ptr<LinearWeight> transposed_expert(const Part& part, int index, int num_experts,
                                                  int64_t num_inputs);
  std::unique_ptr<LinearWeight> mxfp4_expert(const Part& part, int index, int num_experts,
                                             int64_t num_inputs);
  void release_experts(std::span<const std::string> names);
  DeviceTensor expert_biases(std::span<const Part> parts, int num_experts);
  std::unique_ptr<LinearWeight> pack(std::span<const ConstTensorView> parts);
  DeviceTensor upload(std::vector<float> values, std::initializer_list<int64_t> shape);
  std::vector<float> floats(const std::string& file_name, const std::vector<int64_t>& shape);
  bool limit_floats(const std::string& file_name, int64_t count);
  std::vector<float> squeezed(const std::string& name, int64_t rows, int64_t columns);
  /// Records the error "the tensor <name> of <file> <what>".
  void fail_tensor(ErrorCode code, const std::string& file_name, const std::string& what);
  void refuse_unread();
  bool may_go_on();
  /// Frees what was read of a tensor. A trial reads next to nothing, and asking the system to free
  /// each of 300,000 tensors takes a third of a second.
  void release(const std::string& file_name) {
    if (!m_options.check_only) m_source.release(file_name);
  }
  /// Adds to the bytes read, and reports progress.
  void advance(uint64_t bytes);
  void fail(const Error& error);

  WeightSource& m_source;
  WeightConventions m_conventions;
  Backend* m_backend;
  std::set<Backend*> m_used_backends;
  const LoadOptions& m_options;
  std::vector<AdapterSlot> m_slots;
  std::vector<const TensorInfo*> m_read;  ///< The source's tensors that were read, some repeatedly.
  std::vector<std::vector<float>> m_in_flight;  ///< Host memory of unfinished uploads.
  int64_t m_num_floats = 0;                     ///< Of all tensors that are kept as f32.
  uint64_t m_total_bytes = 0;
  uint64_t m_done_bytes = 0;
  std::optional<Error> m_error;
};

}  // namespace quire
