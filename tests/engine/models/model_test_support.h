#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/cache/cache_storage.h"
#include "engine/io/safetensors.h"
#include "engine/models/decoder.h"
#include "engine/models/model_runner.h"
#include "tests/support/must.h"

namespace quire::test {

/// The tensors of a reference file, copied out. See tests/scripts/make_tiny_models.py.
class Reference {
 public:
  explicit Reference(const std::filesystem::path& path);
  bool has(const std::string& name) const { return m_weights->find(name) != nullptr; }
  std::vector<int32_t> ints(const std::string& name) const;
  std::vector<float> floats(const std::string& name) const;

 private:
  std::unique_ptr<SafetensorsWeights> m_weights;
};

/// A token sequence with its own blocks in the pool, and how much of it has been computed.
struct TestSequence {
  std::vector<int32_t> tokens;
  std::vector<int32_t> blocks;
  int num_computed = 0;
  int adapter = 0;  ///< What ModelHarness::add_adapter returned.
  // Of a model with recurrent layers. Steps write the two states in turn, and the one at the last
  // end of a block within their rows to the third.
  int first_slot = 0;  ///< Of three.
  int state = -1;      ///< The slot of the state after num_computed tokens; -1: zeros.
  int snapshot() const { return first_slot + 2; }
};

/// A model with a small pool, computing whatever rows a test asks for.
class ModelHarness {
 public:
  /// `isa`: "scalar", "avx2", "avx512", or "" for the best. `served`: LoadOptions::max_context; 0
  /// is what the folder's reference says.
  ModelHarness(const std::filesystem::path& folder, const std::string& isa, int max_context = 256,
               int served = 0);

  ModelHarness(const std::filesystem::path& folder, std::unique_ptr<Backend> backend,
               int max_context = 256, int served = 0);

  static bool has_isa(const std::string& isa);
  static std::vector<std::string> available_isas();

  const ModelConfig& config() const { return m_decoder->config(); }

  Result<AdapterId> add_adapter(const std::filesystem::path& path);
  const std::string& adapter_hash() const { return m_adapter_hash; }  ///< Of the latest.
  Decoder& decoder() { return *m_decoder; }

  /// A sequence with blocks for max_context tokens, in an order shuffled by a fixed seed.
  TestSequence sequence(std::vector<int32_t> tokens);
  void release_all() { m_next_block = 0; }

  /// Computes the next counts[i] tokens of each sequence in one batch; returns the logits of every
  /// row, sequence after sequence, or of none.
  std::vector<float> step(std::span<TestSequence* const> sequences, std::span<const int> counts,
                          bool want_logits = true);
  std::vector<float> step(TestSequence& sequence, int count);

 private:
  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<Decoder> m_decoder;
  std::unique_ptr<CacheStorage> m_kv;
  std::unique_ptr<ModelRunner> m_runner;
  void add_states(ForwardBatch& batch, TestSequence& sequence, int count) const;

  std::vector<int32_t> m_blocks;
  size_t m_next_block = 0;
  int m_max_blocks;
  AdapterId m_num_adapters = 0;
  std::string m_adapter_hash;
};

/// ||a - b|| / ||b||, in double.
double relative_error(std::span<const float> a, std::span<const float> b);
/// The worst relative error of any row of `vocab_size` logits; infinity if the sizes differ or
/// anything is no finite number.
double worst_error(std::span<const float> logits, std::span<const float> expected,
                   size_t vocab_size);
int32_t argmax(std::span<const float> values);

std::filesystem::path tiny_model_folder(const std::string& name);
/// Every folder of tests/data/models.
std::vector<std::string> tiny_models();

}  // namespace quire::test
