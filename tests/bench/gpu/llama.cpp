#include "tests/bench/gpu/llama.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/quantized_activations.h"

namespace quire::bench {
namespace {

constexpr float kEps = 1e-5f;

}  // namespace

LlamaShape llama_1b() {
  return {"1b", 16, 2048, 32, 8, 8192, 32000, /*has_tied_head=*/true};
}

LlamaShape llama_8b() {
  return {"8b", 32, 4096, 32, 8, 14336, 128256, /*has_tied_head=*/false};
}

LlamaShape llama_tiny() {
  return {"tiny", 2, 256, 4, 2, 512, 512, /*has_tied_head=*/false};
}

const char* op_name(Op op) {
  constexpr const char* kNames[] = {
      "embed",       "rope_cos_sin",   "rms_norm",      "qkv linear",     "rope_and_store",
      "attention",   "gather_rows",    "output linear", "add_rms_norm 1", "gate and up linear_glu",
      "down linear", "add_rms_norm 2", "head linear"};
  return kNames[static_cast<int>(op)];
}

Result<std::unique_ptr<Llama>> Llama::create(Backend& backend, const LlamaShape& shape, DType dtype,
                                             const Limits& limits) {
  std::unique_ptr<Llama> llama(new Llama(backend, shape));
  llama->make_weights(dtype);
  llama->make_work_space(limits);
  llama->list_operations();
  if (auto ready = llama->m_memory.finish(); !ready) return ready.error();
  return llama;
}

/// One tensor's random numbers on the host serve for all: what the device holds is a place of its
/// own for each.
void Llama::make_weights(DType dtype) {
  const int64_t widest = std::max({m_shape.hidden, m_shape.intermediate, m_shape.num_q()});
  const int64_t most = std::max(widest * widest, int64_t{1} * m_shape.vocab * m_shape.hidden);
  const std::vector<char> numbers = random_numbers(dtype, dtype_span_bytes(dtype, most), 0.03f);
  const auto pack = [&](std::initializer_list<int64_t> outputs, int64_t inputs) {
    std::vector<ConstTensorView> parts;
    for (const int64_t n : outputs) {
      parts.push_back(ConstTensorView(numbers.data(), dtype, {n, inputs}));
    }
    return m_memory.weight(parts);
  };
  const std::vector<float> ones(static_cast<size_t>(m_shape.hidden), 1.0f);
  for (int i = 0; i < m_shape.num_layers; ++i) {
    m_layers.push_back(
        {.qkv = pack({m_shape.num_q(), m_shape.num_kv(), m_shape.num_kv()}, m_shape.hidden),
         .output = pack({m_shape.hidden}, m_shape.num_q()),
         .gate_up = pack({m_shape.intermediate, m_shape.intermediate}, m_shape.hidden),
         .down = pack({m_shape.hidden}, m_shape.intermediate),
         .mlp_norm = m_memory.floats(ones),
         .next_norm = m_memory.floats(ones)});
  }
  m_embedding = pack({m_shape.vocab}, m_shape.hidden);
  m_head = m_shape.has_tied_head ? m_embedding : pack({m_shape.vocab}, m_shape.hidden);
  m_first_norm = m_memory.floats(ones);
}

void Llama::make_work_space(const Limits& limits) {
  const auto work = [&](int rows, int columns) {
    return m_memory.zeros(DType::kF32, {rows, columns});
  };
  // In the dtype in which a matrix product reads it, in memory for f32.
  const auto input = [&](int rows, int columns, const LinearWeight* of) {
    const TensorView floats = work(rows, columns);
    const DType dtype = of == nullptr ? DType::kF32 : m_backend.input_dtype(*of);
    return dtype == DType::kF32 ? floats
                                : quantized_activations(floats.data(), dtype, rows, columns);
  };
  const int tokens = limits.max_tokens;
  const Layer& layer = m_layers.front();
  m_work = {.residual = work(tokens, m_shape.hidden),
            .hidden = work(tokens, m_shape.hidden),
            .qkv = work(tokens, m_shape.num_q() + 2 * m_shape.num_kv()),
            .normed = input(tokens, m_shape.hidden, layer.qkv),
            .attended = input(tokens, m_shape.num_q(), layer.output),
            .gate_up = work(tokens, 2 * m_shape.intermediate),
            .activated = input(tokens, m_shape.intermediate, layer.down)};
  m_cos_sin = work(tokens, m_shape.head_dim());
  m_last_residual = work(limits.max_chats, m_shape.hidden);
  m_last_attended = input(limits.max_chats, m_shape.num_q(), layer.output);
  m_logits = work(limits.max_chats, m_shape.vocab);
  std::vector<float> inv_freq;
  for (int i = 0; i < m_shape.head_dim() / 2; ++i) {
    const float exponent = 2.0f * static_cast<float>(i) / static_cast<float>(m_shape.head_dim());
    inv_freq.push_back(std::pow(500000.0f, -exponent));
  }
  m_inv_freq = m_memory.floats(inv_freq);
}

void Llama::list_operations() {
  m_operations = {{Op::kEmbed}, {Op::kRotation}, {Op::kFirstNorm}};
  for (int i = 0; i < m_shape.num_layers; ++i) {
    const bool is_last = i + 1 == m_shape.num_layers;
    for (const Op op : {Op::kQkv, Op::kRopeAndStore, Op::kAttention}) {
      m_operations.push_back({op, i});
    }
    if (is_last) m_operations.push_back({Op::kGatherRows, i});
    for (const Op op : {Op::kOutput, Op::kMlpNorm, Op::kGateUp, Op::kDown, Op::kNextNorm}) {
      m_operations.push_back({op, i, is_last});
    }
  }
  m_operations.push_back({Op::kHead, 0, /*is_narrow=*/true});
}

Llama::Activations Llama::Activations::rows(int64_t count) const {
  return {.residual = residual.rows(0, count),
          .hidden = hidden.rows(0, count),
          .qkv = qkv.rows(0, count),
          .normed = normed.rows(0, count),
          .attended = attended.rows(0, count),
          .gate_up = gate_up.rows(0, count),
          .activated = activated.rows(0, count)};
}

void Llama::run(const Operation& operation, const DeviceBatch& batch, const Pages& pages) {
  const int64_t num_tokens = batch.ids.dim(0), num_logits = batch.logits_rows.dim(0);
  const auto layer = static_cast<size_t>(operation.layer);
  Activations at = m_work.rows(operation.is_narrow ? num_logits : num_tokens);
  if (operation.is_narrow) {
    at.residual = m_last_residual.rows(0, num_logits);
    at.attended = m_last_attended.rows(0, num_logits);
  }
  switch (operation.op) {
    case Op::kEmbed:
      return m_backend.embed(at.residual, *m_embedding, batch.ids, 1.0f);
    case Op::kRotation:
      return m_backend.rope_cos_sin(m_cos_sin.rows(0, num_tokens), batch.positions, m_inv_freq,
                                    1.0f);
    case Op::kFirstNorm:
      return m_backend.rms_norm(at.normed, at.residual, m_first_norm, kEps);
    case Op::kRopeAndStore:
      return rope_and_store(at, batch, pages[layer]);
    case Op::kAttention:
      return attend(at, batch, pages[layer]);
    case Op::kGatherRows:
      return gather(batch);
    case Op::kMlpNorm:
      return join_residual(at, m_layers[layer].mlp_norm);
    case Op::kNextNorm:
      return join_residual(at, m_layers[layer].next_norm);
    default:
      return apply(operation, at);
  }
}

/// Null for what is no linear layer.
const LinearWeight* Llama::weight_of(const Operation& operation) const {
  const Layer& layer = m_layers[static_cast<size_t>(operation.layer)];
  switch (operation.op) {
    case Op::kQkv:
      return layer.qkv;
    case Op::kOutput:
      return layer.output;
    case Op::kGateUp:
      return layer.gate_up;
    case Op::kDown:
      return layer.down;
    case Op::kHead:
      return m_head;
    default:
      return nullptr;
  }
}

void Llama::apply(const Operation& operation, const Activations& at) {
  const LinearWeight& weight = *weight_of(operation);
  switch (operation.op) {
    case Op::kQkv:
      return m_backend.linear(at.qkv, at.normed, weight, {});
    case Op::kOutput:
      return m_backend.linear(at.hidden, at.attended, weight, {});
    case Op::kGateUp:
      return m_backend.linear_glu(at.activated, at.gate_up, at.normed, {weight, {}, m_glu});
    case Op::kDown:
      return m_backend.linear(at.hidden, at.activated, weight, {});
    default:
      return m_backend.linear(logits(static_cast<int>(at.normed.dim(0))), at.normed, weight, {});
  }
}

void Llama::join_residual(const Activations& at, ConstTensorView norm) {
  m_backend.add_rms_norm(at.normed, at.residual, at.hidden, norm, kEps);
}

void Llama::rope_and_store(const Activations& at, const DeviceBatch& batch,
                           const KvLayerView& pages) {
  const auto heads = [&](int64_t begin, int64_t count) {
    return at.qkv.columns(begin, count).split_columns(m_shape.head_dim());
  };
  const int64_t num_q = m_shape.num_q(), num_kv = m_shape.num_kv();
  m_backend.rope_and_store(heads(0, num_q), heads(num_q, num_kv), heads(num_q + num_kv, num_kv),
                           m_cos_sin.rows(0, at.qkv.dim(0)), batch.slots, pages);
}

void Llama::attend(const Activations& at, const DeviceBatch& batch, const KvLayerView& pages) {
  const int dim = m_shape.head_dim();
  m_backend.attention(at.attended.split_columns(dim),
                      at.qkv.columns(0, m_shape.num_q()).split_columns(dim), pages, batch.attention,
                      {.scale = 1.0f / std::sqrt(static_cast<float>(dim))});
}

void Llama::gather(const DeviceBatch& batch) {
  const int64_t num_tokens = batch.ids.dim(0), num_logits = batch.logits_rows.dim(0);
  const Activations at = m_work.rows(num_tokens);
  m_backend.gather_rows(m_last_residual.rows(0, num_logits), at.residual, batch.logits_rows);
  m_backend.gather_rows(m_last_attended.rows(0, num_logits), at.attended, batch.logits_rows);
}

Cost Llama::cost(const Operation& operation, const ChatBatch& batch, DType kv_dtype) const {
  if (operation.op == Op::kAttention) {
    const double per_key = bytes_per_key(kv_dtype, m_shape.num_kv_heads, m_shape.head_dim());
    return {batch.keys_to_read() * per_key, 4.0 * m_shape.num_q() * batch.keys_seen()};
  }
  const LinearWeight* const weight = weight_of(operation);
  if (weight == nullptr) return {};
  const int rows = operation.is_narrow ? batch.shape().num_chats : batch.num_tokens();
  const auto size = static_cast<double>(weight->num_outputs() * weight->num_inputs());
  return {static_cast<double>(weight->size_bytes()), 2.0 * rows * size};
}

Cost Llama::cost(const ChatBatch& batch, DType kv_dtype) const {
  Cost sum;
  for (const Operation& operation : m_operations) {
    const Cost one = cost(operation, batch, kv_dtype);
    sum.bytes += one.bytes;
    sum.flops += one.flops;
  }
  return sum;
}

}  // namespace quire::bench
