// embed: rows of a packed table of any dtype, and of one with parts.

#include "tests/kernels/conformance/bounds.h"
#include "tests/kernels/conformance/case_lists.h"
#include "tests/kernels/conformance/row_promises.h"
#include "tests/kernels/conformance/weight_matrix.h"

namespace quire::test {
namespace {

constexpr int64_t kEmbedVocabulary = 131;
constexpr int64_t kEmbedRows = 19;
constexpr float kScale = 1.7f;

std::vector<int32_t> make_ids() {
  Numbers numbers(41);
  std::vector<int32_t> ids = {0, kEmbedVocabulary - 1, 16, 15, 16};
  while (ids.size() < kEmbedRows) ids.push_back(numbers.below(kEmbedVocabulary));
  return ids;
}

/// Rows [begin, begin + count) of `ids`.
std::vector<float> run(Device& device, const LinearWeight& table, const DeviceArray<int32_t>& ids,
                       int64_t begin, int64_t count) {
  const int64_t K = table.num_inputs();
  DeviceArray<float> out(device, count * (K + 5), -7.0f);
  device.backend.embed(out.view({count, K + 5}).columns(3, K), table,
                       ids.view({kEmbedRows}).rows(begin, count), kScale);
  return out.download();
}

void run_case(Trial& trial, DType dtype, int64_t K, bool has_large_scales) {
  WeightMatrix table(dtype, kEmbedVocabulary, K, 42);
  if (has_large_scales) table.enlarge_scales();
  const std::vector<int32_t> ids = make_ids();
  const auto result = [&](Device& device) {
    return run(device, *table.pack(device), DeviceArray<int32_t>(device, ids), 0, kEmbedRows);
  };
  const std::vector<float> expected = result(trial.oracle);
  std::vector<double> bounds(expected.size());  // Zero beside the columns: nothing is written.
  for (int64_t t = 0; t < kEmbedRows; ++t) {
    for (int64_t k = 0; k < K; ++k) {
      const auto at = static_cast<size_t>(ids[static_cast<size_t>(t)] * K + k);
      bounds[static_cast<size_t>(t * (K + 5) + 3 + k)] =
          embed_bound(trial.arithmetic, dtype, table.exact[at], table.coarse[at], kScale);
    }
  }
  const auto packed = table.pack(trial.tested);
  const DeviceArray<int32_t> device_ids(trial.tested, ids);
  const std::vector<float> got = run(trial.tested, *packed, device_ids, 0, kEmbedRows);
  trial.compare.within("out", got, expected, bounds);
  check_row_promises(trial, kEmbedRows, K + 5, got, [&](int64_t begin, int64_t count) {
    return run(trial.tested, *packed, device_ids, begin, count);
  });
}

/// Tables whose rows have several dtypes: every row comes from its own part.
void run_embed_parts(Trial& trial) {
  constexpr int64_t K = 512;
  const WeightMatrix a(DType::kF32, 33, K, 1);
  const WeightMatrix b(DType::kBF16, 50, K, 2);
  const WeightMatrix c(DType::kF16, 1, K, 3);
  const WeightMatrix d(DType::kMXFP4, 47, K, 4);
  const ConstTensorView parts[] = {a.view(), b.view(), c.view(), d.view()};
  const auto result = [&](Device& device) {
    return run(device, *device.pack(parts), DeviceArray<int32_t>(device, make_ids()), 0,
               kEmbedRows);
  };
  const std::vector<float> expected = result(trial.oracle);
  std::vector<double> bounds(expected.size());  // Zero but for the row in f16.
  const std::vector<int32_t> ids = make_ids();
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool is_f16 = ids[i / (K + 5)] == 83;
    const DType dtype = is_f16 ? DType::kF16 : DType::kF32;
    bounds[i] = embed_bound(trial.arithmetic, dtype, double{expected[i]} / kScale, 0.0, kScale);
  }
  trial.compare.within("out", result(trial.tested), expected, bounds);
}

}  // namespace

void add_embed_cases(std::vector<Case>& cases) {
  for (DType dtype : weight_types()) {
    const bool has_large_blocks = dtype_block_elements(dtype) > 32;
    const std::vector<int64_t> widths = has_large_blocks      ? std::vector<int64_t>{256, 768}
                                        : is_quantized(dtype) ? std::vector<int64_t>{32, 544}
                                                              : std::vector<int64_t>{1, 70, 513};
    for (int64_t K : widths) {
      cases.push_back({"embed " + std::string(dtype_name(dtype)), "K=" + std::to_string(K),
                       [=](Trial& trial) { run_case(trial, dtype, K, false); }});
    }
  }
  for (DType dtype : folder_types()) {
    cases.push_back({"embed " + std::string(dtype_name(dtype)), "large scales",
                     [=](Trial& trial) { run_case(trial, dtype, 512, true); }});
  }
  cases.push_back({"embed parts", "", run_embed_parts});
}

}  // namespace quire::test
