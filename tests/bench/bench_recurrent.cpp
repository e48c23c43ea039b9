// Speed of recurrent layers' operations on the CPU: decode by the traffic of the states (read and
// written), prefill by the time of a token and layer.
//
// bench_recurrent [threads]; QUIRE_CPU_ISA chooses the instruction set.

#include <cstdlib>
#include <string>

#include "tests/bench/kernel_timing.h"

using namespace quire;
using namespace quire::bench;

namespace {

constexpr int64_t kPrefillRows = 1024;
constexpr int64_t kDecodeSequences = 16;
constexpr int64_t kLayers = 8;  ///< In turn, together larger than the caches.

ConstTensorView indices(const std::vector<int32_t>& values) {
  return {values.data(), DType::kI32, {static_cast<int64_t>(values.size())}};
}

/// S sequences of equal lengths, each with a slot of its own.
class Step {
 public:
  Step(int64_t num_sequences, int64_t rows) {
    for (int64_t s = 0; s <= num_sequences; ++s) {
      m_start.push_back(static_cast<int32_t>(s * rows));
      m_segments.push_back(static_cast<int32_t>(s));
      if (s > 0) m_ends.push_back(static_cast<int32_t>(s * rows));
      if (s > 0) m_slots.push_back(static_cast<int32_t>(s - 1));
    }
  }
  StateBatch batch() const {
    return {.query_start = indices(m_start),
            .segment_start = indices(m_segments),
            .row_end = indices(m_ends),
            .out = indices(m_slots),
            .in = indices(m_slots)};
  }

 private:
  std::vector<int32_t> m_start, m_segments, m_ends, m_slots;
};

/// Calls fn(states, batch, rows) for decode and for prefill. slot_floats: of one layer.
template <typename Fn>
void bench_steps(const char* name, int64_t slot_floats, Fn fn) {
  std::vector<float> states = ramp(kLayers * kDecodeSequences * slot_floats);
  int64_t layer = 0;
  const Step decode(kDecodeSequences, 1);
  const double decode_seconds = best_seconds([&] {
    layer = (layer + 1) % kLayers;
    fn(states.data() + layer * kDecodeSequences * slot_floats, kDecodeSequences, decode.batch(),
       kDecodeSequences);
  });
  const std::string title = std::string(name) + " decode of 16";
  print(title.c_str(), decode_seconds, 0.0,
        8.0 * static_cast<double>(kDecodeSequences * slot_floats));
  const Step prefill(1, kPrefillRows);
  const double seconds =
      best_seconds([&] { fn(states.data(), kDecodeSequences, prefill.batch(), kPrefillRows); });
  std::printf("%-52s %9.1f us %8.2f us a token and layer\n",
              (std::string(name) + " prefill of 1024").c_str(), seconds * 1e6,
              seconds * 1e6 / static_cast<double>(kPrefillRows));
}

TensorView view(std::vector<float>& x, int64_t rows, int64_t width) {
  return TensorView(x.data(), DType::kF32, {static_cast<int64_t>(x.size()) / width, width})
      .rows(0, rows);
}

void bench_conv(Backend& backend, int64_t C, int64_t K) {
  std::vector<float> x = ramp(kPrefillRows * C), out = x, weight = ramp(C * K);
  bench_steps("causal_conv 8192 K=4", (K - 1) * C,
              [&](float* states, int64_t slots, const StateBatch& batch, int64_t rows) {
                backend.causal_conv(view(out, rows, C), view(x, rows, C),
                                    {weight.data(), DType::kF32, {C, K}}, {},
                                    {states, DType::kF32, {slots, K - 1, C}}, batch, true);
              });
}

void bench_delta(Backend& backend, int64_t Hk, int64_t Hv, int64_t D) {
  std::vector<float> mixed = ramp(kPrefillRows * (2 * Hk + Hv) * D);
  std::vector<float> out = ramp(kPrefillRows * Hv * D), alpha = ramp(kPrefillRows * Hv),
                     beta = ramp(kPrefillRows * Hv), dt_bias = ramp(Hv);
  const std::vector<float> a(static_cast<size_t>(Hv), -1.0f);
  bench_steps(
      "gated_delta 16/32 heads 128x128", Hv * D * D,
      [&](float* states, int64_t slots, const StateBatch& batch, int64_t rows) {
        const TensorView qkv = view(mixed, rows, (2 * Hk + Hv) * D);
        backend.gated_delta(
            view(out, rows, Hv * D).split_columns(D), qkv.columns(0, Hk * D).split_columns(D),
            qkv.columns(Hk * D, Hk * D).split_columns(D),
            qkv.columns(2 * Hk * D, Hv * D).split_columns(D), view(alpha, rows, Hv),
            view(beta, rows, Hv), {states, DType::kF32, {slots, Hv, D, D}}, batch,
            {.a = {a.data(), DType::kF32, {Hv}}, .dt_bias = {dt_bias.data(), DType::kF32, {Hv}}});
      });
}

void bench_scan(Backend& backend, int64_t H, int64_t P, int64_t N) {
  const int64_t width = H * P + 2 * N;
  std::vector<float> mixed = ramp(kPrefillRows * width), out = ramp(kPrefillRows * H * P),
                     dt = ramp(kPrefillRows * H), d = ramp(H);
  const std::vector<float> a(static_cast<size_t>(H), -1.0f);
  bench_steps("mamba2_scan 128 heads 64x128", H * P * N,
              [&](float* states, int64_t slots, const StateBatch& batch, int64_t rows) {
                const TensorView all = view(mixed, rows, width);
                const ConstTensorView heads = {d.data(), DType::kF32, {H}};
                backend.mamba2_scan(
                    view(out, rows, H * P).split_columns(P), all.columns(0, H * P).split_columns(P),
                    all.columns(H * P, N).split_columns(N),
                    all.columns(H * P + N, N).split_columns(N), view(dt, rows, H),
                    {states, DType::kF32, {slots, H, P, N}}, batch,
                    {.a = {a.data(), DType::kF32, {H}}, .dt_bias = heads, .d = heads});
              });
}

/// Memory read and written by all threads: the limit for decode.
void bench_memory(Backend& backend) {
  const int64_t rows = 4096;
  std::vector<float> x = ramp(rows * 16384);
  const double seconds = best_seconds([&] { backend.scale(view(x, rows, 16384), 1.0f); });
  print("scale 256 MB in place (read and written)", seconds, 0.0,
        2.0 * static_cast<double>(x.size() * sizeof(float)));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  measures_processor_time = threads == 1;
  auto created = create_backend({.device = "cpu", .num_threads = threads});
  if (!created) {
    std::fprintf(stderr, "%s\n", created.error().message.c_str());
    return 1;
  }
  Backend& backend = **created;
  std::printf("%s\n", backend.info().description.c_str());
  bench_memory(backend);
  bench_conv(backend, 8192, 4);
  bench_delta(backend, 16, 32, 128);
  bench_scan(backend, 128, 64, 128);
}
