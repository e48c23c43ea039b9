#include "kernels/cuda/attention/attention.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/attention/attention_kernels.h"
#include "kernels/cuda/attention/attention_plan.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/linear/out_rows.h"

namespace quire::cuda {
namespace {

static_assert(kPageKeys == kBlockSize);

constexpr const char* kOperation = "attention";
/// The most memory for the states of rows whose splits are computed in parallel.
constexpr int64_t kMaxStateBytes = int64_t{64} << 20;
/// Steps with at least this many rows of a KV head have large tiles.
constexpr int64_t kLargeTileRows = 512;
/// Device memory of a plan's header and lists; lists that do not fit are in KindPlan::more.
constexpr size_t kPlanBytes = size_t{256} << 10;

int state_stride(const AttentionKind& kind) {
  return (kind.value_dim + 3) / 4 * 4;
}
int64_t state_bytes(const AttentionKind& kind) {
  return int64_t{kind.num_heads} * (state_stride(kind) * static_cast<int64_t>(sizeof(float)) +
                                    static_cast<int64_t>(sizeof(float2)));
}

/// Device memory that grows. Old memory is kept until release_old(), because plans on the device
/// contain pointers to it.
class GrowingMemory {
 public:
  explicit GrowingMemory(CommandQueue& queue) : m_queue(queue) {}
  ~GrowingMemory() {
    release_old();
    if (m_memory != nullptr) cudaFree(m_memory);
  }
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  /// At least that many bytes, contents undefined. Null, and a failure noted, if out of memory.
  void* reserve(size_t bytes) {
    if (bytes <= m_bytes) return m_memory;
    constexpr size_t kStep = size_t{1} << 20;
    const size_t grown = (bytes + bytes / 4 + kStep - 1) / kStep * kStep;
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, grown);
    m_queue.note(status, "planning attention");
    if (status != cudaSuccess) return nullptr;
    if (m_memory != nullptr) m_old.push_back(m_memory);
    m_memory = memory;
    m_bytes = grown;
    return memory;
  }
  bool has_old() const { return !m_old.empty(); }
  /// To be called when neither submitted nor later work uses the old memory.
  void release_old() {
    for (void* memory : m_old) cudaFree(memory);
    m_old.clear();
  }

 private:
  CommandQueue& m_queue;
  void* m_memory = nullptr;
  size_t m_bytes = 0;
  std::vector<void*> m_old;
};

/// The batch of begin_attention().
struct HostBatch {
  std::vector<int32_t> query_start;
  std::vector<int32_t> context_len;
  std::vector<int32_t> block_tables;
  std::vector<int32_t> window_tables;  ///< Of kinds with a sliding window.
  int64_t table_stride = 0;

  int64_t num_rows() const { return query_start.empty() ? 0 : query_start.back(); }
};

/// The plan of one kind of call, in device memory. The header never moves.
struct KindPlan {
  KindPlan(CommandQueue& queue, const AttentionKind& of_kind)
      : kind(of_kind), kernels(choose_kernels(queue, of_kind)), fixed(queue), more(queue) {}

  AttentionKind kind;
  ChosenKernels kernels;
  GrowingMemory fixed;  ///< The header, and the lists if they fit.
  GrowingMemory more;   ///< The lists otherwise.
  AttentionPlan plan;
  bool is_sent = false;  ///< Whether the device has the plan of the current batch.

  bool has_large_tiles(int64_t num_rows) const {
    return kernels.tiles[kLargeTiles].kernel != nullptr &&
           num_rows * kind.group() >= kLargeTileRows;
  }
  size_t list_bytes() const {
    return plan.tokens.size() * sizeof(PlannedToken) +
           (plan.tiles[0].size() + plan.tiles[1].size()) * sizeof(PlannedTile) +
           plan.folds.size() * sizeof(PlannedFold);
  }
};

/// Writes the lists of a plan one after another; returns the address of each on the device.
class ListWriter {
 public:
  ListWriter(unsigned char* host, unsigned char* device) : m_host(host), m_device(device) {}

  template <typename T>
  const T* write(const std::vector<T>& list) {
    static_assert(sizeof(T) % 16 == 0);
    const size_t bytes = list.size() * sizeof(T);
    if (bytes > 0) std::memcpy(m_host, list.data(), bytes);
    const auto* const place = reinterpret_cast<const T*>(m_device);
    m_host += bytes;
    m_device += bytes;
    return place;
  }

 private:
  unsigned char* m_host;
  unsigned char* m_device;
};

constexpr size_t kHeaderBytes = (sizeof(DevicePlan) + 15) / 16 * 16;

}  // namespace

struct PagedAttention::State {
  explicit State(CommandQueue& command_queue)
      : queue(command_queue),
        stage(command_queue, 2, "planning attention"),
        states(command_queue),
        scratch(command_queue) {}

  CommandQueue& queue;
  HostBatch batch;
  std::vector<std::unique_ptr<KindPlan>> plans;
  PinnedRing stage;
  GrowingMemory states;
  GrowingMemory scratch;

  /// Frees the old memory. To be called before new plans are made for all kinds, because older
  /// plans point to it.
  void release_old() {
    bool has_old = states.has_old() || scratch.has_old();
    for (const auto& plan : plans) has_old = has_old || plan->more.has_old();
    if (!has_old) return;
    queue.note(cudaStreamSynchronize(queue.stream()), kOperation);
    states.release_old();
    scratch.release_old();
    for (const auto& plan : plans) plan->more.release_old();
  }

  void make_plan(KindPlan& of) const {
    AttentionPlanInput input{
        .query_start = batch.query_start,
        .context_len = batch.context_len,
        .block_tables = of.kind.span.sliding_window > 0 ? batch.window_tables : batch.block_tables,
        .table_stride = batch.table_stride,
        .span = of.kind.span,
        .group = of.kind.group(),
        .num_kv_heads = of.kind.num_kv_heads};
    const ChosenKernel& small = of.kernels.tiles[kSmallTiles];
    input.tile_rows[kSmallTiles] = small.tile_rows;
    if (of.has_large_tiles(batch.num_rows()))
      input.tile_rows[kLargeTiles] = of.kernels.tiles[kLargeTiles].tile_rows;
    input.num_workers = small.num_blocks;
    input.max_states = kMaxStateBytes / state_bytes(of.kind);
    of.plan = plan_attention(input);
  }

  /// Makes plans and sends them to the device, through pinned memory and without waiting.
  void send(std::span<KindPlan* const> kinds) {
    size_t bytes = 0;
    for (KindPlan* const of : kinds) {
      of->is_sent = false;
      make_plan(*of);
      bytes += kHeaderBytes + of->list_bytes();
    }
    unsigned char* host = kinds.empty() ? nullptr : stage.next(bytes);
    if (host == nullptr) return;
    for (KindPlan* const of : kinds) {
      send(*of, host);
      host += kHeaderBytes + of->list_bytes();
    }
    stage.submitted();
  }

  /// host: room for the header and the lists.
  void send(KindPlan& of, unsigned char* host) {
    const size_t lists = of.list_bytes();
    auto* const fixed = static_cast<unsigned char*>(of.fixed.reserve(kPlanBytes));
    const bool fits = kHeaderBytes + lists <= kPlanBytes;
    auto* const device =
        fits ? fixed + kHeaderBytes : static_cast<unsigned char*>(of.more.reserve(lists));
    if (fixed == nullptr || device == nullptr) return;
    const DevicePlan header = make_header(of, host + kHeaderBytes, device);
    if (queue.has_failed()) return;
    std::memcpy(host, &header, sizeof header);
    copy(fixed, host, fits ? kHeaderBytes + lists : kHeaderBytes);
    if (!fits) copy(device, host + kHeaderBytes, lists);
    of.is_sent = !queue.has_failed();
  }

  void copy(void* device, const void* host, size_t bytes) {
    queue.note(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, queue.stream()),
               kOperation);
  }

  DevicePlan make_header(const KindPlan& of, unsigned char* host, unsigned char* device) {
    ListWriter lists(host, device);
    DevicePlan header = {};
    header.tokens = lists.write(of.plan.tokens);
    for (TileSize size : {kSmallTiles, kLargeTiles}) {
      header.tiles[size] = lists.write(of.plan.tiles[size]);
      header.num_tiles[size] = static_cast<int32_t>(of.plan.tiles[size].size());
    }
    header.folds = lists.write(of.plan.folds);
    header.num_folds = static_cast<int32_t>(of.plan.folds.size());
    const int64_t floats = of.plan.num_states * of.kind.num_heads * state_stride(of.kind);
    header.states = static_cast<float*>(
        states.reserve(static_cast<size_t>(of.plan.num_states * state_bytes(of.kind))));
    header.state_weights = reinterpret_cast<float2*>(header.states + floats);
    const size_t most =
        std::max(of.kernels.tiles[0].scratch_bytes, of.kernels.tiles[1].scratch_bytes);
    header.scratch = static_cast<float4*>(scratch.reserve(most));
    return header;
  }

  /// The plan of that kind; a new one is made at once.
  KindPlan* find(const AttentionKind& kind) {
    const auto at = std::ranges::find(plans, kind, [](const auto& plan) { return plan->kind; });
    KindPlan* found = at == plans.end() ? nullptr : at->get();
    if (found != nullptr && found->is_sent) return found;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    queue.note(cudaStreamIsCapturing(queue.stream(), &status), kOperation);
    if (status != cudaStreamCaptureStatusNone) {
      // The copy of this plan would become part of the graph, which later plans must replace.
      queue.note(cudaErrorStreamCaptureUnsupported, kOperation);
    }
    if (queue.has_failed()) return nullptr;
    if (found == nullptr) {
      plans.push_back(std::make_unique<KindPlan>(queue, kind));
      found = plans.back().get();
    }
    send(std::array{found});
    return found->is_sent ? found : nullptr;
  }
};

PagedAttention::PagedAttention(CommandQueue& queue) : m_state(std::make_unique<State>(queue)) {}
PagedAttention::~PagedAttention() {
  cudaStreamSynchronize(m_state->queue.stream());
}

void PagedAttention::begin(const AttentionBatch& batch, const HostAttentionBatch& host) {
  m_state->queue.activate();  // Memory is allocated on the current device.
  CHECK(host.query_start.size() == host.context_len.size() + 1);
  HostBatch& announced = m_state->batch;
  announced.query_start.assign(host.query_start.begin(), host.query_start.end());
  announced.context_len.assign(host.context_len.begin(), host.context_len.end());
  announced.block_tables.assign(host.block_tables.begin(), host.block_tables.end());
  announced.table_stride = batch.block_tables.dim(1);
  const auto num_sequences = static_cast<int64_t>(host.context_len.size());
  CHECK(static_cast<int64_t>(host.block_tables.size()) == num_sequences * announced.table_stride);
  const auto of_windows = host.window_tables.empty() ? host.block_tables : host.window_tables;
  CHECK(of_windows.size() == host.block_tables.size());
  announced.window_tables.assign(of_windows.begin(), of_windows.end());
  for (const int32_t context : host.context_len)
    CHECK(context >= 0 && context <= announced.table_stride * kBlockSize);
  m_state->release_old();
  std::vector<KindPlan*> kinds;
  for (const auto& plan : m_state->plans) kinds.push_back(plan.get());
  m_state->send(kinds);
}

namespace {

void check_shapes(const TensorView& out, const ConstTensorView& q, const KvLayerView& kv,
                  const AttentionBatch& batch, const AttentionParams& params) {
  const int64_t D = q.dim(2), Dv = out.dim(2);
  const int64_t Hkv = kv.keys.dim(1);
  CHECK(has_shape(out, out.dtype(), {out.dim(0), out.dim(1), Dv}));
  CHECK(have_shape({q}, {out.dim(0), out.dim(1), D}));
  CHECK(out.dtype() != DType::kF32 || out.row_stride() == out.dim(1) * Dv);
  CHECK(out.dtype() != DType::kI8 || Dv % kQuantizedRowGroup == 0);
  CHECK(Hkv > 0 && out.dim(1) % Hkv == 0);
  CHECK(kv.has_shape(Hkv, D, Dv, false));
  CHECK(batch.block_tables.rank() == 2 && batch.block_tables.dtype() == DType::kI32);
  CHECK(params.sliding_window >= 0 && params.chunk_size >= 0 && params.soft_cap >= 0.0f);
  CHECK(params.sinks.empty() || have_shape({params.sinks}, {out.dim(1)}));
}

AttentionArguments arguments_of(const AttentionKind& kind, const TensorView& out,
                                const ConstTensorView& q, const KvLayerView& kv,
                                const AttentionBatch& batch, const AttentionParams& params) {
  const bool has_scales = kind.dtype == DType::kI8;
  AttentionArguments args = {};
  const OutRows rows = out_rows_of(out);
  args.out = rows.data;
  args.out_row_words = rows.row_words;
  args.out_format = rows.format;
  args.q = q.as<float>();
  args.q_stride = q.row_stride();
  args.keys = kv.keys.data();
  args.values = kv.values.data();
  args.key_scales = has_scales ? kv.key_scales.as<float>() : nullptr;
  args.value_scales = has_scales ? kv.value_scales.as<float>() : nullptr;
  args.block_tables = batch.block_tables.as<int32_t>();
  args.table_stride = batch.block_tables.row_stride();
  args.sinks = params.sinks.empty() ? nullptr : params.sinks.as<float>();
  args.num_heads = kind.num_heads;
  args.num_kv_heads = kind.num_kv_heads;
  args.group = kind.group();
  args.head_dim = kind.head_dim;
  args.value_dim = kind.value_dim;
  args.state_stride = state_stride(kind);
  args.span = kind.span;
  args.scale = params.scale;
  args.soft_cap = params.soft_cap;
  return args;
}

void submit(CommandQueue& queue, KindPlan& plan, const ChosenKernel& chosen, TileSize size,
            AttentionArguments args) {
  args.plan = static_cast<const DevicePlan*>(plan.fixed.reserve(kPlanBytes));
  args.tile_size = size;
  args.tile_rows = chosen.tile_rows;
  args.is_serial = chosen.is_serial ? 1 : 0;
  const LaunchShape shape{.grid = dim3(static_cast<unsigned>(chosen.num_blocks)),
                          .block = dim3(static_cast<unsigned>(chosen.threads)),
                          .shared_bytes = chosen.shared_bytes};
  launch_early(queue, kOperation, chosen.kernel, shape, args);
}

}  // namespace

void PagedAttention::run(TensorView out, ConstTensorView q, KvLayerView kv,
                         const AttentionBatch& batch, const AttentionParams& params) {
  m_state->queue.activate();
  check_shapes(out, q, kv, batch, params);
  CHECK(out.dim(0) == m_state->batch.num_rows());
  CHECK(batch.block_tables.dim(0) == static_cast<int64_t>(m_state->batch.context_len.size()));
  CHECK(batch.block_tables.dim(1) == m_state->batch.table_stride);
  if (out.dim(0) == 0) return;
  const AttentionKind kind{.span = {params.sliding_window, params.chunk_size},
                           .num_heads = static_cast<int>(out.dim(1)),
                           .num_kv_heads = static_cast<int>(kv.keys.dim(1)),
                           .head_dim = static_cast<int>(q.dim(2)),
                           .value_dim = static_cast<int>(out.dim(2)),
                           .dtype = kv.keys.dtype()};
  KindPlan* const plan = m_state->find(kind);
  if (plan == nullptr) return;
  AttentionArguments args = arguments_of(kind, out, q, kv, batch, params);
  // The launches depend on shapes alone, so that a captured graph is valid for other contents.
  for (TileSize size : {kSmallTiles, kLargeTiles}) {
    if (size == kLargeTiles && !plan->has_large_tiles(out.dim(0))) continue;
    submit(m_state->queue, *plan, plan->kernels.tiles[size], size, args);
  }
  submit(m_state->queue, *plan, plan->kernels.fold, kSmallTiles, args);
}

}  // namespace quire::cuda
