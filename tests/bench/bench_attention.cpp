// Attention of prompts and of answers by itself, in GFLOP/s and GB/s; of sequences that share their
// first pages against the same with pages of their own; and of one long context by the number of
// threads.
//
// bench_attention [threads [f32|f16|bf16|i8|long|short [f32|f16|bf16|i8]]]: all types, or only
// attention alone over pages of one. "long": only decodes of long contexts, in GB/s beside a plain
// loop that reads as many bytes, which takes turns with them, and with pages in the caches.
// "short": only decodes of few keys. QUIRE_CPU_ISA chooses the instruction set. The two sides of a
// ratio take turns, and their medians are compared, which a busy machine disturbs least. One thread
// is measured by the processor's time.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/backend.h"
#include "kernels/base/processor_cores.h"

using namespace quire;

namespace {

constexpr int kRepeats = 41;
constexpr int kLongRepeats = 9;

clockid_t g_clock = CLOCK_MONOTONIC;

double now_us() {
  timespec time{};
  clock_gettime(g_clock, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

/// Llama 3.2 1B's heads unless it says otherwise.
struct Shape {
  int64_t sequences = 1;
  int64_t prefix = 0;
  int64_t own = 64;
  int64_t rows = 1;  ///< Of each sequence, its last tokens.
  bool shared = false;
  int64_t heads = 32;
  int64_t kv_heads = 8;
  int64_t dim = 64;
  int64_t value_dim = 0;  ///< 0: dim.
  int64_t window = 0;
};

/// The last tokens of some sequences, each behind a prefix and its own tokens.
class Step {
 public:
  Step(Backend& backend, DType dtype, const Shape& shape) : m_shape(shape), m_dtype(dtype) {
    if (m_shape.value_dim == 0) m_shape.value_dim = shape.dim;
    const int64_t prefix_blocks = shape.prefix / kBlockSize;
    const int64_t blocks = (shape.prefix + shape.own + kBlockSize - 1) / kBlockSize;
    m_max_blocks = blocks;
    for (int64_t s = 0; s < shape.sequences; ++s) {
      m_start.push_back(static_cast<int32_t>((s + 1) * shape.rows));
      m_context.push_back(static_cast<int32_t>(shape.prefix + shape.own));
      for (int64_t b = 0; b < blocks; ++b) {
        const bool reuses = shape.shared && s > 0 && b < prefix_blocks;
        m_tables.push_back(reuses ? m_tables[static_cast<size_t>(b)]
                                  : static_cast<int32_t>(m_num_blocks++));
      }
    }
    const int64_t slot_bytes = m_num_blocks * shape.kv_heads * kBlockSize * dtype_bytes(dtype);
    m_keys = filled(backend, static_cast<size_t>(slot_bytes * m_shape.dim));
    m_values = filled(backend, static_cast<size_t>(slot_bytes * m_shape.value_dim));
    const auto slots = static_cast<size_t>(m_num_blocks * shape.kv_heads * kBlockSize);
    m_scales.assign(dtype == DType::kI8 ? slots : 0, 0.01f);
    m_q.resize(static_cast<size_t>(shape.sequences * shape.rows * shape.heads * shape.dim));
    for (size_t i = 0; i < m_q.size(); ++i) m_q[i] = static_cast<float>(i % 97) * 0.01f - 0.5f;
    m_out.resize(
        static_cast<size_t>(shape.sequences * shape.rows * shape.heads * m_shape.value_dim));
  }

  double run_us(Backend& backend) {
    const int64_t S = m_shape.sequences;
    const int64_t T = S * m_shape.rows;
    const double begin = now_us();
    backend.attention({m_out.data(), DType::kF32, {T, m_shape.heads, m_shape.value_dim}},
                      {m_q.data(), DType::kF32, {T, m_shape.heads, m_shape.dim}}, pages(),
                      {{m_start.data(), DType::kI32, {S + 1}},
                       {m_context.data(), DType::kI32, {S}},
                       {m_tables.data(), DType::kI32, {S, m_max_blocks}}},
                      {.scale = 0.1f, .sliding_window = static_cast<int>(m_shape.window)});
    return now_us() - begin;
  }

  /// Of the two products.
  double num_operations() const {
    double keys = 0.0;
    for (int64_t row = 0; row < m_shape.rows; ++row) keys += static_cast<double>(num_seen(row));
    return 2.0 * keys *
           static_cast<double>(m_shape.sequences * m_shape.heads *
                               (m_shape.dim + m_shape.value_dim));
  }
  /// Of the keys and values that the last row sees, of all sequences.
  double num_bytes() const {
    const int64_t context = m_shape.prefix + m_shape.own;
    return static_cast<double>(m_num_blocks * kBlockSize * m_shape.kv_heads *
                               (m_shape.dim + m_shape.value_dim) * dtype_bytes(m_dtype)) *
           static_cast<double>(num_seen(0)) / static_cast<double>(context);
  }

 private:
  static std::unique_ptr<DeviceBuffer> filled(Backend& backend, size_t bytes) {
    std::unique_ptr<DeviceBuffer> buffer = backend.allocate(bytes).value();
    std::fill_n(static_cast<unsigned char*>(buffer->data()), bytes, 0x11);
    return buffer;
  }

  /// Keys that the row sees which is `row` before the last one.
  int64_t num_seen(int64_t row) const {
    const int64_t keys = m_shape.prefix + m_shape.own - row;
    return m_shape.window > 0 ? std::min(keys, m_shape.window) : keys;
  }

  KvLayerView pages() {
    const int64_t blocks = m_num_blocks;
    const int64_t heads = m_shape.kv_heads;
    KvLayerView view = {
        {m_keys->data(), m_dtype, {blocks, heads, m_shape.dim, kBlockSize}},
        {m_values->data(), m_dtype, {blocks, heads, kBlockSize, m_shape.value_dim}}};
    if (m_scales.empty()) return view;
    view.key_scales = {m_scales.data(), DType::kF32, {blocks, heads, kBlockSize}};
    view.value_scales = view.key_scales;
    return view;
  }

  Shape m_shape;
  DType m_dtype;
  int64_t m_max_blocks = 0;
  int64_t m_num_blocks = 0;
  std::unique_ptr<DeviceBuffer> m_keys;
  std::unique_ptr<DeviceBuffer> m_values;
  std::vector<float> m_scales;  ///< Of i8.
  std::vector<int32_t> m_start = {0};
  std::vector<int32_t> m_context;
  std::vector<int32_t> m_tables;
  std::vector<float> m_q;
  std::vector<float> m_out;
};

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

template <typename First, typename Second>
void compare(const char* what, DType dtype, First first, Second second) {
  std::vector<double> a;
  std::vector<double> b;
  first();
  second();
  for (int i = 0; i < kRepeats; ++i) {
    a.push_back(first());
    b.push_back(second());
  }
  const double best_a = *std::min_element(a.begin(), a.end());
  const double best_b = *std::min_element(b.begin(), b.end());
  std::printf("%-56s %-3s fastest %8.1f %8.1f us, ratio %.2f; median %8.1f %8.1f us, ratio %.2f\n",
              what, dtype_name(dtype).data(), best_a, best_b, best_a / best_b, median(a), median(b),
              median(a) / median(b));
}

void measure(Backend& backend, DType dtype, const char* what, const Shape& shape) {
  Step step(backend, dtype, shape);
  std::vector<double> times;
  step.run_us(backend);
  for (int i = 0; i < kRepeats; ++i) times.push_back(step.run_us(backend));
  const double best = *std::min_element(times.begin(), times.end());
  std::printf("%-56s %-3s fastest %8.1f us, median %8.1f; %.0f GFLOP/s, %.1f GB/s\n", what,
              dtype_name(dtype).data(), best, median(times), step.num_operations() / best * 1e-3,
              step.num_bytes() / best * 1e-3);
}

void measure_alone(Backend& backend, DType dtype) {
  measure(backend, dtype, "a prompt of 512", {.own = 512, .rows = 512});
  measure(backend, dtype, "512 more behind 3,584", {.own = 4096, .rows = 512});
  measure(backend, dtype, "a prompt of 512, heads of 128",
          {.own = 512, .rows = 512, .heads = 16, .kv_heads = 4, .dim = 128});
  measure(backend, dtype, "one token behind 8,191", {.own = 8192});
  measure(backend, dtype, "one token behind 8,191, heads of 128",
          {.own = 8192, .heads = 16, .kv_heads = 4, .dim = 128});
  measure(backend, dtype, "one token behind 2,047, as many heads of keys",
          {.own = 2048, .kv_heads = 32});
}

/// Decodes of a long chat: MLA's absorbed form (DeepSeek's latent of 512 and 64 rotated
/// dimensions), and the two kinds of layers of a model with windows (Gemma 3's heads).
void measure_long_context(Backend& backend, DType dtype) {
  const int64_t context = 32768;
  measure(backend, dtype, "MLA, 16 heads: one token behind 32,767",
          {.own = context, .heads = 16, .kv_heads = 1, .dim = 576, .value_dim = 512});
  measure(backend, dtype, "MLA, 16 heads: a prompt of 512",
          {.own = 512, .rows = 512, .heads = 16, .kv_heads = 1, .dim = 576, .value_dim = 512});
  measure(backend, dtype, "8 heads of 256 over 4: one token behind 32,767",
          {.own = context, .heads = 8, .kv_heads = 4, .dim = 256});
  measure(backend, dtype, "the same with a window of 1,024",
          {.own = context, .heads = 8, .kv_heads = 4, .dim = 256, .window = 1024});
}

/// Threads that only read memory: what the GB/s of attention are to be compared with.
class PlainRead {
 public:
  explicit PlainRead(size_t num_bytes) : m_words(num_bytes / sizeof(uint64_t), 1) {}

  double run_us(int num_threads) {
    const double begin = now_us();
    std::vector<std::thread> threads;
    std::vector<uint64_t> sums(static_cast<size_t>(num_threads));
    for (int i = 0; i < num_threads; ++i) {
      const auto part = [&](int n) {
        return m_words.begin() + static_cast<std::ptrdiff_t>(m_words.size()) * n / num_threads;
      };
      uint64_t& sum = sums[static_cast<size_t>(i)];
      if (num_threads == 1) {
        sum = std::reduce(part(0), part(1));
      } else {
        threads.emplace_back(
            [&sum, from = part(i), to = part(i + 1)] { sum = std::reduce(from, to); });
      }
    }
    for (std::thread& thread : threads) thread.join();
    m_sum += std::reduce(sums.begin(), sums.end());
    return now_us() - begin;
  }
  uint64_t sum() const { return m_sum; }

 private:
  std::vector<uint64_t> m_words;
  uint64_t m_sum = 0;  ///< So that the loop is not left out.
};

/// GB/s of one token behind so few that their pages are in the second-level cache: what attention
/// could reach if reading took no time.
double cached_gb(Backend& backend, DType dtype, Shape shape) {
  constexpr int64_t kCachedBytes = 384 << 10;
  const int64_t token_bytes = shape.kv_heads * shape.dim * 2 * dtype_bytes(dtype);
  shape.sequences = 1;
  shape.own = std::max<int64_t>(64, kCachedBytes / token_bytes / 64 * 64);
  Step step(backend, dtype, shape);
  std::vector<double> times;
  step.run_us(backend);
  for (int i = 0; i < 4 * kRepeats; ++i) times.push_back(step.run_us(backend));
  return step.num_bytes() / median(times) * 1e-3;
}

/// The shape in several layers, whose pages together are larger than the caches.
void compare_with_reading(Backend& backend, int num_threads, DType dtype, const char* what,
                          const Shape& shape) {
  constexpr int kLayers = 3;
  std::vector<Step> layers;
  for (int i = 0; i < kLayers; ++i) layers.emplace_back(backend, dtype, shape);
  const double scale_bytes =
      dtype == DType::kI8 ? 2.0 * sizeof(float) * double(shape.own * shape.kv_heads) : 0.0;
  const double bytes =
      kLayers * (layers[0].num_bytes() + scale_bytes * static_cast<double>(shape.sequences));
  PlainRead reading(static_cast<size_t>(bytes));
  std::vector<double> attending, plain;
  for (int i = 0; i <= kLongRepeats; ++i) {
    double us = 0.0;
    for (Step& layer : layers) us += layer.run_us(backend);
    const double read_us = reading.run_us(num_threads);
    if (i == 0) continue;  // Touches the memory.
    attending.push_back(us);
    plain.push_back(read_us);
  }
  const double gb = bytes / median(attending) * 1e-3, plain_gb = bytes / median(plain) * 1e-3;
  const double cached = num_threads == 1 ? cached_gb(backend, dtype, shape) : 0.0;
  std::printf(
      "%-30s %-4s %6.2f ms a layer, %5.1f GB/s; only read %5.1f GB/s (%llu); share %.2f; in the "
      "caches %.1f GB/s\n",
      what, dtype_name(dtype).data(), median(attending) / kLayers * 1e-3, gb, plain_gb,
      static_cast<unsigned long long>(reading.sum() % 10), gb / plain_gb, cached);
}

/// One token of a chat behind 32,767 (with as many heads of keys as of queries behind 8,191), and
/// of each of 16 chats behind 4,095.
void measure_long(Backend& backend, int num_threads, DType dtype) {
  const auto compare = [&](const char* what, const Shape& shape) {
    compare_with_reading(backend, num_threads, dtype, what, shape);
  };
  const int64_t own = 32768;
  compare("32 heads of 64 over 8", {.own = own});
  compare("16 heads of 128 over 4", {.own = own, .heads = 16, .kv_heads = 4, .dim = 128});
  compare("32 heads of 128 over 8", {.own = own, .heads = 32, .kv_heads = 8, .dim = 128});
  compare("16 heads of 128 over 8", {.own = own, .heads = 16, .kv_heads = 8, .dim = 128});
  compare("8 heads of 256 over 4", {.own = own, .heads = 8, .kv_heads = 4, .dim = 256});
  compare("14 heads of 64 over 2", {.own = own, .heads = 14, .kv_heads = 2, .dim = 64});
  compare("32 heads of 64 over 32", {.own = 8192, .heads = 32, .kv_heads = 32, .dim = 64});
  compare("16 chats, 32 heads of 64 over 8", {.sequences = 16, .own = 4096});
}

void measure_short(Backend& backend, DType dtype) {
  for (const int64_t context : {1, 16, 64, 100, 256, 512}) {
    char what[80];
    std::snprintf(what, sizeof what, "one token, context of %lld", static_cast<long long>(context));
    measure(backend, dtype, what, {.own = context});
  }
}

void compare_sharing(Backend& backend, DType dtype, Shape shape) {
  Step separate(backend, dtype, shape);
  shape.shared = true;
  Step shared(backend, dtype, shape);
  char what[80];
  std::snprintf(what, sizeof what, "%lld decodes, prefix %lld, own %lld: separate, shared",
                static_cast<long long>(shape.sequences), static_cast<long long>(shape.prefix),
                static_cast<long long>(shape.own));
  compare(
      what, dtype, [&] { return separate.run_us(backend); },
      [&] { return shared.run_us(backend); });
}

void compare_threads(Backend& one, Backend& all, DType dtype, const Shape& shape) {
  Step step(one, dtype, shape);
  char what[80];
  std::snprintf(what, sizeof what, "one decode of %lld, %lld KV heads: one thread, all",
                static_cast<long long>(shape.own), static_cast<long long>(shape.kv_heads));
  compare(
      what, dtype, [&] { return step.run_us(one); }, [&] { return step.run_us(all); });
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  if (threads == 1) g_clock = CLOCK_PROCESS_CPUTIME_ID;
  auto created = create_backend({.device = "cpu", .num_threads = threads});
  auto single = create_backend({.device = "cpu", .num_threads = 1});
  if (!created || !single) {
    std::fprintf(stderr, "%s\n", (!created ? created : single).error().message.c_str());
    return 1;
  }
  Backend& backend = **created;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // In a file, too, a line is seen when it is made.
  std::printf("%s\n", backend.info().description.c_str());
  const std::string_view which = argc > 2 ? argv[2] : "";
  if (which == "long" || which == "short") {
    for (DType dtype : {DType::kI8, DType::kF16, DType::kBF16}) {
      if (argc > 3 && dtype_name(dtype) != argv[3]) continue;
      if (which == "short") {
        measure_short(backend, dtype);
      } else {
        measure_long(backend, threads > 0 ? threads : num_usable_cores(), dtype);
      }
    }
    return 0;
  }
  for (DType dtype : {DType::kI8, DType::kF16, DType::kBF16, DType::kF32}) {
    if (argc < 3 || dtype_name(dtype) == argv[2]) measure_alone(backend, dtype);
  }
  for (DType dtype : {DType::kI8, DType::kF16, DType::kBF16}) {
    if (argc < 3 || dtype_name(dtype) == argv[2]) measure_long_context(backend, dtype);
  }
  if (argc > 2) return 0;
  for (DType dtype : {DType::kI8, DType::kF16, DType::kBF16, DType::kF32}) {
    compare_sharing(backend, dtype, {.sequences = 16, .prefix = 1024});
    compare_sharing(backend, dtype, {.sequences = 16, .prefix = 1024, .own = 1000});
    compare_sharing(backend, dtype, {.sequences = 2, .prefix = 1024});
    compare_sharing(backend, dtype, {.sequences = 64, .prefix = 1024, .own = 200});
    compare_sharing(backend, dtype,
                    {.sequences = 16, .prefix = 1024, .heads = 16, .kv_heads = 16, .dim = 128});
    compare_sharing(backend, dtype, {.sequences = 16, .prefix = 0, .own = 60});
    compare_threads(**single, backend, dtype, {.own = 8192});
    compare_threads(**single, backend, dtype, {.own = 8192, .heads = 8, .kv_heads = 1, .dim = 128});
  }
}
