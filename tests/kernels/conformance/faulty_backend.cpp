#include "tests/kernels/conformance/faulty_backend.h"

#include <cmath>
#include <cstring>
#include <set>

namespace quire::test {
namespace {

class FaultyBackend final : public Backend {
 public:
  FaultyBackend(Backend& backend, Fault fault) : m_backend(backend), m_fault(fault) {}

  DeviceInfo info() const override { return m_backend.info(); }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    ++m_num_allocations;
    if (is_lost()) return lost();
    if (has(Fault::kNoMemory) && m_num_allocations % 3 != 1) {
      return Error{ErrorCode::kOutOfMemory, "There is no memory."};
    }
    Result<std::unique_ptr<DeviceBuffer>> buffer = m_backend.allocate(bytes);
    if (buffer && has(Fault::kDirtyMemory)) std::memset((*buffer)->data(), 1, bytes);
    return buffer;
  }
  void upload(void* dst, const void* src, size_t bytes) override {
    m_backend.upload(dst, src, bytes);
  }
  void download(void* dst, const void* src, size_t bytes) override {
    m_backend.download(dst, src, bytes);
  }
  void copy(void* dst, const void* src, size_t bytes) override { m_backend.copy(dst, src, bytes); }
  Result<void> synchronize() override {
    if (is_lost()) return lost();
    return m_backend.synchronize();
  }
  void launch_graph(uint64_t key, const std::function<void()>& operations) override {
    const bool is_new = m_keys.insert(key).second;
    if (is_new || !has(Fault::kStaleStep)) m_backend.launch_graph(key, operations);
  }

  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    if (has(Fault::kNoWeights)) return Error{ErrorCode::kOutOfMemory, "There is no memory."};
    if (is_lost()) return lost();
    if (!has(Fault::kWeightBit) || parts.size() != 1) return m_backend.pack_linear(parts);
    const ConstTensorView& part = parts[0];
    const auto bytes = static_cast<size_t>(dtype_span_bytes(part.dtype(), part.num_elements()));
    std::vector<uint8_t> damaged(bytes);
    std::memcpy(damaged.data(), part.data(), bytes);
    // Of bf16 the exponent's lowest; of quantised types the highest of a code or of a scale.
    damaged.back() ^= part.dtype() == DType::kBF16 ? 1 : 8;
    const ConstTensorView other(damaged.data(), part.dtype(), {part.dim(0), part.dim(1)});
    return m_backend.pack_linear(std::span(&other, 1));
  }

  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
             float factor) override {
    m_backend.embed(out, table, ids, has(Fault::kEmbedScale) ? factor * 1.01f : factor);
  }
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override {
    m_backend.linear(out, x, weight, has(Fault::kNoBias) ? ConstTensorView() : bias);
    float& first = *out.as<float>();
    if (has(Fault::kBatchDependence) && out.dim(0) >= 9) first = std::nextafter(first, HUGE_VALF);
  }
  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override {
    m_backend.rms_norm(out, x, weight, has(Fault::kNormEpsilon) ? 1e-20f : eps);
  }
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override {
    m_backend.add_rms_norm(out, residual, delta, weight, eps);
  }
  void add(TensorView x, ConstTensorView y) override { m_backend.add(x, y); }
  void scale(TensorView x, float factor) override { m_backend.scale(x, factor); }
  void soft_cap(TensorView x, float cap) override { m_backend.soft_cap(x, cap); }

  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float factor) override {
    std::vector<int32_t> moved;
    const int64_t T = positions.dim(0);
    for (int64_t t = 0; t < T; ++t) moved.push_back(positions.as<int32_t>()[t] + 1);
    const ConstTensorView others(moved.data(), DType::kI32, {T});
    m_backend.rope_cos_sin(cos_sin, has(Fault::kAngle) ? others : positions, inv_freq, factor);
  }
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override {
    if (slot_mapping.empty()) {
      return m_backend.rope_and_store(q, k, v, cos_sin, slot_mapping, kv);
    }
    std::vector<int32_t> moved;
    const int64_t T = slot_mapping.dim(0);
    const auto num_slots = static_cast<int32_t>(kv.keys.dim(0) * kBlockSize);
    for (int64_t t = 0; t < T; ++t) {
      moved.push_back((slot_mapping.as<int32_t>()[t] + 1) % num_slots);
    }
    const ConstTensorView others(moved.data(), DType::kI32, {T});
    m_backend.rope_and_store(q, k, v, cos_sin, has(Fault::kSlotShift) ? others : slot_mapping, kv);
  }

  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override {
    PositionScale other = params;
    if (has(Fault::kPositionScale)) ++other.offset;
    m_backend.position_scales(out, positions, other);
  }
  void begin_attention(const AttentionBatch& batch, const HostAttentionBatch& host) override {
    m_backend.begin_attention(batch, host);
  }
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override {
    AttentionParams other = params;
    if (has(Fault::kWindow) && params.sliding_window > 0) ++other.sliding_window;
    if (has(Fault::kChunk) && params.chunk_size > 1) ++other.chunk_size;
    if (!has(Fault::kLastKey)) return m_backend.attention(out, q, kv, batch, other);
    // Sequences of one row lose their last key.
    std::vector<int32_t> shorter;
    const auto* const start = batch.query_start.as<int32_t>();
    for (int64_t s = 0; s < batch.context_len.dim(0); ++s) {
      const int32_t context = batch.context_len.as<int32_t>()[s];
      shorter.push_back(start[s + 1] - start[s] == 1 && context > 1 ? context - 1 : context);
    }
    AttentionBatch less = batch;
    less.context_len = {shorter.data(), DType::kI32, {batch.context_len.dim(0)}};
    m_backend.attention(out, q, kv, less, other);
  }

  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override {
    GluParams other = params;
    if (has(Fault::kGluKind) && params.kind == GluParams::Kind::kGeluTanh) other = {};
    m_backend.glu(out, gate_up, other);
  }
  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override {
    m_backend.layer_norm(out, x, weight, has(Fault::kLayerNormBias) ? ConstTensorView() : bias,
                         eps);
  }
  void activate(TensorView x, const Activation& f) override {
    Activation other = f;
    if (has(Fault::kActivationKind) && f.kind == Activation::Kind::kGelu) other = {};
    m_backend.activate(x, other);
  }
  void gate(TensorView x, ConstTensorView gate) override {
    m_backend.gate(x, has(Fault::kGate) && gate.dim(1) > 1 ? gate.columns(0, 1) : gate);
  }
  void multiply(TensorView x, ConstTensorView y) override { m_backend.multiply(x, y); }
  void gaussian_top_k(TensorView x, float multiplier) override {
    m_backend.gaussian_top_k(x, multiplier);
  }
  void match_magnitude(TensorView x, ConstTensorView y) override {
    m_backend.match_magnitude(x, y);
  }
  void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                  const GatedNormParams& params) override {
    GatedNormParams other = params;
    if (has(Fault::kGatedNormOrder)) other.gate_first = false;
    m_backend.gated_norm(x, gate, weight, other);
  }
  void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                   TensorView states, const StateBatch& batch, bool silu) override {
    const std::vector<int32_t> none(static_cast<size_t>(batch.in.dim(0)), -1);
    StateBatch other = batch;
    if (has(Fault::kConvHistory)) other.in = {none.data(), DType::kI32, {batch.in.dim(0)}};
    m_backend.causal_conv(out, x, weight, bias, states, other, silu);
  }
  void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                   ConstTensorView alpha, ConstTensorView beta, TensorView states,
                   const StateBatch& batch, const GatedDeltaParams& params) override {
    const auto* const slots = batch.out.as<int32_t>();
    std::vector<int32_t> last(static_cast<size_t>(batch.out.dim(0)), -1);
    for (int64_t s = 1; s < batch.segment_start.dim(0); ++s) {
      const auto g = static_cast<size_t>(batch.segment_start.as<int32_t>()[s] - 1);
      last[g] = slots[g];
    }
    StateBatch other = batch;
    if (has(Fault::kStateSnapshot)) other.out = {last.data(), DType::kI32, {batch.out.dim(0)}};
    m_backend.gated_delta(out, q, k, v, alpha, beta, states, other, params);
  }
  void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                   ConstTensorView dt, TensorView states, const StateBatch& batch,
                   const Mamba2Params& params) override {
    m_backend.mamba2_scan(out, x, b, c, dt, states, batch, params);
    float& first = *out.as<float>();
    if (has(Fault::kScanSplit) && out.dim(0) == 1) first = std::nextafter(first, HUGE_VALF);
  }
  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, const RouteParams& params) override {
    m_backend.route_experts(expert_ids, expert_weights, router_logits, params);
    if (!has(Fault::kExpertOrder) || expert_ids.dim(1) < 2) return;
    for (int64_t t = 0; t < expert_ids.dim(0); ++t) {
      int32_t* const ids = expert_ids.as<int32_t>() + t * expert_ids.row_stride();
      const float* const w = expert_weights.as<float>() + t * expert_weights.row_stride();
      if (w[0] == w[1]) std::swap(ids[0], ids[1]);
    }
  }
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override {
    m_backend.linear_experts(out, x, experts, biases, expert_ids);
  }
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override {
    m_backend.linear_heads(out, x, heads);
  }
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override {
    m_backend.mix_experts(out, x, expert_weights);
  }
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override {
    m_backend.gather_rows(out, x, rows);
  }
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override {
    m_backend.sample(token_ids, logits, batch);
  }

 private:
  bool has(Fault fault) const { return m_fault == fault; }
  bool is_lost() const { return has(Fault::kLostDevice) && m_num_allocations >= 100; }
  static Error lost() { return {ErrorCode::kDevice, "The device is lost."}; }

  Backend& m_backend;
  Fault m_fault;
  int m_num_allocations = 0;
  std::set<uint64_t> m_keys;
};

}  // namespace

std::unique_ptr<Backend> make_faulty_backend(Backend& backend, Fault fault) {
  return std::make_unique<FaultyBackend>(backend, fault);
}

}  // namespace quire::test
