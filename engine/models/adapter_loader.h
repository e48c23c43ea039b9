#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/io/hash.h"
#include "engine/models/adapter_files.h"
#include "engine/models/model_config.h"
#include "engine/models/weight_loader.h"

namespace quire {

/// Packs the updates of an adapter for the linear layers of a model. Thread: one at a time. The
/// files must outlive it.
class AdapterLoader {
 public:
  /// Errors: kUnsupported for an adapter of another architecture.
  static Result<AdapterLoader> create(AdapterFiles& files, const ModelConfig& config);

  /// The update of a layer; nothing if the adapter does not change it. Errors: kCorruptFile for
  /// another shape or numbers that are not finite; kUnsupported; kOutOfMemory.
  Result<std::optional<LoraUpdate>> load(const WeightLoader::AdapterSlot& slot, Backend& backend);
  /// After all layers: sets the files' hash. Errors: kUnsupported naming a weight that no layer
  /// has; kIo for a file that became shorter.
  Result<void> finish();

 private:
  /// A pair as f32 matrices, its rows in the order of the layer's.
  struct Part {
    int64_t rank = 0;
    std::vector<float> a;  ///< (rank, K)
    std::vector<float> b;  ///< (N, rank), times the scale.
  };
  AdapterLoader(AdapterFiles& files, const Architecture& architecture);
  const LoraPair* find(const WeightLoader::Part& part);
  Result<Part> read(const WeightLoader::Part& part, const LoraPair& pair, int64_t num_inputs);
  Error not_finite(const std::string& tensor) const;
  Result<std::vector<float>> floats(const std::string& name, int64_t rows, int64_t columns);
  bool fits_format(const WeightLoader::AdapterSlot& slot, const WeightLoader::Part& part) const;

  AdapterFiles* m_files;
  WeightConventions m_conventions;
  bool m_tiles_heads_in_gguf;
  Sha256 m_hash;                              ///< Of what was loaded, in the order of the layers.
  std::set<std::string, std::less<>> m_used;  ///< Weights.
};

}  // namespace quire
