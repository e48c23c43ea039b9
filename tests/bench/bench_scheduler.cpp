// Cost of the scheduler and the cache for a step: what the engine does on the host beside the
// model's arithmetic, in microseconds of one core, by processor time.
//
// bench_scheduler [sequences] [tokens of each]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "engine/scheduler/scheduler.h"

using namespace quire;

namespace {

double processor_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

std::vector<int32_t> random_tokens(int count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  for (int32_t& token : tokens) token = static_cast<int32_t>(random() % 32000);
  return tokens;
}

void print(const char* name, std::vector<double> microseconds) {
  if (microseconds.empty()) return;
  std::sort(microseconds.begin(), microseconds.end());
  double sum = 0.0;
  for (const double us : microseconds) sum += us;
  const size_t count = microseconds.size();
  std::printf("%-34s %5zu steps  mean %8.1f us  p50 %8.1f  p99 %8.1f  most %8.1f\n", name, count,
              sum / static_cast<double>(count), microseconds[count / 2],
              microseconds[count * 99 / 100], microseconds.back());
}

/// Steps a scheduler whose model computes nothing.
class Load {
 public:
  Load(int num_sequences, int num_tokens)
      : m_cache(num_sequences * (blocks_for(num_tokens) + 16)),
        m_scheduler(m_cache, {.max_batch_tokens = 2048, .max_sequences = num_sequences}) {}

  void add(std::vector<int32_t> prompt) {
    m_scheduler.add(std::make_unique<Sequence>(++m_last_id, root_key("bench"), std::move(prompt)));
  }

  bool is_all_decoding() const {
    return m_scheduler.waiting().empty() &&
           std::ranges::all_of(m_scheduler.running(), [](const auto& sequence) {
             return sequence->table.num_uncomputed() == 1;
           });
  }

  /// Microseconds of a step: schedule, make the batch, take what was computed, append.
  double step() {
    const double begin = processor_us();
    const StepPlan plan = m_scheduler.schedule();
    const ForwardBatch batch = make_forward_batch(plan);
    for (const ScheduledRows& rows : plan.rows) m_scheduler.mark_computed(rows);
    for (const ScheduledRows& rows : plan.rows) {
      if (rows.samples) rows.sequence->table.append(++m_token % 32000);
    }
    const double end = processor_us();
    if (batch.num_tokens() != plan.num_tokens) std::abort();
    return end - begin;
  }

 private:
  BlockCache m_cache;
  Scheduler m_scheduler;
  SequenceId m_last_id = 0;
  int32_t m_token = 0;
};

/// Chats that begin alike for `shared` tokens.
void measure(const char* name, int num_sequences, int num_tokens, int shared) {
  Load load(num_sequences, num_tokens);
  const auto prefix = random_tokens(shared, 1);
  for (int i = 0; i < num_sequences; ++i) {
    auto prompt = random_tokens(num_tokens, 2 + static_cast<uint32_t>(i));
    std::copy(prefix.begin(), prefix.end(), prompt.begin());
    load.add(std::move(prompt));
  }
  std::vector<double> prefill, decode;
  while (!load.is_all_decoding()) prefill.push_back(load.step());
  for (int i = 0; i < 200; ++i) decode.push_back(load.step());
  std::printf("%s\n", name);
  print("  reading the prompts", prefill);
  print("  all decode", decode);
}

}  // namespace

int main(int argc, char** argv) {
  const int num_sequences = argc > 1 ? std::atoi(argv[1]) : 64;
  const int num_tokens = argc > 2 ? std::atoi(argv[2]) : 8000;
  if (num_sequences < 1 || num_tokens < 2) {
    std::fprintf(stderr, "usage: bench_scheduler [sequences] [tokens of each]\n");
    return 2;
  }
  std::printf("%d sequences of %d tokens\n", num_sequences, num_tokens);
  measure("nothing in common", num_sequences, num_tokens, 0);
  measure("one half in common", num_sequences, num_tokens, num_tokens / 2);
  measure("all but the last block in common", num_sequences, num_tokens, num_tokens - 16);
}
