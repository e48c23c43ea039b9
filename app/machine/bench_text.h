#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/machine/machine_facts.h"

namespace quire {

/// The model that was measured.
struct BenchModel {
  std::string name;          ///< Of the bundled model; empty: it may be a name of the user's.
  std::string architecture;  ///< "qwen3".
  int64_t parameters = 0;
  std::string type;  ///< "Q4_K_M".
  uint64_t bytes = 0;
};

/// The speed of some chats at once.
struct BenchFigures {
  int num_chats = 1;
  int prompt_tokens = 0;            ///< Of each chat.
  int answer_tokens = 0;            ///< Of each chat.
  double prefill_per_second = 0.0;  ///< Prompt tokens of all chats together; 0: not measured.
  double decode_per_second = 0.0;   ///< Answer tokens of all chats together; 0: not measured.
  double first_token_ms = 0.0;      ///< Until the last of them had its first token.
};

/// How many tokens to measure with, so that everything takes about half a minute.
struct BenchSizes {
  int prompt_tokens = 0;
  int answer_tokens = 0;
};
/// For `num_chats` at once, after a small run of one chat. `most_tokens`: of a chat's context.
BenchSizes bench_sizes(const BenchFigures& probe, int num_chats, int most_tokens);

/// The numbers of chats that are measured.
inline constexpr int kBenchChats[] = {1, 4, 16};
inline constexpr BenchSizes kProbeSizes = {.prompt_tokens = 32, .answer_tokens = 8};

struct BenchReport {
  std::string version;  ///< Of Quire.
  MachineFacts machine;
  double memory_bytes_per_second = 0.0;  ///< 0: not measured.
  std::string device;                    ///< "CPU · AVX-512 · 2 threads".
  BenchModel model;
  std::vector<BenchFigures> figures;
};

/// The text to share, in English whatever the window's language, so that texts can be compared.
std::string bench_text(const BenchReport& report);

}  // namespace quire
