#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/graph_cache.h"
#include "kernels/cuda/host_staging.h"
#include "kernels/cuda/linear/cublas_gemm.h"
#include "kernels/cuda/nccl_links.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/weights/linear_packer.h"

namespace quire::cuda {

/// One NVIDIA GPU: each operation is one or a few kernels, submitted to one stream.
/// Thread: one thread at a time.
class CudaBackend final : public Backend {
 public:
  /// The GPU of that number, as the driver counts them. Errors: kUnsupported with the reason why it
  /// cannot be used, kDevice.
  static Result<std::unique_ptr<Backend>> create(int device, const BackendOptions& options);

  DeviceInfo info() const override;

  bool supports_kv(DType dtype) const override {
    return Backend::supports_kv(dtype) || dtype == DType::kF8E4M3 || dtype == DType::kI8;
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<DeviceBuffer>> allocate_host(size_t bytes) override {
    return allocate_pinned(*m_queue, bytes);
  }
  void upload(void* dst, const void* host_src, size_t bytes) override {
    m_staging->upload(dst, host_src, bytes);
  }
  void download(void* host_dst, const void* src, size_t bytes) override {
    m_staging->download(host_dst, src, bytes);
  }
  void copy(void* dst, const void* src, size_t bytes) override;
  Result<void> synchronize() override;
  uint64_t mark() override { return m_staging->mark(); }
  Result<void> wait_for(uint64_t mark) override;
  bool captures_graphs() const override { return m_graphs != nullptr; }
  void launch_graph(uint64_t key, const std::function<void()>& operations) override;
  Result<std::unique_ptr<DeviceLinks>> connect(std::span<Backend* const> devices) override;
  /// The same with that NCCL. The devices are CudaBackends.
  static Result<std::unique_ptr<DeviceLinks>> connect_by(const NcclLibrary& nccl,
                                                         std::span<Backend* const> devices);

  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override {
    return m_packer->pack(parts);
  }

  DType input_dtype(const LinearWeight& weight) const override {
    return cuda::input_dtype(*m_queue, weight);
  }

  /// Scratch memory grows with the steps. Errors: kUnsupported for heads that are too wide.
  Result<void> reserve_scratch(const StepLimits& limits) override;

  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids, float scale) override {
    cuda::embed(*m_queue, out, table, ids, scale);
  }
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override {
    cuda::linear(*m_queue, out, x, weight, bias, m_cublas.get());
  }
  void linear_glu(TensorView out, TensorView gate_up, ConstTensorView x,
                  const GluWeight& gate_and_up) override {
    const bool has_cublas = m_cublas != nullptr;
    if (!has_cublas && cuda::linear_glu(*m_queue, out, gate_up, x, gate_and_up)) return;
    Backend::linear_glu(out, gate_up, x, gate_and_up);
  }
  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override {
    cuda::rms_norm(*m_queue, out, x, weight, eps);
  }
  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override {
    cuda::layer_norm(*m_queue, out, x, weight, bias, eps);
  }
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override {
    cuda::add_rms_norm(*m_queue, out, residual, delta, weight, eps);
  }
  void add(TensorView x, ConstTensorView y) override { cuda::add(*m_queue, x, y); }
  void scale(TensorView x, float factor) override { cuda::scale(*m_queue, x, factor); }
  void soft_cap(TensorView x, float cap) override { cuda::soft_cap(*m_queue, x, cap); }
  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float scale) override {
    cuda::rope_cos_sin(*m_queue, cos_sin, positions, inv_freq, scale);
  }
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override {
    cuda::rope_and_store(*m_queue, q, k, v, cos_sin, slot_mapping, kv);
  }
  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override {
    cuda::position_scales(*m_queue, out, positions, params);
  }
  void begin_attention(const AttentionBatch& batch, const HostAttentionBatch& host) override {
    m_attention->begin(batch, host);
  }
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override {
    m_attention->run(out, q, kv, batch, params);
  }
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override {
    cuda::glu(*m_queue, out, gate_up, params);
  }
  void activate(TensorView x, const Activation& f) override { cuda::activate(*m_queue, x, f); }
  void gate(TensorView x, ConstTensorView gate) override { cuda::gate(*m_queue, x, gate); }
  void multiply(TensorView x, ConstTensorView y) override { cuda::multiply(*m_queue, x, y); }
  void gaussian_top_k(TensorView x, float multiplier) override {
    cuda::gaussian_top_k(*m_queue, x, multiplier);
  }
  void match_magnitude(TensorView x, ConstTensorView y) override {
    cuda::match_magnitude(*m_queue, x, y);
  }
  void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                  const GatedNormParams& params) override {
    cuda::gated_norm(*m_queue, x, gate, weight, params);
  }
  void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                   TensorView states, const StateBatch& batch, bool silu) override {
    cuda::causal_conv(*m_queue, out, x, weight, bias, states, batch, silu);
  }
  void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                   ConstTensorView alpha, ConstTensorView beta, TensorView states,
                   const StateBatch& batch, const GatedDeltaParams& params) override {
    cuda::gated_delta(*m_queue, out, q, k, v, alpha, beta, states, batch, params);
  }
  void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                   ConstTensorView dt, TensorView states, const StateBatch& batch,
                   const Mamba2Params& params) override {
    cuda::mamba2_scan(*m_queue, out, x, b, c, dt, states, batch, params);
  }
  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, const RouteParams& params) override {
    cuda::route_experts(*m_queue, expert_ids, expert_weights, router_logits, params);
  }
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override {
    cuda::linear_experts(*m_queue, out, x, experts, biases, expert_ids);
  }
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override {
    cuda::linear_heads(*m_queue, out, x, heads);
  }
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override {
    cuda::mix_experts(*m_queue, out, x, expert_weights);
  }
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override {
    cuda::gather_rows(*m_queue, out, x, rows);
  }
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override {
    cuda::sample(*m_queue, *m_staging, token_ids, logits, batch);
  }

  uint64_t num_graph_launches() const { return m_graphs == nullptr ? 0 : m_graphs->num_launches(); }

 private:
  CudaBackend() = default;

  // Each member may use the ones before it; they are destroyed in reverse order.
  std::unique_ptr<CommandQueue> m_queue;
  std::unique_ptr<HostStaging> m_staging;
  std::unique_ptr<GraphCache> m_graphs;
  std::unique_ptr<LinearPacker> m_packer;
  std::unique_ptr<PagedAttention> m_attention;
  std::unique_ptr<CublasGemm> m_cublas;  ///< Null if results may not depend on the batch.
  DeviceInfo m_info;
};

/// All GPUs of the driver in its order, usable or not; if there is none, one entry named "cuda"
/// whose reason says why: no driver, a driver that is too old, no GPU. Free memory is not included:
/// the query would need a context on each GPU, which takes memory.
std::vector<DeviceInfo> list_gpus();

/// The GPU of that number; `available` and `reason` say whether Quire can use it. Errors:
/// kInvalidArgument with the number of GPUs, kUnsupported if there is no driver or no GPU.
Result<DeviceInfo> describe_gpu(int device);

}  // namespace quire::cuda
