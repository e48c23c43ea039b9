#include "engine/models/decoder_stage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/models/null_backend.h"

namespace quire {
namespace {

/// Copies f32 rows between two dense tensors of one size.
void copy_rows(Backend& backend, TensorView to, ConstTensorView from) {
  CHECK(to.num_elements() == from.num_elements());
  backend.copy(to.data(), from.data(), static_cast<size_t>(to.num_elements()) * sizeof(float));
}

}  // namespace

DecoderStage::DecoderStage(const LayerRange& range, const ModelConfig& config)
    : m_backend(*range.backend), m_range(range), m_config(config), m_work(*range.backend) {
  CHECK(range.first >= 0 && range.count > 0 && range.end() <= config.num_layers);
}

void DecoderStage::load_tables(WeightLoader& loader) {
  const auto table = [&](const char* name) {
    const WeightLoader::Part part[] = {
        {.name = name, .num_outputs = m_config.vocab_size, .is_table = true}};
    return loader.linear(part, m_config.hidden_size);
  };
  loader.place_on(m_backend);
  if (has_embedding()) {
    m_embedding = table("token_embd.weight");
    load_positions(loader);
    if (m_config.norms_embeddings) {
      m_embedding_norm = {loader.ones(m_config.hidden_size), m_config.norm_eps};
    }
    if (has_per_layer()) m_per_layer_embeddings = PerLayerEmbeddings(m_config, loader);
    if (has_streams()) m_stream_ends.load_first(m_config, loader);
  }
  if (!has_head()) return;
  const bool is_tied = m_config.tie_word_embeddings;
  // Another device's embedding cannot be used.
  if (!is_tied || !has_embedding()) m_head = table(is_tied ? "token_embd.weight" : "output.weight");
  const WeightLoader::Part bias[] = {{.name = "output.bias", .num_outputs = m_config.vocab_size}};
  if (m_config.head_bias) m_head_bias = loader.vector(bias);
}

void DecoderStage::load_positions(WeightLoader& loader) {
  const int count = m_config.num_learned_positions;
  const WeightLoader::Part part[] = {{.name = "position_embd.weight",
                                      .num_outputs = count,
                                      .first_row = m_config.first_learned_position,
                                      .is_table = true}};
  if (count > 0) m_positions = loader.linear(part, m_config.hidden_size);
}

void DecoderStage::load_layers(WeightLoader& loader) {
  loader.place_on(m_backend);
  for (int i = m_range.first; i < m_range.end(); ++i) {
    m_layers.emplace_back(m_config, i, LayerTensors(loader, i));
  }
  m_slots = loader.take_slots();
  for (const WeightLoader::AdapterSlot& slot : m_slots) slot.adapters->use(*m_adapter_step);
  if (!has_head()) return;
  if (has_streams()) m_stream_ends.load_last(m_config, loader);
  m_final_norm = loader.norm("output_norm", m_config.hidden_size, m_config.norm, m_config.norm_eps);
}

Result<void> DecoderStage::add_rotations() {
  auto rotations = Rotations::create(m_backend, m_config);
  if (!rotations) return rotations.error();
  m_rotations = std::move(*rotations);
  return {};
}

Result<void> DecoderStage::reserve(MaxRows most) {
  CHECK(most.tokens > 0 && most.logits > 0);
  if (most.tokens <= m_reserved.tokens && most.logits <= m_reserved.logits) return {};
  most = {std::max(most.tokens, m_reserved.tokens), std::max(most.logits, m_reserved.logits)};
  Workspace work(m_backend);
  const bool reserves_quantized = has_quantized_inputs();
  {
    const Workspace::Scope scope(work);
    if (reserves_quantized) work.take_input(most.tokens, m_config.hidden_size, DType::kF16);
    m_per_layer_embeddings.measure(work, most.tokens);
    m_stream_ends.measure(work, most.logits);
    m_rotations.measure(work, most.tokens);
    for (const DecoderLayer& layer : m_layers) layer.measure(work, most);
    if (m_draft_layers) m_draft_layers->measure(work, most);
  }
  auto residual = allocate_tensor(m_backend, DType::kF32, {most.tokens, residual_width()});
  if (!residual) return residual.error();
  auto hidden = allocate_tensor(m_backend, DType::kF32, {most.tokens, m_config.hidden_size});
  if (!hidden) return hidden.error();
  auto wanted = allocate_tensor(m_backend, DType::kF32, {most.logits, residual_width()});
  if (!wanted) return wanted.error();
  auto per_layer = allocate_per_layer(most.tokens);
  if (!per_layer) return per_layer.error();
  if (auto allocated = work.allocate(); !allocated) return allocated;
  if (auto reserved = reserve_adapters(most.tokens); !reserved) return reserved;
  m_per_layer = std::move(*per_layer);
  m_residual = std::move(*residual);
  m_hidden = std::move(*hidden);
  m_wanted_residual = std::move(*wanted);
  m_work = std::move(work);
  m_reserves_quantized = reserves_quantized;
  m_reserved = most;
  return {};
}

/// Empty for a model without per-layer embeddings.
Result<DeviceTensor> DecoderStage::allocate_per_layer(int64_t max_tokens) const {
  if (!has_per_layer()) return DeviceTensor();
  const int64_t columns = int64_t{m_config.num_layers} * m_config.per_layer.width;
  return allocate_tensor(m_backend, DType::kF32, {max_tokens, columns});
}

std::vector<TensorView> DecoderStage::carried(int64_t num_tokens) const {
  std::vector<TensorView> views = {residual(num_tokens)};
  if (has_per_layer()) views.push_back(m_per_layer.view.rows(0, num_tokens));
  return views;
}

void DecoderStage::add_limits(StepLimits& limits, int64_t max_tokens) const {
  m_per_layer_embeddings.add_limits(limits, max_tokens);
  m_stream_ends.add_limits(limits, max_tokens);
  for (const DecoderLayer& layer : m_layers) layer.add_limits(limits, max_tokens);
  if (m_draft_layers) m_draft_layers->add_limits(limits, max_tokens);
  std::set<int64_t> ranks;
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    for (const auto& [adapter, update] : slot.adapters->updates()) {
      ranks.insert(update.b->num_inputs());
    }
  }
  for (const int64_t rank : ranks) limits.activations.push_back({max_tokens, rank});
}

/// Work space for the adapters loaded so far.
Result<void> DecoderStage::reserve_adapters(int64_t max_tokens) {
  int64_t max_rank = 0, max_outputs = 0;
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    for (const auto& [adapter, update] : slot.adapters->updates()) {
      max_rank = std::max(max_rank, update.b->num_inputs());
      max_outputs = std::max(max_outputs, update.b->num_outputs());
    }
  }
  if (max_rank == 0 || max_tokens == 0) return {};
  return m_adapter_step->reserve(m_backend, max_tokens, max_rank, max_outputs);
}

Result<void> DecoderStage::add_adapter(AdapterId adapter, AdapterLoader& loader) {
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    auto update = loader.load(slot, m_backend);
    if (!update) return update.error();
    if (*update) slot.adapters->add(adapter, std::move(**update));
  }
  return reserve_adapters(m_reserved.tokens);
}

Result<void> DecoderStage::check_adapter(AdapterLoader& loader) const {
  NullBackend nowhere;
  for (const WeightLoader::AdapterSlot& slot : m_slots) {
    if (auto update = loader.load(slot, nowhere); !update) return update.error();
  }
  return {};
}

void DecoderStage::remove_adapter(AdapterId adapter) {
  for (const WeightLoader::AdapterSlot& slot : m_slots) slot.adapters->remove(adapter);
}

size_t DecoderStage::adapter_bytes() const {
  size_t total = 0;
  for (const WeightLoader::AdapterSlot& slot : m_slots) total += slot.adapters->size_bytes();
  return total;
}

size_t DecoderStage::weight_bytes() const {
  size_t total = m_embedding_norm.size_bytes() + m_final_norm.size_bytes() +
                 m_head_bias.size_bytes() + m_per_layer_embeddings.size_bytes() +
                 m_stream_ends.size_bytes();
  if (m_positions) total += m_positions->size_bytes();
  if (m_embedding) total += m_embedding->size_bytes();
  if (m_head) total += m_head->size_bytes();
  for (const DecoderLayer& layer : m_layers) total += layer.size_bytes();
  return total;
}

void DecoderStage::forward(const DeviceBatch& batch, const CacheStorage& kv, TensorView logits,
                           TensorView kept) {
  CHECK(batch.num_tokens() > 0 && batch.num_tokens() <= m_reserved.tokens);
  CHECK(batch.logits_rows.dim(0) <= m_reserved.logits);
  const Workspace::Scope scope(m_work);
  m_adapter_step->begin(batch.adapters, batch.num_tokens());
  Stream stream = begin(batch);
  m_rotations.compute(m_backend, m_work, batch.positions);
  // Without wanted logits the layers that only read other layers' caches have nothing to do.
  const int64_t num_wanted = batch.logits_rows.dim(0);
  const bool keeps_rows = keeps_all(kept);
  const int num_needed =
      num_wanted > 0 || keeps_rows ? m_config.num_layers : num_caching_layers(m_config);
  const TensorView wanted_residual = m_wanted_residual.view.rows(0, num_wanted);
  // Otherwise more than the head reads the last layer's output.
  const bool is_for_head = has_head() && !has_streams() && kept.empty() && !logits.empty();
  const DType last_dtype = is_for_head ? m_backend.input_dtype(head()) : DType::kF32;
  for (size_t i = 0; i < m_layers.size(); ++i) {
    const int layer = m_range.first + static_cast<int>(i);
    if (layer >= num_needed) return;
    Mixer::Step step = step_of(layer, batch, kv);
    // The last layer computes only the rows whose logits are wanted.
    if (layer + 1 == num_needed && !keeps_rows) step.rows = batch.logits_rows;
    stream = m_layers[i].forward(step, stream, wanted_residual, block_after(i, last_dtype));
  }
  if (!has_head()) return;
  if (keeps_rows) return finish_all(stream.hidden, batch, logits, kept);
  if (num_wanted == 0) return;
  if (has_streams()) {
    m_stream_ends.merge(m_backend, m_work, stream.hidden, stream.residual);
    m_final_norm.apply(m_backend, stream.hidden, stream.hidden);
  }
  if (!kept.empty()) copy_rows(m_backend, kept, stream.hidden);
  if (!logits.empty()) finish(stream.input(), logits);
}

/// Keeps the states of all rows, and computes the logits of the wanted ones.
void DecoderStage::finish_all(ConstTensorView hidden, const DeviceBatch& batch, TensorView logits,
                              TensorView kept) {
  copy_rows(m_backend, kept, hidden);
  const int64_t num_wanted = batch.logits_rows.dim(0);
  if (num_wanted == 0) return;
  const TensorView wanted = m_wanted_residual.view.rows(0, num_wanted);
  m_backend.gather_rows(wanted, hidden, batch.logits_rows);
  finish(wanted, logits);
}

void DecoderStage::extend_drafts(const DeviceBatch& batch, const CacheStorage& kv,
                                 ConstTensorView previous) {
  const Workspace::Scope scope(m_work);
  m_draft_layers->extend(draft_step(batch, kv), draft_ends(), {m_residual.view, m_hidden.view},
                         previous);
}

void DecoderStage::guess(int number, const DeviceBatch& batch, const CacheStorage& kv,
                         const Decoder::GuessBuffers& buffers) {
  const Workspace::Scope scope(m_work);
  m_draft_layers->guess(draft_step(batch, kv), draft_ends(), {m_residual.view, m_hidden.view},
                        number, buffers.previous, buffers.states);
  const LinearWeight* const own = m_draft_layers->head(number);
  if (own == nullptr) return finish(buffers.states, buffers.logits);
  m_backend.linear(buffers.logits, buffers.states, *own, {});
}

DecoderEnds DecoderStage::draft_ends() const {
  return {.embedding = m_embedding.get(),
          .embedding_scale = m_config.embedding_scale,
          .final_norm = m_final_norm};
}

/// The step of the draft layer, without adapters, which do not change draft layers. Heads without a
/// cache read neither rotations nor pages, so any layer's step serves them.
Mixer::Step DecoderStage::draft_step(const DeviceBatch& batch, const CacheStorage& kv) {
  m_adapter_step->begin(nullptr, batch.num_tokens());
  m_rotations.compute(m_backend, m_work, batch.positions);
  return step_of(m_config.num_layers - (m_draft_layers->has_cache() ? 0 : 1), batch, kv);
}

Mixer::Step DecoderStage::step_of(int layer, const DeviceBatch& batch, const CacheStorage& kv) {
  const int width = m_config.per_layer.width;
  const int rope = m_config.layers[static_cast<size_t>(layer)].rope;
  Mixer::Step step = {.backend = m_backend,
                      .work = m_work,
                      .batch = batch,
                      .kv = kv,
                      .cos_sin = m_rotations.cos_sin(rope),
                      .rows = std::nullopt};
  if (width == 0) return step;
  const TensorView rows = m_per_layer.view.rows(0, batch.num_tokens());
  step.per_layer = rows.columns(int64_t{layer} * width, width);
  return step;
}

/// The next layer of this stage, or what is behind the last one; with a norm that does not exist if
/// another stage computes the next layer.
NextBlock DecoderStage::block_after(size_t layer, DType last_dtype) const {
  if (layer + 1 >= m_layers.size()) return {m_final_norm, last_dtype};
  const DecoderLayer& next = m_layers[layer + 1];
  return {next.input_norm(), next.input_dtype(m_backend)};
}

bool DecoderStage::has_quantized_inputs() const {
  return std::ranges::any_of(m_layers, [&](const DecoderLayer& layer) {
    return layer.input_dtype(m_backend) != DType::kF32;
  });
}

/// The input of the first layer.
Stream DecoderStage::begin(const DeviceBatch& batch) {
  const int64_t num_tokens = batch.num_tokens();
  Stream stream = {residual(num_tokens), m_hidden.view.rows(0, num_tokens)};
  if (m_reserves_quantized) {
    stream.quantized = m_work.take_input(num_tokens, m_config.hidden_size, DType::kF16).data();
  }
  if (has_embedding()) {
    const TensorView embedded = stream.residual.columns(0, m_config.hidden_size);
    m_backend.embed(embedded, *m_embedding, batch.ids, m_config.embedding_scale);
    m_embedding_norm.apply(m_backend, embedded, embedded);
    if (m_positions) {
      m_backend.embed(stream.hidden, *m_positions, batch.positions, 1.0f);
      m_backend.add(stream.residual, stream.hidden);
    }
    if (has_per_layer()) {
      m_per_layer_embeddings.compute(m_backend, m_work, m_per_layer.view.rows(0, num_tokens),
                                     embedded, batch.ids);
    }
    if (has_streams()) m_stream_ends.spread(m_backend, stream.residual);
  }
  const DecoderLayer& first = m_layers.front();
  stream = stream.before(first.input_dtype(m_backend));
  first.input_norm().apply(m_backend, stream.input(), stream.residual);
  return stream;
}

void DecoderStage::finish(ConstTensorView hidden, TensorView logits) const {
  m_backend.linear(logits, hidden, head(), m_head_bias.view);
  if (m_config.logits_scale != 1.0f) m_backend.scale(logits, m_config.logits_scale);
  if (m_config.logits_soft_cap > 0.0f) m_backend.soft_cap(logits, m_config.logits_soft_cap);
}

}  // namespace quire
