// Speed of the CPU kernels: GFLOP/s and GB/s of linear layers and of attention.
//
// bench_kernels [threads] [dtypes [int8]]; QUIRE_CPU_ISA chooses the instruction set. "dtypes"
// measures only every dtype of weight, "int8" with inputs rounded to 8 bits.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/bench/kernel_timing.h"

using namespace quire;
using namespace quire::bench;

namespace {

/// Several weights in turn, together larger than the caches, as in a model's layers.
void bench_linear(Backend& backend, DType dtype, int64_t T, int64_t N, int64_t K) {
  const int64_t weight_bytes = N * dtype_span_bytes(dtype, K);
  const std::vector<char> source(static_cast<size_t>(weight_bytes), 0x11);
  const ConstTensorView part(source.data(), dtype, {N, K});
  std::vector<std::unique_ptr<LinearWeight>> weights;
  const int64_t num_weights = std::clamp<int64_t>((int64_t{768} << 20) / weight_bytes, 1, 12);
  for (int64_t i = 0; i < num_weights; ++i) {
    weights.push_back(std::move(backend.pack_linear(std::span(&part, 1))).value());
  }
  std::vector<float> x = ramp(T * K);
  std::vector<float> out(static_cast<size_t>(T * N));
  size_t next = 0;
  const double seconds = best_seconds([&] {
    backend.linear({out.data(), DType::kF32, {T, N}}, {x.data(), DType::kF32, {T, K}},
                   *weights[next++ % weights.size()], {});
  });
  char what[80];
  std::snprintf(what, sizeof what, "linear %s T=%lld N=%lld K=%lld", dtype_name(dtype).data(),
                static_cast<long long>(T), static_cast<long long>(N), static_cast<long long>(K));
  print(what, seconds, 2.0 * static_cast<double>(T * N * K), static_cast<double>(weight_bytes));
}

/// Every dtype of weight: one row, where reading the weight is the limit, and many.
void bench_dtypes(Backend& backend) {
  for (int i = 0; i <= static_cast<int>(kLastDType); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_weight_dtype(dtype)) continue;
    for (int64_t T : {1, 64}) bench_linear(backend, dtype, T, 4096, 2048);
  }
}

/// All experts of a layer (Qwen3 30B-A3B's gate and up), k of them a token, other ones each time.
void bench_experts(Backend& backend, DType dtype, int64_t T) {
  const int64_t E = 64;
  const int64_t k = 8;
  const int64_t N = 1536;
  const int64_t K = 2048;
  const int64_t bytes = N * dtype_span_bytes(dtype, K);
  const std::vector<char> source(static_cast<size_t>(bytes), 0x11);
  const ConstTensorView part(source.data(), dtype, {N, K});
  std::vector<std::unique_ptr<LinearWeight>> weights;
  std::vector<const LinearWeight*> experts;
  for (int64_t e = 0; e < E; ++e) {
    weights.push_back(std::move(backend.pack_linear(std::span(&part, 1))).value());
    experts.push_back(weights.back().get());
  }
  std::vector<float> x = ramp(T * K);
  std::vector<float> out(static_cast<size_t>(T * k * N));
  std::vector<int32_t> ids(static_cast<size_t>(T * k));
  uint32_t next = 1;
  const double seconds = best_seconds([&] {
    // A token's ids need not differ for this.
    for (int32_t& id : ids) id = static_cast<int32_t>((next = next * 1664525 + 1013904223) >> 26);
    backend.linear_experts({out.data(), DType::kF32, {T * k, N}}, {x.data(), DType::kF32, {T, K}},
                           experts, {}, {ids.data(), DType::kI32, {T, k}});
  });
  char what[80];
  std::snprintf(what, sizeof what, "experts %s T=%lld k=8 of 64 N=1536 K=2048",
                dtype_name(dtype).data(), static_cast<long long>(T));
  print(what, seconds, 2.0 * static_cast<double>(T * k * N * K),
        static_cast<double>(bytes * std::min(E, T * k)));
}

/// What a model's load waits for after the disk.
void bench_pack(Backend& backend, DType dtype) {
  const int64_t N = 8192;
  const int64_t K = 4096;
  const int64_t bytes = N * dtype_span_bytes(dtype, K);
  const std::vector<char> source(static_cast<size_t>(bytes), 0x11);
  const ConstTensorView part(source.data(), dtype, {N, K});
  const double seconds =
      best_seconds([&] { backend.pack_linear(std::span(&part, 1)).value().reset(); });
  char what[80];
  std::snprintf(what, sizeof what, "pack %s", dtype_name(dtype).data());
  print(what, seconds, 0.0, static_cast<double>(bytes));
}

struct AttentionShape {
  int64_t sequences;
  int64_t rows;  ///< Query rows of each sequence.
  int64_t context;
  int64_t heads;
  int64_t kv_heads;
  int64_t dim;
};

void bench_attention(Backend& backend, DType dtype, const AttentionShape& s) {
  const int64_t blocks = (s.context + kBlockSize - 1) / kBlockSize;
  const int64_t pool = s.sequences * blocks * s.kv_heads * kBlockSize * s.dim;
  const auto bytes = static_cast<size_t>(pool * dtype_bytes(dtype));
  const auto keys = std::move(backend.allocate(bytes)).value();
  const auto values = std::move(backend.allocate(bytes)).value();
  std::memset(keys->data(), 0x11, bytes);
  std::memset(values->data(), 0x11, bytes);
  std::vector<int32_t> start = {0};
  std::vector<int32_t> context;
  std::vector<int32_t> tables;
  for (int64_t i = 0; i < s.sequences; ++i) {
    start.push_back(static_cast<int32_t>((i + 1) * s.rows));
    context.push_back(static_cast<int32_t>(s.context));
    // Pages of the sequences lie among each other, as they are taken while all of them grow.
    for (int64_t b = 0; b < blocks; ++b)
      tables.push_back(static_cast<int32_t>(b * s.sequences + i));
  }
  const int64_t T = s.sequences * s.rows;
  std::vector<float> q = ramp(T * s.heads * s.dim);
  std::vector<float> out(q.size());
  const std::initializer_list<int64_t> shape = {s.sequences * blocks, s.kv_heads, kBlockSize,
                                                s.dim};
  const double seconds = best_seconds([&] {
    backend.attention({out.data(), DType::kF32, {T, s.heads, s.dim}},
                      {q.data(), DType::kF32, {T, s.heads, s.dim}},
                      {{keys->data(), dtype, shape}, {values->data(), dtype, shape}},
                      {{start.data(), DType::kI32, {s.sequences + 1}},
                       {context.data(), DType::kI32, {s.sequences}},
                       {tables.data(), DType::kI32, {s.sequences, blocks}}},
                      {.scale = 0.1f});
  });
  char what[80];
  std::snprintf(what, sizeof what, "attention %s %lldx%lld of %lld H=%lld/%lld D=%lld",
                dtype_name(dtype).data(), static_cast<long long>(s.sequences),
                static_cast<long long>(s.rows), static_cast<long long>(s.context),
                static_cast<long long>(s.heads), static_cast<long long>(s.kv_heads),
                static_cast<long long>(s.dim));
  const double keys_per_row = static_cast<double>(s.context) - static_cast<double>(s.rows - 1) / 2;
  print(what, seconds, 4.0 * static_cast<double>(T * s.heads * s.dim) * keys_per_row,
        2.0 * static_cast<double>(bytes));
}

/// Reading alone, by every thread that a linear layer would use: the limit for one row.
void bench_memory(Backend& backend) {
  const int64_t n = int64_t{64} << 20;
  const auto a = std::move(backend.allocate(static_cast<size_t>(n))).value();
  const auto b = std::move(backend.allocate(static_cast<size_t>(n))).value();
  const double seconds =
      best_seconds([&] { backend.copy(b->data(), a->data(), static_cast<size_t>(n)); });
  print("copy 64 MB, one thread (read and written)", seconds, 0.0, 2.0 * static_cast<double>(n));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  measures_processor_time = threads == 1;
  const bool rounds = argc > 3 && std::strcmp(argv[3], "int8") == 0;
  auto created =
      create_backend({.device = "cpu", .num_threads = threads, .quantize_activations = rounds});
  if (!created) {
    std::fprintf(stderr, "%s\n", created.error().message.c_str());
    return 1;
  }
  Backend& backend = **created;
  std::printf("%s\n", backend.info().description.c_str());
  bench_memory(backend);
  bench_dtypes(backend);
  for (DType dtype : {DType::kBF16, DType::kQ4_K, DType::kQ6_K}) bench_pack(backend, dtype);
  for (DType dtype : {DType::kQ4_K, DType::kMXFP4}) {
    for (int64_t T : {1, 16, 256}) bench_experts(backend, dtype, T);
  }
  for (int64_t T : {2, 4, 8, 16}) bench_linear(backend, DType::kQ4_K, T, 4096, 2048);
  if (argc > 2 && std::strcmp(argv[2], "dtypes") == 0) return 0;
  for (DType dtype : {DType::kBF16, DType::kF16, DType::kF32}) {
    for (int64_t T : {1, 4, 16, 512}) bench_linear(backend, dtype, T, 2048, 2048);
  }
  for (int64_t T : {1, 16, 512}) bench_linear(backend, DType::kBF16, T, 8192, 2048);
  for (int64_t T : {1, 512}) bench_linear(backend, DType::kBF16, T, 2048, 8192);
  bench_linear(backend, DType::kBF16, 1, 512, 512);
  for (DType dtype : {DType::kF16, DType::kF32}) {
    bench_attention(backend, dtype, {1, 1, 8192, 32, 8, 64});
    bench_attention(backend, dtype, {16, 1, 1024, 32, 8, 64});
    bench_attention(backend, dtype, {1, 512, 512, 32, 8, 64});
    bench_attention(backend, dtype, {1, 512, 4096, 32, 8, 128});
    bench_attention(backend, dtype, {4, 1, 4096, 16, 16, 128});
  }
}
