#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/thread_pool.h"

namespace quire::cpu {

struct LinearRun;
struct LinearTask;

/// Rows of inputs that were rounded at once: by row its first chunk, the others so many chunks
/// apart.
template <class Element>
struct RoundedInputs {
  const Element* const* rows;
  int64_t chunks_apart;
};

/// The CPU as a Backend. Operations have run when they return, so synchronize() has nothing to do.
///
/// Every operation checks its shapes, narrows its views to pointers once and divides the work among
/// the threads; what is divided never changes a result (see cpu_kernels.h).
/// Thread: as Backend. Invariants: m_scratch has one buffer a thread.
class CpuBackend final : public Backend {
 public:
  /// round_inputs: as BackendOptions.
  CpuBackend(const CpuKernels& kernels, int num_threads, bool round_inputs);

  /// The CPU without the cost of a backend: what list_devices() prints.
  static DeviceInfo describe(const CpuKernels& kernels, int num_threads, bool round_inputs);

  DeviceInfo info() const override;
  bool keeps_kv(DType dtype) const override {
    return Backend::keeps_kv(dtype) || dtype == DType::kI8;
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override;
  void upload(void* dst, const void* host_src, size_t bytes) override;
  void download(void* host_dst, const void* src, size_t bytes) override;
  void copy(void* dst, const void* src, size_t bytes) override;
  Result<void> synchronize() override { return {}; }

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
                      ConstTensorView slots, KvLayerView kv) override;
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override;
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override;
  void route_experts(TensorView expert_ids, TensorView expert_weights,
                     ConstTensorView router_logits, bool renormalize) override;
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override;
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override;

 private:
  /// fn(row), or fn(row, thread), for each row; several threads only if rows * row_elements is
  /// worth waking them.
  template <typename Fn>
  void for_each_row(int64_t num_rows, int64_t row_elements, Fn fn);

  /// All runs, their panels shared among the threads.
  void run_linear(std::span<const LinearRun> runs);
  void run_task(const LinearTask& task);
  /// rows, num_inputs long each, as LinearBlock wants them; null if there is no memory for that.
  const float* regroup_inputs(std::span<const float* const> rows, int64_t num_inputs);
  /// rows, num_inputs long each, as LinearInt8 wants them.
  RoundedInputs<Int8Chunk> round_inputs(std::span<const float* const> rows, int64_t num_inputs);
  /// The same as LinearBf16 wants them.
  RoundedInputs<uint16_t> round_to_bf16(std::span<const float* const> rows, int64_t num_inputs);
  bool rounds_to_bf16() const { return m_rounds_inputs && m_kernels.linear_bf16 != nullptr; }

  /// Makes the buffer at least that large; contents are not kept. Ends the program if there is no
  /// memory for it: other arithmetic instead would change what is computed.
  static void grow(std::unique_ptr<DeviceBuffer>& buffer, size_t bytes);
  /// Scratch memory of one thread, 64-byte aligned, grown on demand; contents are not kept.
  float* scratch(int thread, size_t num_floats);

  const CpuKernels& m_kernels;
  const bool m_rounds_inputs;
  ThreadPool m_pool;
  std::vector<std::unique_ptr<DeviceBuffer>> m_scratch;
  std::unique_ptr<DeviceBuffer> m_x_chunks;
  std::unique_ptr<DeviceBuffer> m_int8_chunks;
  std::vector<const Int8Chunk*> m_int8_rows;
  std::unique_ptr<DeviceBuffer> m_bf16_inputs;
  std::vector<const uint16_t*> m_bf16_rows;
  std::vector<float> m_attention_states;  ///< Of rows whose attention is cut (AttentionRow).
  std::vector<float> m_expert_outputs;    ///< Of rows that share an expert, in the experts' order.
};

}  // namespace quire::cpu
