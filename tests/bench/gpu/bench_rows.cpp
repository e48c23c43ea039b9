#include <string>
#include <vector>

#include "tests/bench/gpu/chat_batch.h"
#include "tests/bench/gpu/kernel_benches.h"
#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

/// The 8B shape, or a tiny one.
struct Sizes {
  int hidden = 4096, heads = 32, kv_heads = 8, dim = 128, intermediate = 14336, vocab = 128256;
};

Sizes sizes_of(const Options& options) {
  if (!options.is_tiny) return {};
  return {.hidden = 256, .heads = 4, .kv_heads = 2, .dim = 64, .intermediate = 512, .vocab = 1024};
}

/// An operation on T rows: what a call on one copy of its data does, and the bytes that it reads
/// and writes.
struct RowCase {
  std::string name;
  double bytes = 0.0;
  int num_copies = 1;
  std::function<void(int)> call = {};
  bool is_step = true;
};

void run(const Bench& bench, DeviceMemory& memory, const RowCase& c) {
  if (auto ready = memory.finish(); !ready) {
    return bench.report.add_error(c.name, ready.error(), bench.backend);
  }
  const auto seconds = seconds_per_call(bench.backend, {.num_calls = c.num_copies,
                                                        .call = c.call,
                                                        .is_step = c.is_step,
                                                        .budget_seconds = bench.budget_seconds()});
  if (!seconds) return bench.report.add_error(c.name, seconds.error(), bench.backend);
  Values values = {{"us", *seconds * 1e6}};
  add_bytes(values, bench.ceilings, c.bytes, *seconds);
  bench.report.add(c.name, values);
}

std::string with_rows(const char* name, int rows) {
  return std::string(name) + " T=" + std::to_string(rows);
}

std::vector<TensorView> random_copies(DeviceMemory& memory, int count, int rows, int columns) {
  std::vector<TensorView> copies;
  for (int i = 0; i < count; ++i) copies.push_back(memory.random(DType::kF32, {rows, columns}));
  return copies;
}

void bench_norms(const Bench& bench, int rows) {
  const int hidden = sizes_of(bench.options).hidden;
  const double bytes = 4.0 * rows * hidden;
  const int copies = num_copies(bench, 3 * bytes, 16);
  DeviceMemory memory(bench.backend);
  const auto x = random_copies(memory, copies, rows, hidden);
  const auto delta = random_copies(memory, copies, rows, hidden);
  const auto out = random_copies(memory, copies, rows, hidden);
  const std::vector<float> ones(static_cast<size_t>(hidden), 1.0f);
  const TensorView weight = memory.floats(ones);
  const auto at = [](int i) { return static_cast<size_t>(i); };
  run(bench, memory, {with_rows("rms_norm", rows), 2 * bytes, copies, [&](int i) {
                        bench.backend.rms_norm(out[at(i)], x[at(i)], weight, 1e-5f);
                      }});
  run(bench, memory, {with_rows("add_rms_norm", rows), 4 * bytes, copies, [&](int i) {
                        bench.backend.add_rms_norm(out[at(i)], x[at(i)], delta[at(i)], weight,
                                                   1e-5f);
                      }});
}

void bench_glu(const Bench& bench, int rows) {
  const int width = sizes_of(bench.options).intermediate;
  const double bytes = 12.0 * rows * width;
  const int copies = num_copies(bench, bytes, 16);
  DeviceMemory memory(bench.backend);
  const auto gate_up = random_copies(memory, copies, rows, 2 * width);
  const auto out = random_copies(memory, copies, rows, width);
  run(bench, memory, {with_rows("glu", rows), bytes, copies, [&](int i) {
                        const auto copy = static_cast<size_t>(i);
                        bench.backend.glu(out[copy], gate_up[copy], {});
                      }});
}

/// Queries and keys read and written, values read, pages written.
void bench_rope(const Bench& bench, int rows) {
  const Sizes sizes = sizes_of(bench.options);
  const ChatBatch batch({.rows = rows, .context = rows});
  const DType dtype = bench.backend.info().kv_dtype;
  const double kv_columns = 1.0 * sizes.kv_heads * sizes.dim;
  const double q_columns = 1.0 * sizes.heads * sizes.dim;
  const double bytes = rows * (4.0 * (2 * q_columns + 3 * kv_columns + sizes.dim) +
                               bytes_per_key(dtype, sizes.kv_heads, sizes.dim));
  const int columns = (sizes.heads + 2 * sizes.kv_heads) * sizes.dim;
  const int copies = num_copies(bench, bytes, 16);
  DeviceMemory memory(bench.backend);
  DeviceBatch on_device(bench.backend, memory, batch);
  const auto qkv = random_copies(memory, copies, rows, columns);
  const TensorView cos_sin = memory.random(DType::kF32, {rows, sizes.dim});
  std::vector<KvLayerView> pages;
  for (int i = 0; i < copies; ++i) {
    pages.push_back(make_pages(memory, dtype, batch.num_blocks(), sizes.kv_heads, sizes.dim));
  }
  if (memory.finish()) on_device.upload(batch);
  run(bench, memory,
      {with_rows("rope_and_store", rows), bytes, copies, [&](int i) {
         const TensorView all = qkv[static_cast<size_t>(i)];
         const auto heads = [&](int begin, int count) {
           return all.columns(begin * sizes.dim, count * sizes.dim).split_columns(sizes.dim);
         };
         bench.backend.rope_and_store(heads(0, sizes.heads), heads(sizes.heads, sizes.kv_heads),
                                      heads(sizes.heads + sizes.kv_heads, sizes.kv_heads), cos_sin,
                                      on_device.slots, pages[static_cast<size_t>(i)]);
       }});
}

void bench_embed(const Bench& bench, DType dtype, int rows) {
  const Sizes sizes = sizes_of(bench.options);
  const int64_t row_bytes = dtype_span_bytes(dtype, sizes.hidden);
  const std::vector<char> numbers = random_numbers(dtype, sizes.vocab * row_bytes, 0.03f);
  const ConstTensorView part(numbers.data(), dtype, {sizes.vocab, sizes.hidden});
  std::vector<int32_t> ids;
  for (int i = 0; i < rows; ++i) {
    ids.push_back(static_cast<int32_t>(int64_t{1} * i * 7919 % sizes.vocab));
  }
  DeviceMemory memory(bench.backend);
  const LinearWeight* const table = memory.weight(std::span(&part, 1));
  const TensorView on_device = memory.integers(ids);
  const TensorView out = memory.zeros(DType::kF32, {rows, sizes.hidden});
  const double bytes = rows * (4.0 * sizes.hidden + static_cast<double>(row_bytes));
  const std::string name = "embed " + std::string(dtype_name(dtype));
  run(bench, memory, {with_rows(name.c_str(), rows), bytes, 1, [&](int) {
                        bench.backend.embed(out, *table, on_device, 1.0f);
                      }});
}

void bench_sample(const Bench& bench, int rows, const SampleRow& row, const char* name) {
  const int vocab = sizes_of(bench.options).vocab;
  const double bytes = 4.0 * rows * vocab;
  const int copies = num_copies(bench, bytes);
  DeviceMemory memory(bench.backend);
  const auto logits = random_copies(memory, copies, rows, vocab);
  // Within (-20, 20): a nucleus of some thousand tokens.
  for (const TensorView& view : logits) {
    if (!view.empty()) bench.backend.scale(view, 20.0f);
  }
  const TensorView tokens = memory.zeros(DType::kI32, {rows});
  const std::vector<SampleRow> all(static_cast<size_t>(rows), row);
  const auto call = [&](int i) {
    bench.backend.sample(tokens, logits[static_cast<size_t>(i)], {.rows = all});
  };
  // It uploads its parameters, and so is no part of a step that is kept.
  run(bench, memory, {with_rows(name, rows), bytes, copies, call, /*is_step=*/false});
}

}  // namespace

void bench_rows(const Bench& bench) {
  const bool is_tiny = bench.options.is_tiny;
  for (const int rows : is_tiny ? std::vector{1, 5} : std::vector{1, 64, 4096}) {
    bench_norms(bench, rows);
    bench_glu(bench, rows);
    bench_rope(bench, rows);
  }
  for (const DType dtype : {DType::kBF16, DType::kQ4_K}) {
    for (const int rows : is_tiny ? std::vector{5} : std::vector{1, 64, 4096}) {
      bench_embed(bench, dtype, rows);
    }
  }
  for (const int rows : is_tiny ? std::vector{2} : std::vector{1, 64}) {
    bench_sample(bench, rows, {}, "sample, greedy,");
    bench_sample(bench, rows, {.temperature = 0.7f, .top_k = 40, .top_p = 0.95f, .uniform = 0.6},
                 "sample, top-k 40, top-p 0.95,");
    bench_sample(bench, rows, {.temperature = 1.0f, .top_p = 0.95f, .uniform = 0.6},
                 "sample, top-p 0.95,");
  }
}

}  // namespace quire::bench
