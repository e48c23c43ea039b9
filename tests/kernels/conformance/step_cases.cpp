// launch_graph: the operations of a decoding step, submitted again under one key with other
// contents of device memory, are what they are one by one.

#include <cmath>

#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/weight_matrix.h"
#include "tests/kernels/key_pages.h"

namespace quire::test {
namespace {

constexpr int64_t kVocabulary = 50;
constexpr int64_t kHidden = 96;
constexpr int64_t kHeads = 4;
constexpr int64_t kKvHeads = 2;
constexpr int64_t kDim = 32;
constexpr int64_t kWidth = (kHeads + 2 * kKvHeads) * kDim;
constexpr int64_t kBlocksEach = 3;
constexpr int kSteps = 5;

/// The weights of a model of one attention layer, packed for one backend.
struct Weights {
  std::unique_ptr<LinearWeight> table;
  std::unique_ptr<LinearWeight> qkv;
  std::unique_ptr<LinearWeight> out;

  explicit Weights(Device& device)
      : table(WeightMatrix(DType::kQ8_0, kVocabulary, kHidden, 1).pack(device)),
        qkv(WeightMatrix(DType::kBF16, kWidth, kHidden, 2).pack(device)),
        out(WeightMatrix(DType::kQ4_0, kHidden, kHeads * kDim, 3).pack(device)) {}
};

/// T chats, each of which decodes one token a step.
class Chats {
 public:
  Chats(Device& device, const Weights& weights, int64_t T)
      : m_device(device),
        m_weights(weights),
        m_rows(T),
        m_ids(device, T, 0),
        m_positions(device, T, 0),
        m_row_slots(device, T, 0),
        m_context(device, T, 0),
        m_start(device, iota(T + 1)),
        m_tables(device, iota(T * kBlocksEach)),
        m_inv_freq(device, Numbers(4).floats(kDim / 2)),
        m_norm(device, Numbers(5).floats(kHidden, 2.0f)),
        m_hidden(device, T * kHidden, 0.0f),
        m_normed(device, T * kHidden, 0.0f),
        m_qkv(device, T * kWidth, 0.0f),
        m_cos_sin(device, T * kDim, 0.0f),
        m_attended(device, T * kHeads * kDim, 0.0f),
        m_keys(device, T * kBlocksEach * kKvHeads * kBlockSize * kDim, uint16_t{0}),
        m_values(device, T * kBlocksEach * kKvHeads * kBlockSize * kDim, uint16_t{0}) {}

  /// The next step; key 0 submits its operations one by one.
  std::vector<float> step(uint64_t key) {
    set_contents();
    const auto operations = [this] { submit(); };
    if (key == 0) {
      operations();
    } else {
      m_device.backend.launch_graph(key, operations);
    }
    return m_hidden.download();
  }

 private:
  static std::vector<int32_t> iota(int64_t n) {
    std::vector<int32_t> numbers;
    for (int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<int32_t>(i));
    return numbers;
  }

  /// Chat t is at position t + 4 * step: contexts grow, and pages with them.
  void set_contents() {
    std::vector<int32_t> ids;
    std::vector<int32_t> positions;
    std::vector<int32_t> row_slots;
    std::vector<int32_t> context;
    for (int32_t t = 0; t < m_rows; ++t) {
      const int32_t position = m_step * 4 + t % 4;
      const auto first = static_cast<int32_t>(t * kBlocksEach * kBlockSize);
      ids.push_back((t * 7 + m_step * 11) % static_cast<int32_t>(kVocabulary));
      positions.push_back(position);
      row_slots.push_back(first + position);
      context.push_back(position + 1);
    }
    ++m_step;
    m_ids.assign(ids);
    m_positions.assign(positions);
    m_row_slots.assign(row_slots);
    m_context.assign(context);
    m_device.backend.begin_attention(batch(),
                                     {iota(m_rows + 1), context, iota(m_rows * kBlocksEach)});
  }

  AttentionBatch batch() const {
    return {.query_start = m_start.view({m_rows + 1}),
            .context_len = m_context.view({m_rows}),
            .block_tables = m_tables.view({m_rows, kBlocksEach})};
  }

  void submit() {
    Backend& b = m_device.backend;
    const int64_t T = m_rows;
    const TensorView hidden = m_hidden.view({T, kHidden});
    const TensorView normed = m_normed.view({T, kHidden});
    const TensorView qkv = m_qkv.view({T, kWidth});
    const TensorView attended = m_attended.view({T, kHeads * kDim});
    const TensorView cos_sin = m_cos_sin.view({T, kDim});
    const TensorView q = qkv.columns(0, kHeads * kDim).split_columns(kDim);
    const TensorView k = qkv.columns(kHeads * kDim, kKvHeads * kDim).split_columns(kDim);
    const TensorView v =
        qkv.columns((kHeads + kKvHeads) * kDim, kKvHeads * kDim).split_columns(kDim);
    const KvLayerView kv = {
        KeyPages(b, kDim).view(m_keys.data(), DType::kF16, T * kBlocksEach, kKvHeads),
        m_values.view(DType::kF16, {T * kBlocksEach, kKvHeads, kBlockSize, kDim})};

    b.embed(hidden, *m_weights.table, m_ids.view({T}), 0.2f);
    b.rope_cos_sin(cos_sin, m_positions.view({T}), m_inv_freq.view({kDim / 2}), 1.0f);
    b.rms_norm(normed, hidden, m_norm.view({kHidden}), 1e-5f);
    b.linear(qkv, normed, *m_weights.qkv, {});
    b.rope_and_store(q, k, v, cos_sin, m_row_slots.view({T}), kv);
    b.attention(attended.split_columns(kDim), q, kv, batch(), {.scale = 0.01f});
    b.linear(normed, attended, *m_weights.out, {});
    b.add_rms_norm(normed, hidden, normed, m_norm.view({kHidden}), 1e-5f);
    b.add(hidden, normed);
  }

  Device& m_device;
  const Weights& m_weights;
  int64_t m_rows;
  int32_t m_step = 0;
  DeviceArray<int32_t> m_ids;
  DeviceArray<int32_t> m_positions;
  DeviceArray<int32_t> m_row_slots;
  DeviceArray<int32_t> m_context;
  DeviceArray<int32_t> m_start;
  DeviceArray<int32_t> m_tables;
  DeviceArray<float> m_inv_freq;
  DeviceArray<float> m_norm;
  DeviceArray<float> m_hidden;
  DeviceArray<float> m_normed;
  DeviceArray<float> m_qkv;
  DeviceArray<float> m_cos_sin;
  DeviceArray<float> m_attended;
  DeviceArray<uint16_t> m_keys;
  DeviceArray<uint16_t> m_values;
};

double largest_of(const std::vector<float>& numbers) {
  double largest = 0.0;
  for (float x : numbers) largest = std::max(largest, std::fabs(double{x}));
  return largest;
}

/// Chats of two sizes take turns under a key each.
void run_steps(Trial& trial) {
  const Weights weights(trial.tested);
  const Weights oracle_weights(trial.oracle);
  for (int round = 0; round < 2; ++round) {
    const uint64_t first_key = 17 + static_cast<uint64_t>(round) * 2;
    Chats few(trial.tested, weights, 3);
    Chats many(trial.tested, weights, 9);
    Chats few_one_by_one(trial.tested, weights, 3);
    Chats many_one_by_one(trial.tested, weights, 9);
    Chats oracle(trial.oracle, oracle_weights, 9);
    for (int step = 0; step < kSteps; ++step) {
      const std::string what = "Step " + std::to_string(step);
      trial.compare.same_bits(what + " of 3 chats", few.step(first_key), few_one_by_one.step(0));
      const std::vector<float> got = many.step(first_key + 1);
      trial.compare.same_bits(what + " of 9 chats", got, many_one_by_one.step(0));
      // Halves through a whole layer: only to see that the layer is the same one.
      const std::vector<float> expected = oracle.step(0);
      trial.compare.within(what + " of the oracle", got, expected, 0.05 * largest_of(expected));
    }
  }
}

}  // namespace

void add_step_cases(std::vector<Case>& cases) {
  cases.push_back({"launch_graph", "3 and 9 chats", run_steps});
}

}  // namespace quire::test
