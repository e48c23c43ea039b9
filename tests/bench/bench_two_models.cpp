// Two models on one processor: tokens per second of one that answers alone, and of two that answer
// at the same time, each with all cores as its threads.
//
// bench_two_models [tokens]    64 if not given. QUIRE_SHARE_CORES=off lets the threads fight for
// the cores, to compare. Also says whether the answers are those of each model alone.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "engine/llm.h"
#include "tests/bench/random_gguf.h"

namespace {

namespace fs = std::filesystem;
using namespace quire;
using Clock = std::chrono::steady_clock;

/// Large enough that its weights come from memory, small enough for any machine.
constexpr bench::ModelShape kShape = {.num_layers = 12,
                                      .hidden_size = 1024,
                                      .num_heads = 16,
                                      .num_kv_heads = 4,
                                      .intermediate_size = 4096,
                                      .vocab_size = 8000,
                                      .context = 2048};

struct Run {
  std::vector<TokenId> tokens;
  double prefill = 0.0;  ///< Tokens a second.
  double decode = 0.0;
};

Run answer(Llm& llm, int num_tokens, int prompt_tokens) {
  Request request;
  for (int i = 0; i < prompt_tokens; ++i) request.prompt.push_back(3 + (i * 7 + num_tokens) % 5000);
  request.sampling.temperature = 0.0f;
  request.sampling.max_tokens = num_tokens;
  request.sampling.ignore_eos = true;
  const Completion done = llm.generate({request}).front();
  const double decode_ms = done.usage.total_ms - done.usage.first_token_ms;
  return {.tokens = done.tokens,
          .prefill = prompt_tokens * 1000.0 / done.usage.first_token_ms,
          .decode = (num_tokens - 1) * 1000.0 / decode_ms};
}

void print(const char* what, const Run& run) {
  std::printf("%-22s prefill %7.0f tokens/s   decode %6.1f tokens/s\n", what, run.prefill,
              run.decode);
}

Llm open(const fs::path& path) {
  auto llm = Llm::open({.model_path = path.string(),
                        .backend = {.device = "cpu"},
                        .engine = {.kv_bytes = 64 << 20, .prefix_cache = false}});
  if (!llm) {
    std::fprintf(stderr, "%s\n", llm.error().message.c_str());
    std::exit(1);
  }
  return std::move(*llm);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kPrompt = 512;
  const int num_tokens = argc > 1 ? std::max(2, std::atoi(argv[1])) : 64;
  const fs::path path = fs::temp_directory_path() / "quire_bench_two_models.gguf";
  bench::write_random_gguf(path, DType::kQ8_0, kShape);
  Llm first = open(path);
  Llm second = open(path);
  fs::remove(path);
  answer(first, 4, 64);  // Touches what is touched once.
  answer(second, 4, 64);
  const Run alone = answer(first, num_tokens, kPrompt);
  print("one alone", alone);
  Run together[2];
  std::thread other([&] { together[1] = answer(second, num_tokens, kPrompt); });
  together[0] = answer(first, num_tokens, kPrompt);
  other.join();
  print("the first of two", together[0]);
  print("the second of two", together[1]);
  std::printf("%-22s prefill %6.2f of one        decode %6.2f of one\n", "both together",
              (together[0].prefill + together[1].prefill) / alone.prefill,
              (together[0].decode + together[1].decode) / alone.decode);
  const bool same = together[0].tokens == alone.tokens && together[1].tokens == alone.tokens;
  std::printf("answers are %s\n", same ? "the same" : "NOT THE SAME");
  return same ? 0 : 1;
}
