#include "kernels/base/shape_checks.h"
#include "kernels/cpu/cpu_backend.h"

namespace quire::cpu {

void CpuBackend::sample(TensorView token_ids, TensorView logits, const SampleBatch& batch) {
  const int64_t num_rows = token_ids.dim(0);
  const int64_t vocab = logits.dim(1);
  CHECK(logits.dim(0) == num_rows && static_cast<int64_t>(batch.rows.size()) == num_rows);
  auto* const ids = token_ids.as<int32_t>();
  for_each_row(num_rows, vocab, [&](int64_t row, int thread) {
    const std::span own(logits.row<float>(row), static_cast<size_t>(vocab));
    RowSampler& sampler = m_samplers[static_cast<size_t>(thread)];
    ids[row] = sampler.sample(own, batch.rows[static_cast<size_t>(row)], batch);
  });
}

}  // namespace quire::cpu
