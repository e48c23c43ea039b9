#include "tests/engine/models/model_test_support.h"

#include <QByteArray>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "engine/models/adapter_files.h"
#include "engine/models/model_files.h"
#include "kernels/base/instruction_set.h"

namespace quire::test {
namespace {

constexpr int kMaxTokens = 256;
constexpr int kMaxSequences = 8;

std::unique_ptr<Backend> backend_of_isa(const std::string& isa) {
  if (isa.empty()) {
    qunsetenv("QUIRE_CPU_ISA");
  } else {
    qputenv("QUIRE_CPU_ISA", QByteArray::fromStdString(isa));
  }
  auto backend = create_backend({.device = "cpu", .num_threads = 2, .quantize_activations = false});
  qunsetenv("QUIRE_CPU_ISA");
  return backend ? std::move(*backend) : nullptr;
}

/// The context for which a tiny model's reference was computed; 0 where it makes no difference.
int served_context(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "reference.safetensors";
  if (!std::filesystem::exists(file)) return 0;
  const Reference reference(file);
  return reference.has("served_context") ? reference.ints("served_context").at(0) : 0;
}

}  // namespace

Reference::Reference(const std::filesystem::path& path)
    : m_weights(must(SafetensorsWeights::open_file(path))) {}

std::vector<int32_t> Reference::ints(const std::string& name) const {
  const ConstTensorView view = must(m_weights->tensor(name));
  const auto* data = view.as<int32_t>();
  return {data, data + view.num_elements()};
}

std::vector<float> Reference::floats(const std::string& name) const {
  const ConstTensorView view = must(m_weights->tensor(name));
  const auto* data = view.as<float>();
  return {data, data + view.num_elements()};
}

ModelHarness::ModelHarness(const std::filesystem::path& folder, const std::string& isa,
                           int max_context, int served)
    : ModelHarness(folder, backend_of_isa(isa), max_context, served) {}

ModelHarness::ModelHarness(const std::filesystem::path& folder, std::unique_ptr<Backend> backend,
                           int max_context, int served)
    : m_backend(std::move(backend)), m_max_blocks((max_context + kBlockSize - 1) / kBlockSize) {
  if (!m_backend) qFatal("no backend");
  m_decoder = must(load_decoder(folder, *m_backend,
                                {.max_context = served > 0 ? served : served_context(folder)}));
  const CacheLayout layout = cache_layout(config(), DType::kF32);
  const int num_blocks = kMaxSequences * m_max_blocks;
  m_kv = std::make_unique<CacheStorage>(must(
      CacheStorage::allocate(*m_backend, layout, {num_blocks, 3 * kMaxSequences, num_blocks + 1})));
  m_runner = std::make_unique<ModelRunner>(
      must(ModelRunner::create(*m_decoder, {.max_tokens = std::max(kMaxTokens, max_context),
                                            .max_sequences = kMaxSequences,
                                            .max_blocks = m_max_blocks,
                                            .max_logits = std::max(kMaxTokens, max_context)})));
  m_blocks.resize(num_blocks);
  std::iota(m_blocks.begin(), m_blocks.end(), 0);
  std::shuffle(m_blocks.begin(), m_blocks.end(), std::mt19937(20240521));
}

bool ModelHarness::has_isa(const std::string& isa) {
  return backend_of_isa(isa) != nullptr;
}

std::vector<std::string> ModelHarness::available_isas() {
  std::vector<std::string> isas;
  for (const InstructionSet set : supported_instruction_sets()) {
    // They round inputs to BF16, which is less than these tests ask for.
    const bool rounds = set == InstructionSet::kAvx512Bf16 || set == InstructionSet::kAmx;
    if (!rounds) isas.emplace_back(instruction_set_name(set));
  }
  return isas;
}

Result<AdapterId> ModelHarness::add_adapter(const std::filesystem::path& path) {
  auto files = open_adapter(path);
  if (!files) return files.error();
  auto added = m_decoder->add_adapter(m_num_adapters + 1, *files);
  if (added) added = m_runner->reserve();
  if (!added) return added.error();
  m_adapter_hash = files->hash;
  return ++m_num_adapters;
}

TestSequence ModelHarness::sequence(std::vector<int32_t> tokens) {
  CHECK(m_next_block + m_max_blocks <= m_blocks.size());
  const auto first = m_blocks.begin() + static_cast<int64_t>(m_next_block);
  const int slot = 3 * static_cast<int>(m_next_block) / m_max_blocks;
  m_next_block += m_max_blocks;
  return {.tokens = std::move(tokens), .blocks = {first, first + m_max_blocks}, .first_slot = slot};
}

/// The states of the last `count` rows of the batch, which are the sequence's last tokens.
void ModelHarness::add_states(ForwardBatch& batch, TestSequence& sequence, int count) const {
  if (!m_kv->layout().has_states()) return;
  if (batch.segment_start.empty()) batch.segment_start.push_back(0);
  const int first_row = batch.num_tokens() - count, begin = sequence.num_computed - count;
  const int boundary = (sequence.num_computed - 1) / kBlockSize * kBlockSize;
  if (boundary > begin) {
    batch.segment_end.push_back(first_row + boundary - begin);
    batch.states_out.push_back(sequence.snapshot());
  }
  batch.segment_end.push_back(batch.num_tokens());
  batch.states_in.push_back(sequence.state);
  sequence.state = sequence.first_slot + (sequence.state == sequence.first_slot ? 1 : 0);
  batch.states_out.push_back(sequence.state);
  batch.segment_start.push_back(static_cast<int32_t>(batch.segment_end.size()));
}

std::vector<float> ModelHarness::step(std::span<TestSequence* const> sequences,
                                      std::span<const int> counts, bool want_logits) {
  ForwardBatch batch;
  batch.max_blocks = m_max_blocks;
  const bool has_windows = m_kv->layout().window() > 0;
  for (size_t s = 0; s < sequences.size(); ++s) {
    TestSequence& sequence = *sequences[s];
    if (m_num_adapters > 0) batch.adapters.push_back(sequence.adapter);
    for (int i = 0; i < counts[s]; ++i) {
      const int position = sequence.num_computed++;
      if (want_logits) batch.logits_rows.push_back(batch.num_tokens());
      batch.ids.push_back(sequence.tokens.at(position));
      batch.positions.push_back(position);
      batch.slot_mapping.push_back(sequence.blocks.at(position / kBlockSize) * kBlockSize +
                                   position % kBlockSize);
      if (has_windows) batch.window_slots.push_back(batch.slot_mapping.back() + kBlockSize);
    }
    batch.query_start.push_back(batch.num_tokens());
    batch.context_len.push_back(sequence.num_computed);
    add_states(batch, sequence, counts[s]);
    batch.block_tables.insert(batch.block_tables.end(), sequence.blocks.begin(),
                              sequence.blocks.end());
  }
  // Each block's window part lies in the slot after the block's number.
  if (has_windows) batch.window_tables = batch.block_tables;
  for (int32_t& slot : batch.window_tables) ++slot;
  const std::span<float> logits = must(m_runner->run(batch, *m_kv));
  return {logits.begin(), logits.end()};
}

std::vector<float> ModelHarness::step(TestSequence& sequence, int count) {
  TestSequence* const sequences[] = {&sequence};
  const int counts[] = {count};
  return step(sequences, counts);
}

double relative_error(std::span<const float> a, std::span<const float> b) {
  CHECK(a.size() == b.size());
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    norm += double{b[i]} * b[i];
  }
  return std::sqrt(difference / norm);
}

double worst_error(std::span<const float> logits, std::span<const float> expected,
                   size_t vocab_size) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (logits.size() != expected.size()) return kInfinity;
  double worst = 0;
  for (size_t at = 0; at < logits.size(); at += vocab_size) {
    const double error =
        relative_error(logits.subspan(at, vocab_size), expected.subspan(at, vocab_size));
    if (!std::isfinite(error)) return kInfinity;  // std::max() would keep what it has.
    worst = std::max(worst, error);
  }
  return worst;
}

int32_t argmax(std::span<const float> values) {
  return static_cast<int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

std::filesystem::path tiny_model_folder(const std::string& name) {
  return std::filesystem::path(QUIRE_SOURCE_DIR) / "tests/data/models" / name;
}

std::vector<std::string> tiny_models() {
  std::vector<std::string> names;
  for (const auto& item : std::filesystem::directory_iterator(tiny_model_folder(""))) {
    if (item.is_directory()) names.push_back(item.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace quire::test
