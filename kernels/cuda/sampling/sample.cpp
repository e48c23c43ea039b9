#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/base/shape_checks.h"
#include "kernels/cuda/host_staging.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/sampling/sample_task.h"

namespace quire::cuda {
namespace {

/// The most lists for rows with many candidates; if there are more such rows, they use them in
/// turn.
constexpr int32_t kMaxLargeLists = 8;
constexpr size_t kUploadBytes = size_t{128} << 10;
constexpr int64_t kMaxRows = 65535;              // A grid's second dimension.
constexpr int64_t kMaxVocab = int64_t{1} << 27;  // Far below the limits of ids and of exact sums.

SampleKind kind_of(const SampleRow& row) {
  if (row.temperature <= 0.0f) return SampleKind::kGreedy;
  if (row.top_k > 0) return SampleKind::kTopK;
  if (row.top_p < 1.0f) return SampleKind::kTopP;
  return row.min_p > 0.0f ? SampleKind::kMinP : SampleKind::kFromAll;
}

/// In the engine's arithmetic (sampler.cpp).
RowParams params_of(const SampleRow& row) {
  constexpr float kMinTemperature = 1e-6f;
  const bool is_penalised = row.repetition_penalty != 1.0f || row.presence_penalty != 0.0f ||
                            row.frequency_penalty != 0.0f;
  return {.uniform = row.uniform,
          .top_p = static_cast<double>(row.top_p),
          .inverse_temperature = 1.0f / std::max(row.temperature, kMinTemperature),
          .min_p = row.min_p,
          .min_p_reach = row.temperature * std::log(row.min_p),
          .min_p_slack = 1e-3f * row.temperature,
          .repetition_penalty = row.repetition_penalty,
          .presence_penalty = row.presence_penalty,
          .frequency_penalty = row.frequency_penalty,
          .top_k = row.top_k,
          .first_seen = row.first_seen,
          .num_seen = is_penalised ? row.num_seen : 0,
          .first_bias = row.first_bias,
          .num_biases = row.num_biases,
          .first_allowed_word = row.first_allowed_word,
          .kind = kind_of(row)};
}

/// The work that the rows of a batch need.
struct Needs {
  int32_t max_seen = 0;
  int32_t max_biases = 0;
  bool masks = false;
  bool total = false;
  bool candidates = false;
};

Needs needs_of(std::span<const RowParams> rows) {
  Needs needs;
  for (const RowParams& row : rows) {
    needs.max_seen = std::max(needs.max_seen, row.num_seen);
    needs.max_biases = std::max(needs.max_biases, row.num_biases);
    needs.masks = needs.masks || row.first_allowed_word >= 0;
    needs.total = needs.total || row.needs_total();
    needs.candidates =
        needs.candidates || (row.kind != SampleKind::kGreedy && row.kind != SampleKind::kFromAll);
  }
  return needs;
}

/// Whether an array holds [first, first + count).
bool holds(size_t size, int32_t first, int64_t count) {
  return first >= 0 && count >= 0 && static_cast<int64_t>(first) + count <= int64_t(size);
}

std::vector<RowParams> rows_of(const SampleBatch& batch, int64_t vocab) {
  CHECK(batch.output_counts.size() == batch.seen_ids.size());
  CHECK(batch.biases.size() == batch.bias_ids.size());
  std::vector<RowParams> rows;
  rows.reserve(batch.rows.size());
  for (const SampleRow& row : batch.rows) {
    rows.push_back(params_of(row));
    CHECK(holds(batch.seen_ids.size(), row.first_seen, row.num_seen));
    CHECK(holds(batch.bias_ids.size(), row.first_bias, row.num_biases));
    CHECK(row.first_allowed_word < 0 ||
          holds(batch.allowed_words.size(), row.first_allowed_word, (vocab + 31) / 32));
  }
  return rows;
}

/// Divides one allocation into pieces at multiples of 256 bytes. With null memory it only computes
/// the size.
class Layout {
 public:
  explicit Layout(void* memory) : m_memory(static_cast<char*>(memory)) {}

  template <typename T>
  T* allocate(int64_t count) {
    void* const piece = m_memory == nullptr ? nullptr : m_memory + m_used;
    m_used += (static_cast<size_t>(count) * sizeof(T) + 255) / 256 * 256;
    return static_cast<T*>(piece);
  }
  size_t used() const { return m_used; }

 private:
  char* m_memory;
  size_t m_used = 0;
};

/// Allocates the results of the scans and the large lists.
void lay_out(SampleTask& task, const Needs& needs, Layout& layout) {
  const int64_t num_rows = task.num_rows;
  task.block_max = layout.allocate<float>(num_rows * task.num_blocks);
  task.tile_max = layout.allocate<float>(num_rows * task.num_tiles);
  if (needs.total) {
    task.block_sums = layout.allocate<float>(num_rows * task.num_blocks);
    task.running_sums = layout.allocate<double>(num_rows * task.num_blocks);
  }
  if (needs.candidates) {
    const int64_t num_lists = std::min(task.num_rows, kMaxLargeLists);
    task.keys = layout.allocate<uint64_t>(num_lists * task.vocab);
    task.weights = layout.allocate<double>(num_lists * task.vocab);
  }
}

/// The batch as one block of bytes: rows, seen ids, counts, ids with a bias, biases, masks.
std::vector<char> pack(std::span<const RowParams> rows, const SampleBatch& batch) {
  std::vector<char> bytes(rows.size_bytes() + 2 * batch.seen_ids.size_bytes() +
                          2 * batch.bias_ids.size_bytes() + batch.allowed_words.size_bytes());
  char* next = bytes.data();
  const auto append = [&next](const auto& span) {
    if (!span.empty()) std::memcpy(next, span.data(), span.size_bytes());
    next += span.size_bytes();
  };
  append(rows);
  append(batch.seen_ids);
  append(batch.output_counts);
  append(batch.bias_ids);
  append(batch.biases);
  append(batch.allowed_words);
  return bytes;
}

/// The places of the packed batch in the device's memory.
void set_batch(SampleTask& task, const char* memory, const SampleBatch& batch) {
  task.rows = reinterpret_cast<const RowParams*>(memory);
  task.seen_ids = reinterpret_cast<const int32_t*>(task.rows + task.num_rows);
  task.output_counts = task.seen_ids + batch.seen_ids.size();
  task.bias_ids = task.output_counts + batch.seen_ids.size();
  task.biases = reinterpret_cast<const float*>(task.bias_ids + batch.bias_ids.size());
  task.allowed_words = reinterpret_cast<const uint32_t*>(task.biases + batch.bias_ids.size());
}

SampleTask task_of(const TensorView& token_ids, const TensorView& logits) {
  SampleTask task = {};
  task.logits = logits.as<float>();
  task.logits_stride = logits.row_stride();
  task.token_ids = token_ids.as<int32_t>();
  task.num_rows = static_cast<int32_t>(logits.dim(0));
  task.vocab = static_cast<int32_t>(logits.dim(1));
  task.num_blocks = (task.vocab + kLogitBlock - 1) / kLogitBlock;
  task.num_tiles = (task.vocab + kTile - 1) / kTile;
  return task;
}

}  // namespace

void sample(CommandQueue& queue, HostStaging& staging, TensorView token_ids, TensorView logits,
            const SampleBatch& batch) {
  const int64_t num_rows = logits.dim(0);
  CHECK(have_shape({logits}, {num_rows, logits.dim(1)}));
  CHECK(has_shape(token_ids, DType::kI32, {num_rows}));
  CHECK(num_rows <= kMaxRows && logits.dim(1) <= kMaxVocab);
  CHECK(batch.rows.size() == static_cast<size_t>(num_rows));
  if (num_rows == 0) return;
  const std::vector<RowParams> rows = rows_of(batch, logits.dim(1));
  const Needs needs = needs_of(rows);
  const std::vector<char> packed = pack(rows, batch);

  SampleTask task = task_of(token_ids, logits);
  Layout sizes(nullptr);
  sizes.allocate<char>(static_cast<int64_t>(packed.size()));
  lay_out(task, needs, sizes);
  void* const memory = queue.workspace(sizes.used());
  if (memory == nullptr) return;
  Layout layout(memory);
  const char* const batch_memory = layout.allocate<char>(static_cast<int64_t>(packed.size()));
  lay_out(task, needs, layout);
  set_batch(task, batch_memory, batch);

  // In pieces small enough to be staged in pinned memory, because `packed` is freed after the call.
  for (size_t begin = 0; begin < packed.size(); begin += kUploadBytes) {
    staging.upload(const_cast<char*>(batch_memory) + begin, packed.data() + begin,
                   std::min(kUploadBytes, packed.size() - begin));
  }
  if (needs.max_seen > 0) submit_penalties(queue, task, needs.max_seen);
  if (needs.max_biases > 0) submit_biases(queue, task, needs.max_biases);
  if (needs.masks) submit_masks(queue, task);
  submit_maxima(queue, task);
  if (needs.total) submit_block_sums(queue, task);
  submit_choice(queue, task);
  if (needs.candidates) submit_large_choice(queue, task, std::min(task.num_rows, kMaxLargeLists));
}

}  // namespace quire::cuda
