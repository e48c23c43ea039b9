#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/result.h"
#include "kernels/batch_views.h"
#include "kernels/device_links.h"
#include "kernels/host_buffer.h"
#include "kernels/operation_params.h"

namespace quire {

/// A linear layer's weight (N outputs, K inputs) in the layout of its backend.
/// Made by Backend::pack_linear from any supported dtype; only that backend can use it.
class LinearWeight {
 public:
  virtual ~LinearWeight() = default;
  virtual int64_t num_outputs() const = 0;
  virtual int64_t num_inputs() const = 0;
  virtual size_t size_bytes() const = 0;
};

/// Sees which weights a backend packs, and what they are multiplied with. Thread: as Backend.
class LinearObserver {
 public:
  virtual ~LinearObserver() = default;
  /// pack_linear(parts) gave this weight.
  virtual void packed(const LinearWeight& weight, std::span<const ConstTensorView> parts) = 0;
  /// The weight is multiplied with one more row of num_inputs() activations, in host memory.
  virtual void multiplied(const LinearWeight& weight, const float* row) = 0;
};

/// What a device is, for `inspect --devices` and the engine's page.
struct DeviceInfo {
  std::string name;         ///< "cpu", "cuda:0".
  std::string description;  ///< "Intel Xeon, AVX-512, 2 threads".
  uint64_t total_bytes = 0;
  uint64_t free_bytes = 0;
  bool available = false;
  std::string reason;  ///< Why it is not available; empty if it is.
  /// Whether the memory belongs to the device (a GPU); otherwise it is shared with other programs.
  bool has_own_memory = false;
  DType kv_dtype = DType::kF32;    ///< The default for keys and values.
  bool keys_by_dimension = false;  ///< Pages of keys are (D, kBlockSize) (KvLayerView).
  /// CPU only: 16-bit weights, and keys and values in bf16, are multiplied in bf16
  /// (BackendOptions::quantize_activations).
  bool computes_in_bf16 = false;
  /// More than one: GPUs that compute every layer together ("cuda:0+cuda:1"); the bytes are those
  /// of all.
  int num_devices = 1;

  /// The copies of a layer's keys and values that they keep: one, if each can have as many KV
  /// heads.
  int page_copies(int64_t num_kv_heads) const {
    return num_kv_heads % num_devices == 0 ? 1 : num_devices;
  }
};

/// The largest step that will run (Backend::reserve_scratch).
struct StepLimits {
  struct Activations {
    int64_t num_rows;
    int64_t num_inputs;
    int64_t experts_per_row = 1;
  };
  std::vector<Activations> activations;  ///< x of linear and linear_experts, by number of inputs.
  int64_t num_heads = 1;
  int64_t num_kv_heads = 1;
  int64_t head_dim = 1;   ///< Of queries and keys.
  int64_t value_dim = 0;  ///< 0: as head_dim.
  /// Of the largest state of a recurrent head: Dk and Dv, or P and N; 0 without.
  int64_t state_rows = 0;
  int64_t state_columns = 0;
  int64_t max_context = 0;  ///< Tokens of a sequence.
  int64_t max_sequences = 0;
};

/// What linear_glu() multiplies with, (2 F, K), the gate first, and how it joins the two.
struct GluWeight {
  const LinearWeight& weight;
  ConstTensorView bias;  ///< (2 F) f32 or empty.
  const GluParams& params;
};

/// Arithmetic on one device: memory, and one virtual function an operation.
///
/// Asynchronous: an operation may return before it has run; operations run in the order of their
/// calls; host memory passed to them must stay valid and unchanged until synchronize().
/// Batch invariance: the result for a row depends neither on the number of rows nor on their order;
/// the order of every reduction is fixed by the row's own shape.
/// Wrong shapes and dtypes are programmer mistakes (CHECK); device failures are reported by
/// synchronize().
/// Thread: one thread at a time.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual DeviceInfo info() const = 0;

  /// Whether keys and values can have this dtype.
  virtual bool supports_kv(DType dtype) const {
    return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
  }

  // Memory ---------------------------------------------------------------------------------
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate(size_t bytes) = 0;
  /// Memory for `count` blocks of one layer's keys, values or scales: each has block_bytes, which
  /// num_heads KV heads take equal parts of, one after another. Several devices that compute one
  /// layer together may each keep some of the heads.
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate_pages(size_t block_bytes, int64_t count,
                                                               int64_t /*num_heads*/) {
    return allocate(block_bytes * static_cast<size_t>(count));
  }
  /// Host memory for fast copies to and from this device (pinned), 64-byte aligned, contents
  /// undefined. Errors: kOutOfMemory.
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate_host(size_t bytes) {
    return allocate_plain_host(bytes);
  }
  /// Host to device, device to host: dst and src hold the same number of bytes.
  virtual void upload(void* dst, const void* host_src, size_t bytes) = 0;
  virtual void download(void* host_dst, const void* src, size_t bytes) = 0;
  /// Device to device; the ranges do not overlap.
  virtual void copy(void* dst, const void* src, size_t bytes) = 0;
  /// Waits for everything submitted; reports the first failure since the last call.
  virtual Result<void> synchronize() = 0;
  /// Marks the work submitted so far; wait_for() waits for it, downloads included, but not for
  /// later work. Marks are waited for in order; at most two are open.
  virtual uint64_t mark() { return 0; }
  virtual Result<void> wait_for(uint64_t /*mark*/) { return synchronize(); }

  /// Whether launch_graph uses CUDA graphs, so that padding batches to recurring shapes pays off.
  virtual bool captures_graphs() const { return false; }

  /// Runs `operations`, captures them as a CUDA graph, or launches the graph captured for `key`.
  /// Operations of one key differ only in the contents of device memory, not in pointers, shapes or
  /// parameters; they neither allocate nor upload.
  virtual void launch_graph(uint64_t /*key*/, const std::function<void()>& operations) {
    operations();
  }

  /// Connects these devices, of which this is the first, so that they can compute every layer
  /// together (tensor_parallel.h). Errors: kUnsupported with the reason.
  virtual Result<std::unique_ptr<DeviceLinks>> connect(std::span<Backend* const> /*devices*/) {
    return make_error(ErrorCode::kUnsupported,
                      "The device %1 cannot compute layers together with others.", {info().name});
  }

  // Weights --------------------------------------------------------------------------------
  /// Packs a weight (N, K) of any weight dtypes from host memory, which is not referenced after the
  /// call and may be a mapped file. Parts with the same K are concatenated along N (fused QKV, gate
  /// and up), of any row strides; an order of inputs and scales may follow (base/weight_parts.h).
  virtual Result<std::unique_ptr<LinearWeight>> pack_linear(
      std::span<const ConstTensorView> parts) = 0;

  /// Allocates the scratch memory of steps up to these limits with the weights packed so far, so
  /// that no such step can fail for lack of memory. Errors: kOutOfMemory.
  virtual Result<void> reserve_scratch(const StepLimits& /*limits*/) { return {}; }

  /// From now on `observer` sees what linear() and linear_experts() multiply, until it is null
  /// again. False if this backend cannot show it.
  virtual bool observe_linear(LinearObserver* /*observer*/) { return false; }

  /// The dtype in which linear() and linear_experts() read x for this weight: kF32, or kF16, kBF16
  /// or kI8, to which they round f32. Then x may also have been written as such quantised
  /// activations (base/quantized_activations.h) by what says so below, and the results have the
  /// bits of an x in f32. Nothing else reads them.
  virtual DType input_dtype(const LinearWeight& /*weight*/) const { return DType::kF32; }

  // Operations -----------------------------------------------------------------------------
  /// out[t] = row ids[t] of table * scale. out: (T, C) f32; table: (V, C), packed as for linear(),
  /// so that tied embeddings are one weight; ids: (T) i32, each in [0, V).
  virtual void embed(TensorView out, const LinearWeight& table, ConstTensorView ids,
                     float scale) = 0;

  /// out = x W^T + bias. out: (T, N) f32; x: (T, K) f32 or input_dtype(); bias: (N) f32 or empty.
  /// No aliasing.
  virtual void linear(TensorView out, ConstTensorView x, const LinearWeight& weight,
                      ConstTensorView bias) = 0;

  /// out = x / sqrt(mean(x^2) + eps) * weight, per row (arXiv:1910.07467, eq. 4).
  /// out, x: (T, C) f32, any row stride, may alias; weight: (C) f32. Or out, x: (T, H, D), any row
  /// stride, and weight (D): each head is normed as a row. Or out: (T, C) quantised activations, no
  /// aliasing.
  virtual void rms_norm(TensorView out, ConstTensorView x, ConstTensorView weight, float eps) = 0;

  /// out = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) * weight + bias, per row
  /// (arXiv:1607.06450). As rms_norm; bias: as weight, or empty.
  virtual void layer_norm(TensorView out, ConstTensorView x, ConstTensorView weight,
                          ConstTensorView bias, float eps) = 0;

  /// residual += delta; out = rms_norm(residual). All (T, C) f32; out may alias delta, or is
  /// quantised activations that do not.
  virtual void add_rms_norm(TensorView out, TensorView residual, ConstTensorView delta,
                            ConstTensorView weight, float eps) = 0;

  /// x += y. Both (T, C) f32.
  virtual void add(TensorView x, ConstTensorView y) = 0;

  /// x *= factor. (T, C) f32.
  virtual void scale(TensorView x, float factor) = 0;

  /// x = cap * tanh(x / cap), cap > 0. (T, C) f32.
  virtual void soft_cap(TensorView x, float cap) = 0;

  /// The rotation of each row: angle = position * inv_freq[i], computed in f32 as Hugging Face
  /// does. cos_sin: (T, 2 * R) f32, the R cosines then the R sines, both times `scale` (YaRN's
  /// attention factor; 1 otherwise); positions: (T) i32; inv_freq: (R) f32, R = half the rotated
  /// dimensions.
  virtual void rope_cos_sin(TensorView cos_sin, ConstTensorView positions, ConstTensorView inv_freq,
                            float scale) = 0;

  /// Rotates the halves of the first 2 R dimensions of every head of q and k in place
  /// (arXiv:2104.09864, in the half-split order of Hugging Face: dimension i pairs with i + R), and
  /// writes k and v into the pages. q: (T, H, D) f32; k: (T, Hkv, D) f32; v: (T, Hkv, Dv) f32, all
  /// with any row stride; v may be dimensions of k that are not rotated; slot_mapping: (T) i32,
  /// block * kBlockSize + offset, or -1 to write nothing; empty: nothing is written. With a cos_sin
  /// of no columns nothing is rotated. Hkv may be 0, for layers that read the pages of another one:
  /// then only q is rotated, whatever kv is.
  virtual void rope_and_store(TensorView q, TensorView k, ConstTensorView v,
                              ConstTensorView cos_sin, ConstTensorView slot_mapping,
                              KvLayerView kv) = 0;

  /// out: (T, 1) f32, the factors of the positions (T) i32; log in f32 as the C library has it.
  virtual void position_scales(TensorView out, ConstTensorView positions,
                               const PositionScale& params) = 0;

  /// Sets the batch for the attention() calls that follow; called again whenever its contents
  /// change. `host` is not referenced after the call.
  virtual void begin_attention(const AttentionBatch& /*batch*/,
                               const HostAttentionBatch& /*host*/) {}

  /// Causal softmax attention of that batch over paged keys and values (arXiv:2309.06180).
  /// out: (T, H, Dv) f32, dense, or quantised activations of H Dv columns, in i8 only where Dv is a
  /// multiple of kQuantizedRowGroup; q: (T, H, D) f32, any row stride; H is a multiple of Hkv, and
  /// query head h reads KV head h / (H / Hkv). A row at position p sees the keys 0..p of its
  /// sequence.
  virtual void attention(TensorView out, ConstTensorView q, KvLayerView kv,
                         const AttentionBatch& batch, const AttentionParams& params) = 0;

  /// out: (T, F) f32 or quantised activations; gate_up: (T, 2 F) f32, the gate's columns first.
  virtual void glu(TensorView out, ConstTensorView gate_up, const GluParams& params) = 0;

  /// glu(out, linear(x)): the bits of linear() followed by glu(), which a backend may fuse.
  /// out: (T, F) f32 or quantised activations; x: (T, K) as for linear(). gate_up: (T, 2 F) f32,
  /// scratch; its contents are undefined afterwards. No aliasing.
  virtual void linear_glu(TensorView out, TensorView gate_up, ConstTensorView x,
                          const GluWeight& gate_and_up) {
    linear(gate_up, x, gate_and_up.weight, gate_and_up.bias);
    glu(out, gate_up, gate_and_up.params);
  }

  /// x = f(x). (T, F) f32.
  virtual void activate(TensorView x, const Activation& f) = 0;

  /// x *= sigmoid(gate). x: (T, C) f32; gate: (T, C), or (T, 1) for a row's all columns.
  virtual void gate(TensorView x, ConstTensorView gate) = 0;

  /// x *= y. Both f32, any row stride. x: (T, C); y: (T, C), or (T, 1) for a row's all columns.
  virtual void multiply(TensorView x, ConstTensorView y) = 0;

  /// x = max(0, x - mean(x) - multiplier std(x)), per row; the standard deviation is that of the
  /// row itself (Gemma 3n's sparse activations). (T, F) f32, any row stride.
  virtual void gaussian_top_k(TensorView x, float multiplier) = 0;

  /// x *= sqrt(mean(y^2) / max(mean(x^2), 1e-5)), per row (Gemma 3n). Both (T, C) f32, any row
  /// stride.
  virtual void match_magnitude(TensorView x, ConstTensorView y) = 0;

  /// RMS norm of each group of columns, with a gate. x: (T, C) f32, in place; gate: (T, C); both
  /// any row stride; weight: (C), or (group_size) for every group.
  virtual void gated_norm(TensorView x, ConstTensorView gate, ConstTensorView weight,
                          const GatedNormParams& params) = 0;

  // Recurrent layers: a row's result depends on its sequence's rows and state alone, to the bit ---
  /// out[t, c] = f(bias[c] + sum over k of weight[c, k] x[t - (K - 1) + k, c]), f silu or the
  /// identity; rows before the sequence's first are from its state. out, x: (T, C) f32, any row
  /// stride, no aliasing; weight: (C, K) f32, K at most kMaxConvInputs; bias: (C) f32 or empty;
  /// states: (slots, K - 1, C) f32, the last inputs, oldest first.
  virtual void causal_conv(TensorView out, ConstTensorView x, ConstTensorView weight,
                           ConstTensorView bias, TensorView states, const StateBatch& batch,
                           bool silu) = 0;

  /// The gated delta rule (arXiv:2412.06464) token by token. q and k are normed by head, x /
  /// sqrt(sum x^2 + eps), and q multiplied by 1 / sqrt(Dk); decay = exp(a softplus(alpha +
  /// dt_bias)); S = decay S; S += k (sigmoid(beta) (v - S^T k))^T; out = S^T q. out: (T, Hv, Dv)
  /// f32, dense; q, k: (T, Hk, Dk) f32; v: (T, Hv, Dv) f32; alpha, beta: (T, Hv) f32; these any row
  /// stride; states: (slots, Hv, Dk, Dv) f32. No aliasing. On GPUs Dk is at most 256.
  virtual void gated_delta(TensorView out, ConstTensorView q, ConstTensorView k, ConstTensorView v,
                           ConstTensorView alpha, ConstTensorView beta, TensorView states,
                           const StateBatch& batch, const GatedDeltaParams& params) = 0;

  /// Mamba 2 (arXiv:2405.21060) token by token: dt = clamp(softplus(dt + dt_bias), dt_min, dt_max);
  /// S = exp(dt a) S + dt x B^T; out = S C + d x. out: (T, H, P) f32, dense; x: (T, H, P) f32;
  /// b, c: (T, G, N) f32, head h has group h / (H / G); dt: (T, H) f32; these any row stride;
  /// states: (slots, H, P, N) f32. No aliasing. On GPUs N is at most 256.
  virtual void mamba2_scan(TensorView out, ConstTensorView x, ConstTensorView b, ConstTensorView c,
                           ConstTensorView dt, TensorView states, const StateBatch& batch,
                           const Mamba2Params& params) = 0;

  // Mixture of experts (arXiv:2101.03961): k of E experts a token ------------------------------
  /// The top k experts of each row by their scores and bias in descending order, ties by lower id.
  /// expert_ids: (T, k) i32; expert_weights: (T, k) f32, their scores, as `params` says;
  /// router_logits: (T, E) f32, k at most the experts of top_groups.
  virtual void route_experts(TensorView expert_ids, TensorView expert_weights,
                             ConstTensorView router_logits, const RouteParams& params) = 0;

  /// out[i] = x[j] experts[e]^T + biases[e], e the i-th of expert_ids: j = i / k for x (T, K), or i
  /// for x (T k, K). out: (T k, N) f32; x: f32 or the experts' common input_dtype(); experts: E
  /// weights (N, K); biases: (E, N) f32 or empty; expert_ids: (T, k) i32, each in [0, E). No
  /// aliasing.
  virtual void linear_experts(TensorView out, ConstTensorView x,
                              std::span<const LinearWeight* const> experts, ConstTensorView biases,
                              ConstTensorView expert_ids) = 0;

  /// A weight for each head, (N, K): out[t, h] = [x[t, h, 0..P), x[t, h, P..P + K) heads[h]^T]. The
  /// first P numbers of a head are copied. out: (T, H, P + N) f32; x: (T, H, P + K) f32, both
  /// dense. No aliasing.
  virtual void linear_heads(TensorView out, ConstTensorView x,
                            std::span<const LinearWeight* const> heads) = 0;

  /// out[t] = sum over j of expert_weights[t, j] x[t k + j], j ascending. out: (T, C) f32;
  /// x: (T k, C) f32; expert_weights: (T, k) f32, or empty where all are 1. No aliasing.
  virtual void mix_experts(TensorView out, ConstTensorView x, ConstTensorView expert_weights) = 0;

  /// out[i] = x[rows[i]]. out: (R, C); x: (T, C); both f32, or quantised activations of one dtype;
  /// rows: (R) i32.
  virtual void gather_rows(TensorView out, ConstTensorView x, ConstTensorView rows) = 0;

  /// token_ids[r] = the token sampled from logits[r], as cpu::RowSampler defines it, or -1 if a
  /// logit is NaN or +inf or all are -inf. token_ids: (R) i32; logits: (R, V) f32, changed in place
  /// by penalties. `batch` is not referenced after the call.
  virtual void sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) = 0;
};

struct BackendOptions {
  /// "auto", "cpu", "cuda", "cuda:1", or "cuda:0+cuda:1": these compute every layer together.
  std::string device = "auto";
  int num_threads = 0;  ///< CPU threads; 0 is the number of cores this process may use.
  /// On a CPU, activations are quantised to 8 bits for quantised weights (three times as fast as
  /// f32), and rounded to bf16 for 16-bit weights and for keys and values in bf16, where the
  /// processor multiplies bf16. Off: activations stay f32. GPUs do not ask.
  bool quantize_activations = true;
  /// Off: a GPU may use cuBLAS for large matrix products, whose last bits depend on the number of
  /// rows.
  bool batch_invariant = true;
};

/// The backend of that device. Errors: kInvalidArgument for an unknown name, kUnsupported with the
/// reason if the device cannot be used here. "auto" takes the best device that works.
Result<std::unique_ptr<Backend>> create_backend(const BackendOptions& options);

/// The devices that a model's layers are placed on, in order.
struct DeviceChoice {
  std::vector<std::string> names;  ///< For BackendOptions::device; the CPU is always the last.
  /// Why "auto" uses no GPU; empty if it uses one, or if none was requested.
  std::string gpu_reason;
};

/// "auto" and "cuda": all usable GPUs, those with more memory first, then the CPU; "cuda:1" or
/// "cuda:1,cuda:0": those GPUs, then the CPU. Errors: as create_backend.
Result<DeviceChoice> choose_devices(const BackendOptions& options);

/// What several devices of one kind are together: memory and bytes of all, of which each can have
/// an equal part. devices: at least one.
DeviceInfo describe_group(std::span<const DeviceInfo> devices);

/// Those devices, at least two, as one that computes every layer together (tensor_parallel.h).
/// Errors: those of Backend::connect; `devices` then stays as it was, otherwise it is empty.
Result<std::unique_ptr<Backend>> join_devices(std::vector<std::unique_ptr<Backend>>& devices);

/// What was measured of joined devices.
struct GroupSpeed {
  double exchange_seconds = 0;  ///< Of 1,024 numbers of each device.
  double bytes_per_second = 0;  ///< Read or written by one device.
};
/// Tries joined devices, which takes milliseconds. Errors: kOutOfMemory, the devices' failures.
Result<GroupSpeed> measure_group(Backend& joined);

/// The devices of join_devices() apart again. Only while they have no memory and no weights.
std::vector<std::unique_ptr<Backend>> separate_devices(std::unique_ptr<Backend> joined);

/// The formats that a CPU converts activations to for linear().
struct ActivationFormats {
  bool int8 = false;
  bool bf16 = false;
  bool f32 = false;
};
/// By the weights' number of inputs.
using WeightFormats = std::map<int64_t, ActivationFormats>;

/// Computes how much memory a backend allocates, without using the device. The backend is the one
/// that create_backend makes with default options.
class MemoryModel {
 public:
  /// num_threads: as in BackendOptions.
  MemoryModel(const DeviceInfo& device, int num_threads)
      : m_device(device), m_num_threads(num_threads) {}

  /// Bytes of pack_linear(parts).
  uint64_t packed_bytes(std::span<const ConstTensorView> parts);
  /// Bytes of reserve_scratch(limits) with the weights so far.
  uint64_t scratch_bytes(const StepLimits& limits) const;

 private:
  DeviceInfo m_device;
  int m_num_threads;
  WeightFormats m_formats;
};

/// Host memory available to programs now; 0 if unknown.
uint64_t available_host_bytes();

/// All devices, usable or not.
std::vector<DeviceInfo> list_devices();

}  // namespace quire
