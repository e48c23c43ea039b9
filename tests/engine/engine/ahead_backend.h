#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// What tests ask of the AheadBackends of a session, and what these notice. Outlives them.
struct AheadControl {
  /// The operation, counted from now, at which the device fails. At its submission, as launches do:
  /// what was submitted before still runs, and the failure is reported at once. Otherwise when it
  /// runs. kDevice stays until the device is opened again.
  struct Fault {
    int operations_left = 0;
    bool at_submission = false;
    ErrorCode code = ErrorCode::kDevice;
  };
  std::optional<Fault> fault;
  bool spoils_logits = false;  ///< Those of the next row that is drawn are no numbers.

  int max_open_marks = 0;
  int num_ahead = 0;     ///< Marks made while another was open: steps that ran ahead.
  int num_replayed = 0;  ///< Steps that were kept and came again.
  int num_failures = 0;
  /// Host memory that was used before a copy had come to it, changed before it was read, or left
  /// while a copy was still on its way.
  int num_violations = 0;
};

/// The CPU as the laziest device there may be: keeps steps, draws tokens, and runs nothing before
/// someone waits for it, and then no more than was waited for. Uploads read host memory when they
/// run; downloads spoil it at once and write it when they run. Memory is freed as CUDA frees it:
/// after all that was submitted.
class AheadBackend final : public Backend {
 public:
  AheadBackend(std::unique_ptr<Backend> cpu, std::shared_ptr<AheadControl> control);
  ~AheadBackend() override;

  /// The CPU's, so that both name blocks alike.
  DeviceInfo info() const override { return m_cpu->info(); }
  bool supports_kv(DType dtype) const override { return m_cpu->supports_kv(dtype); }
  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<DeviceBuffer>> allocate_host(size_t bytes) override;
  void upload(void* dst, const void* host_src, size_t bytes) override;
  void download(void* host_dst, const void* src, size_t bytes) override;
  void copy(void* dst, const void* src, size_t bytes) override;
  Result<void> synchronize() override;
  uint64_t mark() override;
  Result<void> wait_for(uint64_t mark) override;
  bool captures_graphs() const override { return true; }
  void launch_graph(uint64_t key, const std::function<void()>& operations) override;
  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override;
  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids, float scale) override;
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override;
  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override;
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override;
  void add(TensorView x, ConstTensorView y) override;
  void scale(TensorView x, float factor) override;
  void soft_cap(TensorView x, float cap) override;
  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float scale) override;
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override;
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override;
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override;
  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override;
  void activate(TensorView x, const Activation& f) override;
  void gate(TensorView x, ConstTensorView gate) override;
  void multiply(TensorView x, ConstTensorView y) override;
  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override;
  void gaussian_top_k(TensorView x, float multiplier) override;
  void match_magnitude(TensorView x, ConstTensorView y) override;
  void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                  const GatedNormParams& params) override;
  void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                   TensorView states, const StateBatch& batch, bool silu) override;
  void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                   ConstTensorView alpha, ConstTensorView beta, TensorView states,
                   const StateBatch& batch, const GatedDeltaParams& params) override;
  void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                   ConstTensorView dt, TensorView states, const StateBatch& batch,
                   const Mamba2Params& params) override;
  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, const RouteParams& params) override;
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override;
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override;
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override;
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override;

  /// Called when memory is freed: waits for all that was submitted, as cudaFree does. `begin`: of
  /// host memory that allocate_host gave, or null.
  void release(const std::byte* begin);

 private:
  using Bytes = std::pair<const std::byte*, const std::byte*>;
  /// An operation that waits to be run, and the host memory that it reads or writes then.
  struct Operation {
    std::function<void()> run;
    Bytes host = {};
    bool writes_host = false;
    bool is_mark = false;
  };
  using Step = std::vector<std::function<void()>>;

  void submit(std::function<void()> run) { submit(Operation{.run = std::move(run)}); }
  void submit(Operation operation);
  void run(const Operation& operation);
  void run_all();
  bool is_failing(bool at_submission);
  bool is_pinned(const Bytes& host) const;
  void note_transfers_left();
  bool is_awaited(const Bytes& host) const;
  Result<void> take_failure();

  std::unique_ptr<Backend> m_cpu;
  std::shared_ptr<AheadControl> m_control;
  std::deque<Operation> m_queue;
  uint64_t m_last_mark = 0;
  uint64_t m_last_run_mark = 0;
  std::unordered_map<uint64_t, Step> m_steps;  ///< Kept, by their keys.
  Step* m_recorded = nullptr;                  ///< While a step is submitted for the first time.
  std::map<const std::byte*, size_t> m_pinned;
  std::optional<Error> m_failure;
};

}  // namespace quire
