#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/models/draft_runner.h"
#include "tests/engine/models/model_test_support.h"

namespace quire::test {

/// Writes to `folder` the tiny model that tests/data/drafts/<name>.safetensors belongs to, with the
/// layer for multi-token prediction that this holds.
void write_with_mtp(const std::string& name, const std::filesystem::path& folder);
/// Writes the Medusa heads of tests/data/drafts there, which are for the tiny model "gqa_f32".
void write_medusa(const std::filesystem::path& folder);
/// The reference that make_tiny_drafts.py computed.
Reference draft_reference(const std::string& name);

/// A model with draft layers and a small pool, which computes the rows that a test asks for.
class DraftHarness {
 public:
  /// `heads`: a folder of Medusa heads, or empty.
  DraftHarness(const std::filesystem::path& folder, std::unique_ptr<Backend> backend,
               const std::filesystem::path& heads = {});

  const ModelConfig& config() const { return m_decoder->config(); }
  /// A new sequence with its own blocks. At most kMaxSequences can be made.
  TestSequence sequence(std::vector<int32_t> tokens);

  struct Rows {
    TestSequence* sequence;
    int count;
  };
  /// Computes the next rows of each sequence, keeping their states; returns the logits of the last
  /// row of each, or of none.
  std::vector<float> step(const std::vector<Rows>& rows, bool wants_logits = true);
  /// The logits (V) of the sequence's guess `number`, which is made from `token`.
  std::vector<float> guess(int number, const TestSequence& sequence, int32_t token);

  static constexpr int kMaxSequences = 4;
  static constexpr int kMaxBlocks = 8;

 private:
  void append(ForwardBatch& batch, const Rows& rows, bool wants_logits);
  DeviceBatch upload(const ForwardBatch& batch);

  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<Decoder> m_decoder;
  std::unique_ptr<CacheStorage> m_kv;
  std::unique_ptr<DraftRunner> m_drafts;
  DeviceTensor m_batch, m_logits, m_tokens;
  std::vector<int32_t> m_host;
  int m_num_sequences = 0;
};

}  // namespace quire::test
