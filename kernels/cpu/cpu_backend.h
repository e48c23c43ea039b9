#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/cpu_memory.h"
#include "kernels/cpu/sampling/row_sampler.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cpu/tuning/linear_tunings.h"
#include "kernels/cpu/weight_memory.h"
#include "kernels/cpu_tuning.h"

namespace quire::cpu {

struct LinearRun;
struct LinearTask;

/// The CPU as a Backend. Operations have run when they return.
///
/// Every operation checks its shapes, narrows its views to pointers once and divides the work among
/// the threads, which never changes a result (cpu_kernels.h).
/// Thread: as Backend. Invariants: m_thread_scratch has one buffer for each thread.
class CpuBackend final : public Backend {
 public:
  /// quantize_activations: as in BackendOptions.
  CpuBackend(const CpuKernels& kernels, int num_threads, bool quantize_activations);

  /// info() without creating a backend.
  static DeviceInfo describe(const CpuKernels& kernels, int num_threads, bool quantize_activations);

  /// The key under which measured choices are kept.
  static TuningKey tuning_key(const CpuKernels& kernels, int num_threads);
  /// Measures those of these formats for which there is a choice, uses the results and keeps them
  /// in the process's TuningTable. While other models of the process compute, this backend has only
  /// a part of its threads; then nothing is kept, and the next load measures. Errors: kOutOfMemory.
  Result<void> tune(std::span<const DType> dtypes);
  const LinearTunings& tunings() const { return m_tunings; }
  /// For tests.
  void set_tuning(DType dtype, const LinearTuning& tuning) {
    m_tunings[static_cast<size_t>(dtype)] = tuning;
  }

  DeviceInfo info() const override;
  bool supports_kv(DType dtype) const override {
    return Backend::supports_kv(dtype) || dtype == DType::kI8;
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) override {
    return allocate_buffer(bytes);
  }
  void upload(void* dst, const void* src, size_t bytes) override { copy(dst, src, bytes); }
  void download(void* dst, const void* src, size_t bytes) override { copy(dst, src, bytes); }
  void copy(void* dst, const void* src, size_t bytes) override {
    if (bytes > 0) std::memcpy(dst, src, bytes);
  }
  Result<void> synchronize() override { return {}; }

  Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) override;
  Result<void> reserve_scratch(const StepLimits& limits) override;
  bool observe_linear(LinearObserver* observer) override {
    m_observer = observer;
    return true;
  }

  void embed(TensorView out, const LinearWeight& table, ConstTensorView ids, float scale) override;
  void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
              ConstTensorView bias) override;
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
  void rope_and_store(TensorView q, TensorView k, ConstTensorView v, ConstTensorView cos_sin,
                      ConstTensorView slots, KvLayerView kv) override;
  void position_scales(TensorView out, ConstTensorView positions,
                       const PositionScale& params) override;
  void attention(TensorView out, ConstTensorView q, KvLayerView kv, const AttentionBatch& batch,
                 const AttentionParams& params) override;
  void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) override;
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
  void linear_experts(TensorView out, ConstTensorView x,
                      std::span<const LinearWeight* const> experts, ConstTensorView biases,
                      ConstTensorView expert_ids) override;
  void linear_heads(TensorView out, ConstTensorView x,
                    std::span<const LinearWeight* const> heads) override;
  void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) override;
  void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) override;
  void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) override;

 private:
  /// fn(row) or fn(row, thread) for each row; one thread if rows * row_elements is small.
  template <typename Fn>
  void for_each_row(int64_t num_rows, int64_t row_elements, Fn fn) {
    // Below this many elements a row operation costs less than waking the other threads.
    constexpr int64_t kMinParallelElements = 32768;
    const int64_t rows_per_task =
        std::max<int64_t>(1, kMinParallelElements / 2 / std::max<int64_t>(1, row_elements));
    const int64_t num_tasks = num_rows * row_elements < kMinParallelElements
                                  ? 1
                                  : (num_rows + rows_per_task - 1) / rows_per_task;
    m_pool.parallel_for(num_tasks, [&](int64_t task, int thread) {
      const int64_t end = num_rows * (task + 1) / num_tasks;
      for (int64_t row = num_rows * task / num_tasks; row < end; ++row) {
        if constexpr (std::is_invocable_v<Fn, int64_t, int>) {
          fn(row, thread);
        } else {
          fn(row);
        }
      }
    });
  }

  /// A packed weight (num_outputs, num_inputs) for measuring, whose bytes are all the same. They
  /// are ordinary numbers in every format: infinite or subnormal ones could be slower. Errors:
  /// kOutOfMemory.
  Result<std::unique_ptr<LinearWeight>> uniform_weight(DType dtype, int64_t num_outputs,
                                                       int64_t num_inputs);
  /// Measures the candidates with num_rows rows for about budget_seconds, adds their speeds to the
  /// format, and sets its choice.
  void compare(TunedFormat& format, const LinearWeight& weight, int num_rows,
               std::span<const LinearTuning> candidates, double budget_seconds);
  /// Measures the candidates with one row, and whether the GEMV is also faster with two.
  Result<TunedFormat> measure(DType dtype, std::span<const LinearTuning> candidates);
  /// As tune(), for a caller that holds TuningTable::measuring().
  Result<void> measure_all(std::span<const DType> dtypes);
  /// Applies the choices that the process's TuningTable has for the weights packed so far, and
  /// measures the others.
  void apply_tunings();

  void run_linear(std::span<const LinearRun> runs);
  /// Several weights of num_inputs inputs, each with rows of its own: those of the first run come
  /// first in `order`, which holds indices of `inputs`. The runs' activations are set here.
  void run_grouped(std::span<LinearRun> runs, std::span<const float* const> inputs,
                   std::span<const int64_t> order, int64_t num_inputs,
                   const ActivationFormats& formats);
  /// One weight's rows of activations, which are converted to the formats and multiplied.
  void run_rows(LinearRun run, std::span<const float* const> rows,
                const ActivationFormats& formats);
  void run_task(const LinearTask& task);
  /// The formats that any of these weights needs. All weights have num_outputs and num_inputs.
  ActivationFormats formats_for(std::span<const LinearWeight* const> weights, int64_t num_outputs,
                                int64_t num_inputs) const;
  // Convert rows of num_inputs activations to the layouts of LinearBlock, LinearInt8 and
  // LinearBf16. The first returns chunk 0 of row 0; the others return chunk 0 of each row, whose
  // chunks are chunk_stride(rows) apart. order: PackedLinear::input_order.
  const float* pack_activations(std::span<const float* const> rows, int64_t num_inputs,
                                const int32_t* order = nullptr);
  std::vector<const Int8Chunk*> quantize_activations(std::span<const float* const> rows,
                                                     int64_t num_inputs,
                                                     const int32_t* order = nullptr);
  std::vector<const uint16_t*> convert_to_bf16(std::span<const float* const> rows,
                                               int64_t num_inputs, const int32_t* order = nullptr);
  /// The row itself, or its numbers in that order, in the thread's scratch memory.
  const float* in_order(const float* row, const int32_t* order, int64_t num_inputs, int thread);
  bool computes_in_bf16() const {
    return m_quantizes_activations && m_kernels.linear_bf16 != nullptr;
  }

  /// Makes the buffer at least that large; its contents are lost. Errors: kOutOfMemory.
  static Result<void> grow(std::unique_ptr<DeviceBuffer>& buffer, size_t bytes);
  /// A scratch buffer of at least that size. Steps within reserve_scratch()'s limits never allocate
  /// here; other steps abort if there is no memory.
  template <typename T>
  static T* scratch(std::unique_ptr<DeviceBuffer>& buffer, size_t bytes) {
    CHECK(grow(buffer, bytes));
    return static_cast<T*>(buffer->data());
  }
  float* thread_scratch(int thread, size_t num_floats) {
    return scratch<float>(m_thread_scratch[static_cast<size_t>(thread)],
                          num_floats * sizeof(float));
  }

  const CpuKernels& m_kernels;
  const bool m_quantizes_activations;
  LinearObserver* m_observer = nullptr;
  ThreadPool m_pool;
  WeightFormats m_weight_formats;  ///< Of the weights packed so far.
  using PackedBytes = std::array<uint64_t, std::tuple_size_v<LinearTunings>>;
  PackedBytes m_packed_bytes{};  ///< Bytes of the weights packed so far, by DType.
  LinearTunings m_tunings;
  WeightMemory m_weight_memory;
  std::vector<std::unique_ptr<DeviceBuffer>> m_thread_scratch;
  std::vector<RowSampler> m_samplers;  ///< By thread.
  std::unique_ptr<DeviceBuffer> m_f32_chunks;
  std::unique_ptr<DeviceBuffer> m_int8_chunks;
  std::unique_ptr<DeviceBuffer> m_bf16_chunks;
  std::unique_ptr<DeviceBuffer> m_attention_states;  ///< States of rows whose attention is split.
  /// Floats of states that a plan may use; below kMaxStateFloats once scratch is reserved.
  int64_t m_max_state_floats;
};

}  // namespace quire::cpu
