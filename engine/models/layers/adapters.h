#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// Names a loaded adapter; 0 stands for none.
using AdapterId = int;

/// Consecutive rows of a step that an adapter changes.
struct AdapterRun {
  AdapterId adapter = 0;
  int64_t first = 0;
  int64_t count = 0;
};

/// The rows of a step that adapters change: of all its rows, and of those whose logits are wanted.
struct AdapterRows {
  std::vector<AdapterRun> all;
  std::vector<AdapterRun> wanted;
};

/// What the linear layers of one backend share to apply adapters: the current step's rows and
/// memory for what is computed on the way. Thread: the engine's.
class AdapterStep {
 public:
  /// The rows of the step of `num_rows` rows that follows; null for none. They must stay valid
  /// until the next call.
  void begin(const AdapterRows* rows, int64_t num_rows);
  /// The runs of an input of that many rows: all of the step's, or the wanted ones.
  std::span<const AdapterRun> runs(int64_t num_rows) const;

  /// Memory for steps of max_rows rows, ranks and outputs up to these. Errors: kOutOfMemory.
  Result<void> reserve(Backend& backend, int64_t max_rows, int64_t max_rank, int64_t max_outputs);
  TensorView low_rank(int64_t rows, int64_t rank) const;  ///< (rows, rank) f32.
  TensorView delta(int64_t rows, int64_t outputs) const;  ///< (rows, outputs) f32.

 private:
  const AdapterRows* m_rows = nullptr;
  int64_t m_num_rows = 0;
  std::unique_ptr<DeviceBuffer> m_low_rank;
  std::unique_ptr<DeviceBuffer> m_delta;
};

/// A low-rank update of a weight (arXiv:2106.09685): y += B (A x).
struct LoraUpdate {
  std::unique_ptr<LinearWeight> a;  ///< (R, K) f32.
  std::unique_ptr<LinearWeight> b;  ///< (N, R) f32, times the adapter's scale.
};

/// The updates of one linear layer by the adapters that change it. Each row is computed as it would
/// be alone, and rows without an adapter are not touched. Thread: the engine's.
class LinearAdapters {
 public:
  /// The backend's, which outlives the layer. Called once, before add().
  void use(const AdapterStep& step) { m_step = &step; }

  void add(AdapterId adapter, LoraUpdate update) { m_updates[adapter] = std::move(update); }
  void remove(AdapterId adapter) { m_updates.erase(adapter); }
  /// Adds the updates of the step's rows to out (T, N), computed from x (T, K).
  void apply(Backend& backend, TensorView out, ConstTensorView x) const;
  const std::map<AdapterId, LoraUpdate>& updates() const { return m_updates; }
  size_t size_bytes() const;

 private:
  const AdapterStep* m_step = nullptr;
  std::map<AdapterId, LoraUpdate> m_updates;
};

}  // namespace quire
