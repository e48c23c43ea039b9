#include "tests/engine/models/draft_harness.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/models/batch_upload.h"
#include "engine/models/medusa_heads.h"
#include "engine/models/model_files.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxTokens = 64;

fs::path data_folder() {
  return fs::path(QUIRE_SOURCE_DIR) / "tests/data/drafts";
}

void copy_over(const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

}  // namespace

void write_with_mtp(const std::string& name, const fs::path& folder) {
  fs::create_directories(folder);
  auto config = nlohmann::json::parse(std::ifstream(tiny_model_folder(name) / "config.json"));
  config["num_nextn_predict_layers"] = 1;
  std::ofstream(folder / "config.json") << config.dump();
  const std::pair<fs::path, const char*> files[] = {
      {tiny_model_folder(name) / "model.safetensors", "model-1.safetensors"},
      {data_folder() / (name + ".safetensors"), "model-2.safetensors"}};
  nlohmann::json index = {{"weight_map", nlohmann::json::object()}};
  for (const auto& [from, to] : files) {
    copy_over(from, folder / to);
    const auto weights = must(SafetensorsWeights::open_file(from));
    for (const TensorInfo& tensor : weights->tensors()) {
      index["weight_map"][tensor.name] = to;
    }
  }
  std::ofstream(folder / "model.safetensors.index.json") << index.dump();
}

void write_medusa(const fs::path& folder) {
  fs::create_directories(folder);
  copy_over(data_folder() / "medusa.safetensors", folder / "medusa_lm_head.safetensors");
  std::ofstream(folder / "config.json") << R"({"medusa_num_heads": 3, "medusa_num_layers": 2})";
}

Reference draft_reference(const std::string& name) {
  return Reference(data_folder() / (name + ".reference.safetensors"));
}

DraftHarness::DraftHarness(const fs::path& folder, std::unique_ptr<Backend> backend,
                           const fs::path& heads)
    : m_backend(std::move(backend)) {
  if (!m_backend) qFatal("no backend");
  m_decoder = must(load_decoder(folder, *m_backend, {.speculative_layers = heads.empty()}));
  if (!heads.empty()) {
    m_decoder->use_heads(must(MedusaHeads::load(heads, config(), *m_backend, {})));
  }
  CHECK(m_decoder->draft_layers() != nullptr);
  const int num_blocks = kMaxSequences * kMaxBlocks;
  m_kv = std::make_unique<CacheStorage>(must(CacheStorage::allocate(
      *m_backend, cache_layout(config(), DType::kF32), {num_blocks, 2 * kMaxSequences, 0})));
  if (auto reserved = m_decoder->reserve(kMaxTokens, kMaxTokens); !reserved) qFatal("reserve");
  StepLimits limits = {.num_heads = config().num_heads,
                       .num_kv_heads = config().num_kv_heads,
                       .head_dim = config().head_dim,
                       .max_context = kMaxBlocks * kBlockSize,
                       .max_sequences = kMaxSequences};
  m_decoder->add_limits(limits, kMaxTokens);
  limits.activations.push_back({kMaxTokens, config().hidden_size});
  if (auto reserved = m_backend->reserve_scratch(limits); !reserved) qFatal("scratch");
  m_drafts = must(DraftRunner::create(*m_decoder, {.max_tokens = kMaxTokens,
                                                   .max_sequences = kMaxSequences,
                                                   .max_blocks = kMaxBlocks,
                                                   .max_logits = kMaxTokens}));
  m_batch = must(allocate_tensor(*m_backend, DType::kI32, {4096}));
  m_logits = must(allocate_tensor(*m_backend, DType::kF32, {kMaxTokens, config().vocab_size}));
  m_tokens = must(allocate_tensor(*m_backend, DType::kI32, {kMaxTokens}));
}

TestSequence DraftHarness::sequence(std::vector<int32_t> tokens) {
  CHECK(m_num_sequences < kMaxSequences);
  TestSequence sequence = {.tokens = std::move(tokens), .blocks = {}};
  for (int i = 0; i < kMaxBlocks; ++i) {
    sequence.blocks.push_back(i * kMaxSequences + m_num_sequences);  // Not beside each other.
  }
  sequence.first_slot = 2 * m_num_sequences++;
  return sequence;
}

void DraftHarness::append(ForwardBatch& batch, const Rows& rows, bool wants_logits) {
  TestSequence& sequence = *rows.sequence;
  batch.sequences.push_back(static_cast<uint64_t>(sequence.blocks[0]) + 1);
  for (int i = 0; i < rows.count; ++i) {
    const int position = sequence.num_computed++;
    batch.ids.push_back(sequence.tokens.at(static_cast<size_t>(position)));
    batch.positions.push_back(position);
    batch.slot_mapping.push_back(sequence.blocks.at(static_cast<size_t>(position / kBlockSize)) *
                                     kBlockSize +
                                 position % kBlockSize);
  }
  if (wants_logits) batch.logits_rows.push_back(batch.num_tokens() - 1);
  batch.query_start.push_back(batch.num_tokens());
  batch.context_len.push_back(sequence.num_computed);
  batch.block_tables.insert(batch.block_tables.end(), sequence.blocks.begin(),
                            sequence.blocks.end());
  if (!m_kv->layout().has_states()) return;
  if (batch.segment_start.empty()) batch.segment_start.push_back(0);
  batch.states_in.push_back(sequence.state);
  sequence.state = sequence.first_slot + (sequence.state == sequence.first_slot ? 1 : 0);
  batch.segment_end.push_back(batch.num_tokens());
  batch.states_out.push_back(sequence.state);
  batch.segment_start.push_back(static_cast<int32_t>(batch.segment_end.size()));
}

DeviceBatch DraftHarness::upload(const ForwardBatch& batch) {
  m_host.clear();
  append_batch(m_host, batch);
  CHECK(std::ssize(m_host) <= m_batch.view.dim(0));
  m_backend->upload(m_batch.view.data(), m_host.data(), m_host.size() * sizeof(int32_t));
  const DeviceBatch on_device = views_of(batch, m_batch.view.as<int32_t>());
  m_backend->begin_attention(on_device.attention, {.query_start = batch.query_start,
                                                   .context_len = batch.context_len,
                                                   .block_tables = batch.block_tables,
                                                   .window_tables = {}});
  return on_device;
}

std::vector<float> DraftHarness::step(const std::vector<Rows>& rows, bool wants_logits) {
  ForwardBatch batch;
  batch.max_blocks = kMaxBlocks;
  for (const Rows& of : rows) append(batch, of, wants_logits);
  m_drafts->begin_step(batch);
  const DeviceBatch on_device = upload(batch);
  const auto count = static_cast<int64_t>(batch.logits_rows.size());
  const TensorView logits = m_logits.view.rows(0, count);
  m_decoder->forward(0, on_device, *m_kv, logits, m_drafts->kept(batch));
  m_drafts->end_step(on_device, *m_kv);
  std::vector<float> host(static_cast<size_t>(logits.num_elements()));
  if (count > 0) m_backend->download(host.data(), logits.data(), host.size() * sizeof(float));
  if (!m_backend->synchronize()) qFatal("the device failed");
  return host;
}

std::vector<float> DraftHarness::guess(int number, const TestSequence& sequence, int32_t token) {
  ForwardBatch batch;
  batch.max_blocks = kMaxBlocks;
  const int position = sequence.num_computed + number;
  batch.sequences = {static_cast<uint64_t>(sequence.blocks[0]) + 1};
  batch.ids = {token};
  batch.positions = {position};
  batch.slot_mapping = {sequence.blocks.at(static_cast<size_t>(position / kBlockSize)) *
                            kBlockSize +
                        position % kBlockSize};
  batch.query_start = {0, 1};
  batch.context_len = {position + 1};
  batch.block_tables = sequence.blocks;
  const std::vector<SampleRow> greedy(1, SampleRow{.temperature = 0.0f});
  const TensorView logits = m_logits.view.rows(0, 1);
  const auto tokens =
      must(m_drafts->guess(number, batch, *m_kv,
                           {.logits = logits,
                            .tokens = m_tokens.view.rows(0, 1),
                            .rows = {.rows = greedy, .seen_ids = {}, .output_counts = {}}}));
  std::vector<float> host(static_cast<size_t>(logits.num_elements()));
  m_backend->download(host.data(), logits.data(), host.size() * sizeof(float));
  if (!m_backend->synchronize()) qFatal("the device failed");
  CHECK(tokens[0] == argmax(host));
  return host;
}

}  // namespace quire::test
