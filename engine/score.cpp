#include "engine/score.h"

#include <algorithm>
#include <cmath>

#include "engine/models/model_runner.h"
#include "engine/request.h"
#include "engine/scheduler/scheduler.h"

namespace quire {

namespace {

constexpr int kChunk = 256;

Result<void> check_rows(std::span<const int32_t> rows, size_t num_tokens) {
  int32_t previous = -1;
  for (const int32_t row : rows) {
    if (row <= previous || static_cast<size_t>(row) >= num_tokens) {
      return Error{ErrorCode::kInvalidArgument, "Row " + std::to_string(row) +
                                                    " is not an ascending index of the " +
                                                    std::to_string(num_tokens) + " tokens."};
    }
    previous = row;
  }
  return {};
}

/// Whether the model can compute the tokens, and the rows are some of them.
Result<void> check_request(const LoadedModel& model, std::span<const TokenId> tokens,
                           std::span<const int32_t> rows) {
  const int max_positions = model.config.max_positions;
  if (tokens.size() > static_cast<size_t>(max_positions)) {
    return Error{ErrorCode::kContextOverflow, std::to_string(tokens.size()) +
                                                  " tokens do not fit the model's context of " +
                                                  std::to_string(max_positions) + "; pass fewer."};
  }
  const Request request{.prompt = {tokens.begin(), tokens.end()}, .sampling = {}};
  if (auto valid = validate(request, model.config.vocab_size, max_positions + 1); !valid) {
    return valid;
  }
  return check_rows(rows, tokens.size());
}

/// The chunk [begin, begin + count) of the table's tokens, with logits for those of `rows` in it.
ForwardBatch chunk_batch(BlockCache& cache, Sequence& sequence, int begin, int count,
                         std::span<const int32_t> rows) {
  StepPlan plan;
  plan.rows.push_back({&sequence, begin, count, false});
  plan.rows.back().states = cache.plan_states(sequence.table, begin, count);
  ForwardBatch batch = make_forward_batch(plan);
  for (const int32_t row : rows) {
    if (row >= begin && row < begin + count) batch.logits_rows.push_back(row - begin);
  }
  return batch;
}

}  // namespace

Result<std::vector<float>> compute_logits(const LoadedModel& model, std::span<const TokenId> tokens,
                                          std::span<const int32_t> rows, DType kv_dtype,
                                          AdapterId adapter) {
  if (const auto valid = check_request(model, tokens, rows); !valid) return valid.error();
  const int num_tokens = static_cast<int>(tokens.size());
  const int num_blocks = blocks_for(num_tokens);
  const CacheLayout layout = cache_layout(model.config, kv_dtype);
  const StateCacheSizes states = {.num_slots =
                                      layout.has_states() ? StateCacheSizes::kLeastSlots : 0};
  WindowCacheSizes windows = {.window = layout.window()};
  if (windows.window > 0) {
    const int least = WindowCacheSizes::least_slots(windows.window, kChunk);
    windows.num_slots = std::min(least, num_blocks + 1);
  }
  auto kv = CacheStorage::allocate(layer_backends(model.decoder->placement()), layout,
                                   {num_blocks, states.num_slots, windows.num_slots});
  if (!kv) return kv.error();
  auto runner = ModelRunner::create(
      *model.decoder,
      {.max_tokens = kChunk, .max_sequences = 1, .max_blocks = num_blocks, .max_logits = kChunk});
  if (!runner) return runner.error();

  BlockCache cache(num_blocks, /*share_prefixes=*/false, nullptr, states, windows);
  Sequence sequence(1, BlockKey{}, {tokens.begin(), tokens.end()});
  sequence.adapter = adapter;
  std::vector<float> logits;
  for (int begin = 0; begin < num_tokens; begin += kChunk) {
    const int count = std::min(kChunk, num_tokens - begin);
    CHECK(cache.reserve(sequence.table, begin + count));
    const auto chunk = runner->run(chunk_batch(cache, sequence, begin, count, rows), *kv);
    if (!chunk) return chunk.error();
    cache.mark_computed(sequence.table, begin + count);
    logits.insert(logits.end(), chunk->begin(), chunk->end());
  }
  return logits;
}

double negative_log_likelihood(std::span<const float> logits, TokenId target) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(logit - top);
  return std::log(sum) + top - logits[static_cast<size_t>(target)];
}

}  // namespace quire
