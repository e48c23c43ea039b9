#include <string>
#include <vector>

#include "tests/bench/gpu/chat_batch.h"
#include "tests/bench/gpu/kernel_benches.h"
#include "tests/bench/gpu/timing.h"

namespace quire::bench {
namespace {

struct Heads {
  int num_heads, num_kv_heads, dim;
};

Heads heads_of(const Options& options) {
  return options.is_tiny ? Heads{4, 2, 64} : Heads{32, 8, 128};
}

struct AttentionCase {
  std::string name;
  DType dtype;  ///< Of the pages.
  ChatShape chats;
};

Values values_of(const Bench& bench, const AttentionCase& c, const ChatBatch& batch,
                 double seconds) {
  const Heads heads = heads_of(bench.options);
  Values values = {{"us", seconds * 1e6}};
  if (c.chats.rows == 1) {
    const double bytes =
        batch.keys_to_read() * bytes_per_key(c.dtype, heads.num_kv_heads, heads.dim);
    add_bytes(values, bench.ceilings, bytes, seconds);
  } else {
    const double flops = 4.0 * heads.num_heads * heads.dim * batch.keys_seen();
    add_flops(values, bench.ceilings, flops, seconds);
  }
  return values;
}

Result<double> measure(const Bench& bench, const AttentionCase& c, const ChatBatch& batch) {
  const Heads heads = heads_of(bench.options);
  DeviceMemory memory(bench.backend);
  DeviceBatch on_device(bench.backend, memory, batch);
  // Pages of several layers in turn, as in a step.
  const double bytes =
      batch.num_blocks() * kBlockSize * bytes_per_key(c.dtype, heads.num_kv_heads, heads.dim);
  std::vector<KvLayerView> layers;
  for (int i = num_copies(bench, bytes); i > 0; --i) {
    layers.push_back(
        make_pages(memory, c.dtype, batch.num_blocks(), heads.num_kv_heads, heads.dim));
  }
  const TensorView q = memory.random(DType::kF32, {batch.num_tokens(), heads.num_heads, heads.dim});
  const TensorView out =
      memory.zeros(DType::kF32, {batch.num_tokens(), heads.num_heads, heads.dim});
  if (auto ready = memory.finish(); !ready) return ready.error();
  on_device.upload(batch);
  on_device.announce(batch);
  const auto call = [&](int i) {
    bench.backend.attention(out, q, layers[static_cast<size_t>(i)], on_device.attention,
                            {.scale = 0.09f});
  };
  return seconds_per_call(bench.backend, {.num_calls = static_cast<int>(layers.size()),
                                          .call = call,
                                          .budget_seconds = bench.budget_seconds()});
}

void run(const Bench& bench, const AttentionCase& c) {
  if (!bench.backend.supports_kv(c.dtype)) {
    return bench.report.add_not_run(c.name, "this device keeps no such pages");
  }
  const ChatBatch batch(c.chats);
  const Result<double> seconds = measure(bench, c, batch);
  if (!seconds) return bench.report.add_error(c.name, seconds.error(), bench.backend);
  bench.report.add(c.name, values_of(bench, c, batch, *seconds));
}

void bench_decode(const Bench& bench, DType dtype) {
  const bool is_tiny = bench.options.is_tiny;
  const int context = is_tiny ? 96 : 8192;
  const int prefix = is_tiny ? 40 : 1000;
  const std::string start = "attention " + std::string(dtype_name(dtype)) + " ";
  for (const int chats : is_tiny ? std::vector{1, 3} : std::vector{1, 32, 64}) {
    const std::string name = start + std::to_string(chats) + (chats == 1 ? " chat" : " chats") +
                             " of " + std::to_string(context);
    run(bench, {name, dtype, {.num_chats = chats, .context = context}});
    if (chats == 1) continue;
    run(bench, {name + ", shared prefix",
                dtype,
                {.num_chats = chats, .context = context, .shared_prefix = prefix}});
  }
}

void bench_prefill(const Bench& bench, DType dtype) {
  for (const int rows : bench.options.is_tiny ? std::vector{48} : std::vector{512, 4096}) {
    const std::string name =
        "attention " + std::string(dtype_name(dtype)) + " prefill " + std::to_string(rows);
    run(bench, {name, dtype, {.rows = rows, .context = rows}});
  }
}

}  // namespace

void bench_attention(const Bench& bench) {
  std::vector<DType> dtypes = {DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8};
  if (bench.options.is_quick) dtypes = {DType::kF16, DType::kI8};
  for (const DType dtype : dtypes) {
    bench_decode(bench, dtype);
    bench_prefill(bench, dtype);
  }
}

}  // namespace quire::bench
