#include "tests/engine/engine/ahead_backend.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quire {
namespace {

constexpr std::byte kSpoilt{0xEE};

bool overlap(const std::pair<const std::byte*, const std::byte*>& a,
             const std::pair<const std::byte*, const std::byte*>& b) {
  return a.first < b.second && b.first < a.second;
}

/// Memory whose release waits for the device. host: where it begins, if it is the host's.
std::unique_ptr<DeviceBuffer> wrap(AheadBackend& backend, std::unique_ptr<DeviceBuffer> memory,
                                   const std::byte* host) {
  void* const data = memory->data();
  const size_t bytes = memory->size_bytes();
  return std::make_unique<DeviceBuffer>(
      data, bytes,
      [&backend, host, kept = std::shared_ptr(std::move(memory))] { backend.release(host); });
}

class AheadWeight final : public LinearWeight {
 public:
  AheadWeight(AheadBackend& backend, std::unique_ptr<LinearWeight> weight)
      : m_backend(backend), m_weight(std::move(weight)) {}
  ~AheadWeight() override { m_backend.release(nullptr); }
  int64_t num_outputs() const override { return m_weight->num_outputs(); }
  int64_t num_inputs() const override { return m_weight->num_inputs(); }
  size_t size_bytes() const override { return m_weight->size_bytes(); }
  const LinearWeight& of_cpu() const { return *m_weight; }

 private:
  AheadBackend& m_backend;
  std::unique_ptr<LinearWeight> m_weight;
};

const LinearWeight* of_cpu(const LinearWeight& weight) {
  return &dynamic_cast<const AheadWeight&>(weight).of_cpu();
}

}  // namespace

AheadBackend::AheadBackend(std::unique_ptr<Backend> cpu, std::shared_ptr<AheadControl> control)
    : m_cpu(std::move(cpu)), m_control(std::move(control)) {}

AheadBackend::~AheadBackend() {
  note_transfers_left();
}

// Memory -----------------------------------------------------------------------------------------

Result<std::unique_ptr<DeviceBuffer>> AheadBackend::allocate(size_t bytes) {
  auto memory = m_cpu->allocate(bytes);
  if (!memory) return memory.error();
  return wrap(*this, std::move(*memory), nullptr);
}

Result<std::unique_ptr<DeviceBuffer>> AheadBackend::allocate_host(size_t bytes) {
  auto memory = m_cpu->allocate_host(bytes);
  if (!memory) return memory.error();
  // Undefined, but not what happens to have been there before.
  auto* const begin = static_cast<std::byte*>((*memory)->data());
  std::fill_n(begin, bytes, kSpoilt);
  m_pinned[begin] = bytes;
  return wrap(*this, std::move(*memory), begin);
}

void AheadBackend::release(const std::byte* begin) {
  if (const auto pinned = m_pinned.find(begin); pinned != m_pinned.end()) {
    const Bytes bytes = {begin, begin + pinned->second};
    for (const Operation& operation : m_queue) {
      if (overlap(operation.host, bytes)) ++m_control->num_violations;
    }
    m_pinned.erase(pinned);
  }
  note_transfers_left();
  run_all();
  m_steps.clear();
}

/// Plain host memory of copies that nobody will wait for may be gone when they run.
void AheadBackend::note_transfers_left() {
  for (const Operation& operation : m_queue) {
    if (operation.host.first != nullptr && !is_pinned(operation.host)) ++m_control->num_violations;
  }
}

bool AheadBackend::is_pinned(const Bytes& host) const {
  return std::ranges::any_of(m_pinned, [&](const auto& pinned) {
    return overlap(host, {pinned.first, pinned.first + pinned.second});
  });
}

bool AheadBackend::is_awaited(const Bytes& host) const {
  return std::ranges::any_of(m_queue, [&](const Operation& operation) {
    return operation.writes_host && overlap(operation.host, host);
  });
}

void AheadBackend::upload(void* dst, const void* host_src, size_t bytes) {
  CHECK(m_recorded == nullptr);
  if (bytes == 0) return;
  const auto* from = static_cast<const std::byte*>(host_src);
  const Bytes host = {from, from + bytes};
  if (is_awaited(host)) ++m_control->num_violations;
  submit({.run =
              [this, dst, from, then = std::vector<std::byte>(from, from + bytes)] {
                if (!std::ranges::equal(then, std::span(from, then.size()))) {
                  ++m_control->num_violations;
                }
                std::copy_n(from, then.size(), static_cast<std::byte*>(dst));
              },
          .host = host});
}

void AheadBackend::download(void* host_dst, const void* src, size_t bytes) {
  CHECK(m_recorded == nullptr);
  if (bytes == 0) return;
  auto* to = static_cast<std::byte*>(host_dst);
  const Bytes host = {to, to + bytes};
  if (is_awaited(host)) ++m_control->num_violations;
  // The one that reads it too early gets this.
  std::fill_n(to, bytes, kSpoilt);
  submit({.run =
              [this, to, src, bytes] {
                const bool is_untouched =
                    std::all_of(to, to + bytes, [](std::byte byte) { return byte == kSpoilt; });
                if (!is_untouched) ++m_control->num_violations;
                std::copy_n(static_cast<const std::byte*>(src), bytes, to);
              },
          .host = host,
          .writes_host = true});
}

void AheadBackend::copy(void* dst, const void* src, size_t bytes) {
  submit([=, this] { m_cpu->copy(dst, src, bytes); });
}

// Submitting and running -------------------------------------------------------------------------

bool AheadBackend::is_failing(bool at_submission) {
  std::optional<AheadControl::Fault>& fault = m_control->fault;
  if (!fault || fault->at_submission != at_submission || fault->operations_left-- > 0) return false;
  m_failure = Error{fault->code, "The device failed."};
  ++m_control->num_failures;
  fault.reset();
  return true;
}

void AheadBackend::submit(Operation operation) {
  if (m_recorded != nullptr) return m_recorded->push_back(std::move(operation.run));
  if (m_failure || is_failing(/*at_submission=*/true)) return;
  m_queue.push_back(std::move(operation));
}

void AheadBackend::run(const Operation& operation) {
  if (operation.is_mark) {
    ++m_last_run_mark;
  } else if (!m_failure && !is_failing(/*at_submission=*/false)) {
    operation.run();
  }
}

void AheadBackend::run_all() {
  while (!m_queue.empty()) {
    run(m_queue.front());
    m_queue.pop_front();
  }
}

Result<void> AheadBackend::take_failure() {
  if (!m_failure) return {};
  const Error failure = *m_failure;
  if (failure.code != ErrorCode::kDevice) m_failure.reset();
  return failure;
}

Result<void> AheadBackend::synchronize() {
  run_all();
  return take_failure();
}

uint64_t AheadBackend::mark() {
  CHECK(m_recorded == nullptr);
  m_queue.push_back({.is_mark = true});
  const int num_open = static_cast<int>(++m_last_mark - m_last_run_mark);
  CHECK(num_open <= 2);
  if (num_open > 1) ++m_control->num_ahead;
  m_control->max_open_marks = std::max(m_control->max_open_marks, num_open);
  return m_last_mark;
}

Result<void> AheadBackend::wait_for(uint64_t mark) {
  CHECK(mark <= m_last_mark);
  while (m_last_run_mark < mark) {
    run(m_queue.front());
    m_queue.pop_front();
  }
  return take_failure();
}

void AheadBackend::launch_graph(uint64_t key, const std::function<void()>& operations) {
  const auto [step, is_new] = m_steps.try_emplace(key);
  if (is_new) {
    m_recorded = &step->second;
    operations();
    m_recorded = nullptr;
  } else {
    ++m_control->num_replayed;
  }
  for (const auto& operation : step->second) submit(operation);
}

// Operations -------------------------------------------------------------------------------------

Result<std::unique_ptr<LinearWeight>> AheadBackend::pack_linear(
    std::span<const ConstTensorView> parts) {
  auto weight = m_cpu->pack_linear(parts);
  if (!weight) return weight.error();
  return std::unique_ptr<LinearWeight>(new AheadWeight(*this, std::move(*weight)));
}

void AheadBackend::embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                         float scale) {
  submit([=, this, weight = of_cpu(table)] {
    std::vector<int32_t> known(ids.as<int32_t>(), ids.as<int32_t>() + ids.dim(0));
    // What comes of a token that could not be drawn is not used.
    for (int32_t& id : known) id = std::max(id, 0);
    m_cpu->embed(out, *weight, ConstTensorView(known.data(), DType::kI32, {ids.dim(0)}), scale);
  });
}

void AheadBackend::linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                          ConstTensorView bias) {
  submit([=, this, packed = of_cpu(weight)] { m_cpu->linear(out, x, *packed, bias); });
}

void AheadBackend::rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) {
  submit([=, this] { m_cpu->rms_norm(out, x, weight, eps); });
}

void AheadBackend::add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                                ConstTensorView weight, float eps) {
  submit([=, this] { m_cpu->add_rms_norm(out, residual, delta, weight, eps); });
}

void AheadBackend::add(TensorView x, ConstTensorView y) {
  submit([=, this] { m_cpu->add(x, y); });
}

void AheadBackend::scale(TensorView x, float factor) {
  submit([=, this] { m_cpu->scale(x, factor); });
}

void AheadBackend::soft_cap(TensorView x, float cap) {
  submit([=, this] { m_cpu->soft_cap(x, cap); });
}

void AheadBackend::rope_cos_sin(TensorView cos_sin, ConstTensorView positions,
                                ConstTensorView inv_freq, float scale) {
  submit([=, this] { m_cpu->rope_cos_sin(cos_sin, positions, inv_freq, scale); });
}

void AheadBackend::rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                                  ConstTensorView cos_sin, ConstTensorView slot_mapping,
                                  KvLayerView kv) {
  submit([=, this] { m_cpu->rope_and_store(q, k, v, cos_sin, slot_mapping, kv); });
}

// The CPU knows no sequences without a context; their rows hold anything.
void AheadBackend::attention(TensorView out, ConstTensorView q, KvLayerView kv,
                             const AttentionBatch& batch, const AttentionParams& params) {
  submit([=, this] {
    const auto* context_len = batch.context_len.as<int32_t>();
    int64_t sequences = batch.context_len.dim(0);
    while (context_len[sequences - 1] == 0) --sequences;
    const int64_t rows = batch.query_start.as<int32_t>()[sequences];
    const TensorView rest = out.rows(rows, out.dim(0) - rows);
    std::fill_n(rest.as<float>(), rest.num_elements(), std::numeric_limits<float>::quiet_NaN());
    m_cpu->attention(out.rows(0, rows), q.rows(0, rows), kv,
                     {.query_start = batch.query_start.rows(0, sequences + 1),
                      .context_len = batch.context_len.rows(0, sequences),
                      .block_tables = batch.block_tables.rows(0, sequences)},
                     params);
  });
}

void AheadBackend::layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                              ConstTensorView bias, float eps) {
  submit([=, this] { m_cpu->layer_norm(out, x, weight, bias, eps); });
}

void AheadBackend::activate(TensorView x, const Activation& f) {
  submit([=, this] { m_cpu->activate(x, f); });
}

void AheadBackend::gate(TensorView x, ConstTensorView gate) {
  submit([=, this] { m_cpu->gate(x, gate); });
}

void AheadBackend::multiply(TensorView x, ConstTensorView y) {
  submit([=, this] { m_cpu->multiply(x, y); });
}

void AheadBackend::position_scales(TensorView out, ConstTensorView positions,
                                   const PositionScale& params) {
  submit([=, this] { m_cpu->position_scales(out, positions, params); });
}

void AheadBackend::gaussian_top_k(TensorView x, float multiplier) {
  submit([=, this] { m_cpu->gaussian_top_k(x, multiplier); });
}

void AheadBackend::match_magnitude(TensorView x, ConstTensorView y) {
  submit([=, this] { m_cpu->match_magnitude(x, y); });
}

void AheadBackend::gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                              const GatedNormParams& params) {
  submit([=, this] { m_cpu->gated_norm(x, gate, weight, params); });
}

void AheadBackend::causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight,
                               ConstTensorView bias, TensorView states, const StateBatch& batch,
                               bool silu) {
  submit([=, this] { m_cpu->causal_conv(out, x, weight, bias, states, batch, silu); });
}

void AheadBackend::gated_delta(TensorView out, ConstTensorView q, ConstTensorView k,
                               ConstTensorView v, ConstTensorView alpha, ConstTensorView beta,
                               TensorView states, const StateBatch& batch,
                               const GatedDeltaParams& params) {
  submit([=, this] { m_cpu->gated_delta(out, q, k, v, alpha, beta, states, batch, params); });
}

void AheadBackend::mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b,
                               ConstTensorView c, ConstTensorView dt, TensorView states,
                               const StateBatch& batch, const Mamba2Params& params) {
  submit([=, this] { m_cpu->mamba2_scan(out, x, b, c, dt, states, batch, params); });
}

void AheadBackend::glu(TensorView out, ConstTensorView gate_up, const GluParams& params) {
  submit([=, this] { m_cpu->glu(out, gate_up, params); });
}

void AheadBackend::route_experts(TensorView expert_ids, TensorView expert_weights,
                                 ConstTensorView router_logits, const RouteParams& params) {
  submit([=, this] { m_cpu->route_experts(expert_ids, expert_weights, router_logits, params); });
}

void AheadBackend::linear_experts(TensorView out, ConstTensorView x,
                                  std::span<const LinearWeight* const> experts,
                                  ConstTensorView biases, ConstTensorView expert_ids) {
  std::vector<const LinearWeight*> packed;
  for (const LinearWeight* expert : experts) packed.push_back(of_cpu(*expert));
  submit([=, this] { m_cpu->linear_experts(out, x, packed, biases, expert_ids); });
}

void AheadBackend::linear_heads(TensorView out, ConstTensorView x,
                                std::span<const LinearWeight* const> heads) {
  std::vector<const LinearWeight*> packed;
  for (const LinearWeight* head : heads) packed.push_back(of_cpu(*head));
  submit([=, this] { m_cpu->linear_heads(out, x, packed); });
}

void AheadBackend::mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) {
  submit([=, this] { m_cpu->mix_experts(out, x, expert_weights); });
}

void AheadBackend::gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) {
  submit([=, this] { m_cpu->gather_rows(out, x, rows); });
}

void AheadBackend::sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) {
  submit([=, this, rows = std::vector(batch.rows.begin(), batch.rows.end()),
          seen_ids = std::vector(batch.seen_ids.begin(), batch.seen_ids.end()),
          output_counts = std::vector(batch.output_counts.begin(), batch.output_counts.end()),
          bias_ids = std::vector(batch.bias_ids.begin(), batch.bias_ids.end()),
          biases = std::vector(batch.biases.begin(), batch.biases.end()),
          allowed_words = std::vector(batch.allowed_words.begin(), batch.allowed_words.end())] {
    if (std::exchange(m_control->spoils_logits, false)) logits.as<float>()[0] = NAN;
    m_cpu->sample(token_ids, logits,
                  {.rows = rows,
                   .seen_ids = seen_ids,
                   .output_counts = output_counts,
                   .bias_ids = bias_ids,
                   .biases = biases,
                   .allowed_words = allowed_words});
  });
}

}  // namespace quire
