#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/backend.h"
#include "kernels/parallel_memory.h"

namespace quire {

/// Several devices that compute every layer together (tensor parallelism).
///
/// A weight's outputs are divided among the devices, and so are the KV heads, with their pages and
/// the queries of them. Each device computes some numbers of each row, and gets the others' from
/// them (DeviceLinks::all_gather). As every number is computed by one device, over all its inputs
/// and in the order of its kernels, results have the bits that one device gives. (Dividing the
/// inputs of every second product, as others do, takes half as many exchanges, but adds up in
/// another order.) Everything else is computed on each device. Small weights are not divided: an
/// exchange would take longer.
///
/// One exception to the bits: a part in FP8, int8, NF4 or four bits with a scale that its format
/// cannot hold is stored in f32 (cuda/weights/linear_packer.h), here only on the device that has
/// that scale. input_dtype() is always f32, because parts of rows are exchanged in f32.
///
/// The memory that it allocates has addresses that only it understands (ParallelMemory).
class TensorParallelBackend final : public Backend {
 public:
  struct Options {
    /// Weights of fewer outputs are not divided.
    int64_t fewest_outputs = 1024;
  };
  /// At least two devices; join_devices() connects them.
  TensorParallelBackend(std::vector<std::unique_ptr<Backend>> devices,
                        std::unique_ptr<DeviceLinks> links, const Options& options);
  ~TensorParallelBackend() override;

  /// As measure_group() and separate_devices().
  Result<GroupSpeed> measure();
  std::vector<std::unique_ptr<Backend>> take_devices();

  DeviceInfo info() const override;
  bool supports_kv(DType dtype) const override { return m_devices[0]->supports_kv(dtype); }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  Result<std::unique_ptr<DeviceBuffer>> allocate_pages(size_t block_bytes, int64_t count,
                                                       int64_t num_heads) override;
  Result<std::unique_ptr<DeviceBuffer>> allocate_host(size_t bytes) override {
    return m_devices[0]->allocate_host(bytes);
  }
  void upload(void* dst, const void* host_src, size_t bytes) override;
  void download(void* host_dst, const void* src, size_t bytes) override;
  void copy(void* dst, const void* src, size_t bytes) override;
  Result<void> synchronize() override;
  uint64_t mark() override;
  Result<void> wait_for(uint64_t mark) override;
  bool captures_graphs() const override { return m_devices[0]->captures_graphs(); }
  void launch_graph(uint64_t key, const std::function<void()>& operations) override;

  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override;
  Result<void> reserve_scratch(const StepLimits& limits) override;

  // What is divided.
  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids, float scale) override;
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override;
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override;
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slot_mapping, KvLayerView kv) override;
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override;
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override;

  // What each device computes whole (tensor_parallel_rows.cpp).
  void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) override;
  void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight, ConstTensorView bias,
                  float eps) override;
  void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                    ConstTensorView weight, float eps) override;
  void add(TensorView x, ConstTensorView y) override;
  void scale(TensorView x, float factor) override;
  void soft_cap(TensorView x, float cap) override;
  void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                    float scale) override;
  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override;
  void begin_attention(const AttentionBatch& batch, const HostAttentionBatch& host) override;
  void activate(TensorView x, const Activation& f) override;
  void gate(TensorView x, ConstTensorView gate) override;
  void multiply(TensorView x, ConstTensorView y) override;
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
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override;
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override;
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override;

 private:
  class Weight;
  class OnDevice;
  /// Rows whose numbers the devices have not exchanged yet.
  struct Divided {
    TensorView out;
    void* slabs = nullptr;  ///< The devices' parts, or null if there was no memory.
    RowDivision division;
  };

  int num_devices() const { return static_cast<int>(m_devices.size()); }
  /// operation(backend, on) for each device. What is divided is exchanged first.
  template <typename Operation>
  void on_each(const Operation& operation);
  OnDevice on(int device) const;
  /// out[i] += biases[ids[i]] of biases (E, N), or of biases (N) without ids, where devices could
  /// not add their parts of them.
  void add_biases(TensorView out, ConstTensorView biases, ConstTensorView ids);

  /// Memory for `bytes` from each device, in one of two places. Null, and a failure noted, if there
  /// is none.
  void* slabs(int index, size_t bytes);
  /// Begins rows with that result, in one of the two places.
  Divided divide(TensorView out, int slab, const RowDivision& division);
  /// Where the device's own part of the rows is: (T, its numbers) f32.
  TensorView own_part(int device, const Divided& rows) const;
  /// Gives every device all numbers of the rows, in `out`.
  void exchange(const Divided& rows);
  void finish(const Divided& rows);
  void exchange_waiting();
  void note(Error error);

  std::vector<std::unique_ptr<Backend>> m_devices;
  std::unique_ptr<DeviceLinks> m_links;
  Options m_options;
  ParallelMemory m_memory;
  std::array<std::unique_ptr<DeviceBuffer>, 2> m_slabs;
  std::optional<Divided> m_waiting;  ///< The last operation's, which may go on with its parts.
  std::deque<std::vector<uint64_t>> m_marks;  ///< Of each device, those not waited for.
  int64_t m_widest = 0;            ///< Outputs of a divided weight, tables of tokens aside.
  uint64_t m_next_mark = 0;        ///< After the last of m_marks.
  std::optional<Error> m_failure;  ///< The first since synchronize().
};

}  // namespace quire
