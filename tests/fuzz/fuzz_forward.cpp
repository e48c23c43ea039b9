#include <cstdlib>
#include <memory>

#include "engine/models/model_files.h"
#include "engine/models/model_runner.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/model_files.h"

namespace quire::fuzz {
namespace {

constexpr int kNumTokens = 3;

/// One thread, so that an input's time is its own.
std::unique_ptr<Backend> make_backend(const char* isa, bool quantize_activations) {
  setenv("QUIRE_CPU_ISA", isa, 1);
  auto backend = create_backend(
      {.device = "cpu", .num_threads = 1, .quantize_activations = quantize_activations});
  unsetenv("QUIRE_CPU_ISA");
  return backend ? std::move(*backend) : nullptr;
}

/// The oracle, and two others where the processor has them; which one depends on the input alone.
Backend& backend_for(std::string_view bytes) {
  static const std::unique_ptr<Backend> kScalar = make_backend("scalar", false);
  static const std::unique_ptr<Backend> kOthers[] = {make_backend("avx2", true),
                                                     make_backend("avx512", true)};
  require(kScalar != nullptr, "there is no scalar backend");
  const size_t choice = bytes.size() % 3;
  return choice > 0 && kOthers[choice - 1] ? *kOthers[choice - 1] : *kScalar;
}

/// A prompt and one more token, in one block.
void compute(Decoder& decoder, Backend& backend) {
  const ModelConfig& config = decoder.config();
  const CacheLayout layout = cache_layout(config, DType::kF32);
  auto kv =
      CacheStorage::allocate(backend, layout, {.num_blocks = 1, .num_slots = 1, .num_windows = 2});
  if (!kv) return require_sentence(kv.error(), {"bytes", "memory", "GB", "MB"});
  auto runner = ModelRunner::create(
      decoder, {.max_tokens = kNumTokens, .max_sequences = 1, .max_blocks = 1, .max_logits = 1});
  if (!runner) return require_sentence(runner.error(), {"bytes", "memory", "GB", "MB"});
  int position = 0;
  for (const int count : {kNumTokens, 1}) {
    ForwardBatch batch;
    batch.max_blocks = 1;
    for (int i = 0; i < count; ++i, ++position) {
      batch.ids.push_back((position * 7 + 1) % config.vocab_size);
      batch.positions.push_back(position);
      batch.slot_mapping.push_back(position);
    }
    batch.query_start.push_back(count);
    batch.context_len.push_back(position);
    batch.block_tables.push_back(0);
    if (layout.window() > 0) {
      for (const int32_t slot : batch.slot_mapping) {
        batch.window_slots.push_back(kBlockSize + slot);
      }
      batch.window_tables.push_back(1);
    }
    batch.logits_rows.push_back(count - 1);
    const auto logits = runner->run(batch, *kv);
    require(logits.has_value(), "a step that fails");
    require(logits->size() == static_cast<size_t>(config.vocab_size), "logits of another size");
  }
}

}  // namespace

void fuzz_forward(std::string_view bytes) {
  static const ScratchFolder folder;
  const auto path = write_model(folder, bytes);
  Backend& backend = backend_for(bytes);
  auto decoder = load_decoder(path, backend);
  if (!decoder) {
    return require_sentence(decoder.error(),
                            {"input.gguf", ".json", "model", folder.path().filename().string()});
  }
  compute(**decoder, backend);
}

}  // namespace quire::fuzz
