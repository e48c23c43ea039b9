#include "engine/embed.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/models/model_runner.h"
#include "engine/request.h"
#include "engine/scheduler/scheduler.h"

namespace quire {
namespace {

/// Texts whose keys and values are in memory at once.
constexpr size_t kMaxTexts = 64;
constexpr int kMaxGroupTokens = 8192;

/// The vector of one text while its tokens are computed.
struct Pool {
  Pooling pooling;
  int num_tokens = 0;
  std::vector<double> sum;

  /// Adds the state (C) of the token at `position`.
  void add(std::span<const float> state, int position) {
    const bool is_wanted =
        pooling == Pooling::kMean || position == (pooling == Pooling::kFirst ? 0 : num_tokens - 1);
    if (!is_wanted) return;
    sum.resize(state.size());
    for (size_t i = 0; i < state.size(); ++i) sum[i] += double{state[i]};
  }

  std::vector<float> vector(bool normalizes) const {
    double divisor = pooling == Pooling::kMean ? num_tokens : 1.0;
    if (normalizes) {
      double square = 0.0;
      for (const double value : sum) square += value * value;
      divisor = square > 0.0 ? std::sqrt(square) : 1.0;
    }
    std::vector<float> values;
    for (const double value : sum) values.push_back(static_cast<float>(value / divisor));
    return values;
  }
};

/// Consecutive texts [begin, end) that are computed together.
struct Group {
  size_t begin = 0;
  size_t end = 0;
  int num_blocks = 0;
};

std::vector<Group> groups_of(std::span<const std::vector<TokenId>> texts) {
  std::vector<Group> groups;
  int num_tokens = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const int count = static_cast<int>(texts[i].size());
    const bool is_full = !groups.empty() && (i - groups.back().begin >= kMaxTexts ||
                                             num_tokens + count > kMaxGroupTokens);
    if (groups.empty() || is_full) {
      groups.push_back({i, i, 0});
      num_tokens = 0;
    }
    num_tokens += count;
    groups.back().end = i + 1;
    groups.back().num_blocks += blocks_for(count);
  }
  return groups;
}

/// Computes groups of texts, one after the other, in the same memory.
class Embedder {
 public:
  static Result<std::unique_ptr<Embedder>> create(const LoadedModel& model,
                                                  std::span<const Group> groups,
                                                  const EmbedOptions& options) {
    int num_blocks = 1, num_texts = 1;
    for (const Group& group : groups) {
      num_blocks = std::max(num_blocks, group.num_blocks);
      num_texts = std::max(num_texts, static_cast<int>(group.end - group.begin));
    }
    const CacheLayout layout = cache_layout(model.config, options.kv_dtype);
    const int slots = layout.has_states() ? StateCacheSizes::kLeastSlots * num_texts : 0;
    // Every text has all its blocks at once, each with its window part; slot 0 is reserved.
    WindowCacheSizes windows = {.window = layout.window()};
    if (windows.window > 0) windows.num_slots = num_blocks + 1;
    auto kv = CacheStorage::allocate(layer_backends(model.decoder->placement()), layout,
                                     {num_blocks, slots, windows.num_slots});
    if (!kv) return kv.error();
    const int rows = std::max(options.max_batch_tokens, num_texts);
    auto runner = ModelRunner::create(*model.decoder, {.max_tokens = rows,
                                                       .max_sequences = num_texts,
                                                       .max_blocks = num_blocks,
                                                       .max_logits = rows,
                                                       .gives_states = true});
    if (!runner) return runner.error();
    std::unique_ptr<Embedder> embedder(new Embedder(std::move(*kv), std::move(*runner), options));
    embedder->m_cache = std::make_unique<BlockCache>(num_blocks, /*share_prefixes=*/false, nullptr,
                                                     StateCacheSizes{.num_slots = slots}, windows);
    embedder->m_max_rows = rows;
    return embedder;
  }

  /// Appends the vectors of the texts.
  Result<void> run(std::span<const std::vector<TokenId>> texts,
                   std::vector<std::vector<float>>& vectors) {
    m_sequences.clear();
    m_pools.clear();
    for (const std::vector<TokenId>& text : texts) {
      m_sequences.push_back(std::make_unique<Sequence>(m_sequences.size() + 1, BlockKey{}, text));
      m_sequences.back()->adapter = m_options.adapter;
      m_pools.push_back({m_options.pooling, static_cast<int>(text.size()), {}});
      CHECK(m_cache->reserve(m_sequences.back()->table, static_cast<int>(text.size())));
    }
    Result<void> done;
    while (done && !is_finished()) done = step();
    for (const auto& sequence : m_sequences) m_cache->release(sequence->table);
    if (!done) return done;
    for (const Pool& pool : m_pools) {
      vectors.push_back(pool.vector(m_options.normalizes));
      const auto is_number = [](float value) { return std::isfinite(value); };
      if (std::ranges::all_of(vectors.back(), is_number)) continue;
      return Error{ErrorCode::kDevice,
                   "The model's vector of a text is not numbers. Its weights, the adapter's or the "
                   "device may be damaged."};
    }
    return {};
  }

 private:
  Embedder(CacheStorage kv, ModelRunner runner, const EmbedOptions& options)
      : m_options(options), m_kv(std::move(kv)), m_runner(std::move(runner)) {}

  bool is_finished() const {
    return std::ranges::all_of(
        m_sequences, [](const auto& sequence) { return sequence->table.num_uncomputed() == 0; });
  }

  Result<void> step() {
    StepPlan plan;
    for (const auto& sequence : m_sequences) {
      const int begin = sequence->table.num_computed();
      const int count = std::min(sequence->table.num_uncomputed(), m_max_rows - plan.num_tokens);
      if (count == 0) continue;
      plan.rows.push_back({sequence.get(), begin, count, false});
      plan.rows.back().states = m_cache->plan_states(sequence->table, begin, count);
      plan.num_tokens += count;
    }
    ForwardBatch batch = make_forward_batch(plan);
    for (int row = 0; row < plan.num_tokens; ++row) batch.logits_rows.push_back(row);
    const auto states = m_runner.run(batch, m_kv);
    if (!states) return states.error();
    const size_t width = states->size() / batch.logits_rows.size();
    size_t row = 0;
    for (const ScheduledRows& rows : plan.rows) {
      for (int i = 0; i < rows.count; ++i, ++row) {
        m_pools[rows.sequence->id - 1].add(states->subspan(row * width, width), rows.begin + i);
      }
      m_cache->mark_computed(rows.sequence->table, rows.begin + rows.count);
    }
    return {};
  }

  const EmbedOptions& m_options;
  CacheStorage m_kv;
  ModelRunner m_runner;
  std::unique_ptr<BlockCache> m_cache;
  int m_max_rows = 0;
  std::vector<std::unique_ptr<Sequence>> m_sequences;  ///< Their ids count from 1.
  std::vector<Pool> m_pools;
};

}  // namespace

std::string_view pooling_name(Pooling pooling) {
  switch (pooling) {
    case Pooling::kMean:
      return "mean";
    case Pooling::kLast:
      return "last";
    case Pooling::kFirst:
      break;
  }
  return "cls";
}

std::optional<Pooling> find_pooling(std::string_view name) {
  for (const Pooling pooling : {Pooling::kMean, Pooling::kLast, Pooling::kFirst}) {
    if (pooling_name(pooling) == name) return pooling;
  }
  return std::nullopt;
}

std::vector<TokenId> embedding_tokens(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> tokens;
  if (tokenizer.adds_bos()) tokens.push_back(*tokenizer.bos_token());
  const std::vector<TokenId> own = tokenizer.encode(text);
  tokens.insert(tokens.end(), own.begin(), own.end());
  if (const auto end = tokenizer.appended_token()) tokens.push_back(*end);
  return tokens;
}

Result<std::vector<std::vector<float>>> compute_embeddings(
    const LoadedModel& model, std::span<const std::vector<TokenId>> texts,
    const EmbedOptions& options) {
  std::vector<std::vector<float>> vectors;
  for (const std::vector<TokenId>& text : texts) {
    const Request request{.prompt = text, .sampling = {}};
    const auto valid = validate(request, model.config.vocab_size, model.config.max_positions + 1);
    if (!valid) return valid.error();
  }
  if (texts.empty()) return vectors;
  const std::vector<Group> groups = groups_of(texts);
  auto embedder = Embedder::create(model, groups, options);
  if (!embedder) return embedder.error();
  for (const Group& group : groups) {
    auto done = (*embedder)->run(texts.subspan(group.begin, group.end - group.begin), vectors);
    if (!done) return done.error();
  }
  return vectors;
}

}  // namespace quire
