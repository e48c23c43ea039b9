// What it costs to sample a token from a large vocabulary, in processor time of one thread.
//
// bench_sampling [vocabulary]; 151,936 (Qwen's) if not given. Logits are Gaussian with a few peaks,
// new ones for each token, and lie in the caches as a model's last product leaves them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "kernels/cpu/sampling/logit_passes.h"
#include "tests/engine/sampling/sample_one.h"

using namespace quire;
using namespace quire::cpu;

namespace {

constexpr int kTokens = 1001;
constexpr int kHistory = 1000;
constexpr double kTargetUs = 200.0;

double thread_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

/// Gaussian logits of which a few are likely tokens' and lie around `peak`.
struct LogitShape {
  float spread = 2.0f;
  int num_peaks = 12;
  float peak = 12.0f;
};
/// A chat model's: some ten tokens share nearly all of the probability up to a temperature of 1.2.
constexpr LogitShape kPeaked = {.spread = 2.0f, .num_peaks = 12, .peak = 18.0f};

std::vector<float> random_logits(int vocabulary, const LogitShape& shape, std::mt19937& random) {
  std::normal_distribution<float> gaussian(0.0f, shape.spread);
  std::vector<float> logits(static_cast<size_t>(vocabulary));
  for (float& logit : logits) logit = gaussian(random);
  for (int i = 0; i < shape.num_peaks; ++i) {
    logits[random() % logits.size()] = shape.peak + 0.5f * gaussian(random);
  }
  return logits;
}

/// Half a prompt's, half an answer's tokens, some of which are likely to come again.
TokenHistory random_history(const std::vector<std::vector<float>>& pool, std::mt19937& random) {
  const auto vocabulary = static_cast<uint32_t>(pool.front().size());
  TokenHistory history(static_cast<int>(vocabulary));
  std::vector<TokenId> prompt(kHistory / 2);
  for (TokenId& id : prompt) id = static_cast<TokenId>(random() % vocabulary);
  history.add_prompt(prompt);
  for (int i = 0; i < kHistory / 2; ++i) {
    const std::vector<float>& logits = pool[random() % pool.size()];
    const auto likeliest = std::max_element(logits.begin(), logits.end()) - logits.begin();
    history.add_output(static_cast<TokenId>(i % 8 == 0 ? likeliest : random() % vocabulary));
  }
  return history;
}

struct BenchCase {
  const char* what;
  SamplingParams params;
  LogitShape logits = {};
};

const BenchCase kCases[] = {
    {"greedy", {.temperature = 0.0f}},
    {"temperature, top_k 40, top_p 0.95, min_p 0.05",
     {.temperature = 0.8f, .top_k = 40, .top_p = 0.95f, .min_p = 0.05f}},
    {"the same with all penalties",
     {.temperature = 0.8f,
      .top_k = 40,
      .top_p = 0.95f,
      .min_p = 0.05f,
      .repetition_penalty = 1.1f,
      .presence_penalty = 0.5f,
      .frequency_penalty = 0.5f}},
    {"temperature, min_p 0.05", {.temperature = 0.8f, .min_p = 0.05f}},
    {"temperature, top_p 0.95", {.temperature = 0.8f, .top_p = 0.95f}},
    {"temperature, top_p 0.95, flat logits", {.temperature = 1.0f, .top_p = 0.95f}, {0.5f, 0}},
    {"temperature 2, top_p 0.9, min_p 0.01", {.temperature = 2.0f, .top_p = 0.9f, .min_p = 0.01f}},
    {"temperature 1.3, top_p 0.95", {.temperature = 1.3f, .top_p = 0.95f}},
    {"temperature alone", {.temperature = 1.0f}},
    {"temperature alone, all penalties",
     {.temperature = 1.0f,
      .repetition_penalty = 1.1f,
      .presence_penalty = 0.5f,
      .frequency_penalty = 0.5f}},
    {"peaked, temperature 0.6, top_p 0.8", {.temperature = 0.6f, .top_p = 0.8f}, kPeaked},
    {"peaked, temperature 0.8, top_p 0.95", {.temperature = 0.8f, .top_p = 0.95f}, kPeaked},
    {"peaked, temperature 1, top_p 0.99", {.temperature = 1.0f, .top_p = 0.99f}, kPeaked},
    {"peaked, temperature 1.2, top_p 0.95", {.temperature = 1.2f, .top_p = 0.95f}, kPeaked},
    {"peaked, temperature 1.2, top_p 1", {.temperature = 1.2f}, kPeaked},
    {"peaked, temperature 1.2, top_p 0.95, min_p 0.1",
     {.temperature = 1.2f, .top_p = 0.95f, .min_p = 0.1f},
     kPeaked},
    {"peaked, temperature 1.2, top_k 64, top_p 0.95",
     {.temperature = 1.2f, .top_k = 64, .top_p = 0.95f},
     kPeaked},
};

/// Also prints a hash of the sampled tokens, to compare them before and after a change.
void measure(const BenchCase& c, int vocabulary) {
  std::mt19937 random(7);
  std::vector<std::vector<float>> pool;
  for (int i = 0; i < 16; ++i) {
    pool.push_back(random_logits(vocabulary, c.logits, random));
  }
  const TokenHistory history = random_history(pool, random);
  SamplingParams params = c.params;
  params.seed = 11;
  RowSampler sampler;
  std::vector<double> times;
  std::vector<float> logits(static_cast<size_t>(vocabulary));
  uint64_t hash = 0;
  for (int i = 0; i < kTokens; ++i) {
    const std::vector<float>& source = pool[static_cast<size_t>(i) % pool.size()];
    std::copy(source.begin(), source.end(), logits.begin());
    const double begin = thread_us();
    const TokenId token = sample_one(sampler, logits, params, history, static_cast<uint64_t>(i));
    times.push_back(thread_us() - begin);
    hash = hash * 6364136223846793005u + static_cast<uint64_t>(token);
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("%-48s %9.1f %9.1f  %s  %016llx\n", c.what, median, times[times.size() * 99 / 100],
              median <= kTargetUs ? "  ok" : "slow", static_cast<unsigned long long>(hash));
}

template <typename Fn>
double median_us(Fn fn) {
  std::vector<double> times;
  for (int i = 0; i < kTokens; ++i) {
    const double begin = thread_us();
    fn();
    times.push_back(thread_us() - begin);
  }
  std::nth_element(times.begin(), times.begin() + kTokens / 2, times.end());
  return times[kTokens / 2];
}

/// What of it the passes over the whole vocabulary take.
void measure_passes(int vocabulary) {
  std::mt19937 random(7);
  const std::vector<float> logits = random_logits(vocabulary, {}, random);
  std::vector<float> out(logits.size());
  std::vector<int32_t> buckets(logits.size());
  const SoftmaxWeight weight = {.max = *std::max_element(logits.begin(), logits.end())};
  for (const LogitPasses& passes : logit_passes()) {
    std::printf("passes, %-6s scan %6.1f, sum %6.1f, weigh %6.1f\n", passes.name,
                median_us([&] { passes.scan(logits, out); }),
                median_us([&] { passes.sum(logits, weight, out); }),
                median_us([&] { passes.weigh(logits, weight, out, buckets); }));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int vocabulary = argc > 1 ? std::atoi(argv[1]) : 151936;
  if (vocabulary < 1) {
    std::fprintf(stderr, "The vocabulary must have at least one token.\n");
    return 1;
  }
  std::printf(
      "%d tokens, %d in the history; us of one thread, target %.0f; and a hash of the tokens\n",
      vocabulary, kHistory, kTargetUs);
  std::printf("%-48s %9s %9s\n", "", "median", "p99");
  for (const BenchCase& c : kCases) measure(c, vocabulary);
  measure_passes(vocabulary);
}
