#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/bench_report.h"
#include "app/cli/spoken_texts.h"
#include "engine/llm.h"

namespace quire {

struct SpeculationBenchOptions {
  std::string sources = ".";  ///< The folder of Quire's sources, whose files are the texts.
  std::string tokenizer;      ///< A model's folder; empty: the model's own tokenizer.
  std::vector<std::string> texts = spoken_text_names();
  std::vector<int> chats = {1, 4, 16};
  int prompt_tokens = 1000;
  int generate_tokens = 128;
  int repeat = 3;
  ClockMs clock = wall_ms;
};

/// Measures texts alone and in several chats at once, without and with speculation in alternating
/// turns of one process: tokens per second, accepted drafts, and tokens per step. The model says
/// the given texts (Request::forced), so that random weights do; a draft model cannot know them, so
/// with one the model answers in its own words.
class SpeculationBench {
 public:
  SpeculationBench(Llm& llm, SpeculationBenchOptions options)
      : m_llm(&llm), m_options(std::move(options)) {}

  /// The figures by text and chats. Errors: those of reading the texts; kContextOverflow,
  /// kInvalidArgument (a request failed).
  Result<nlohmann::ordered_json> measure();
  /// Answers of the model's own.
  Result<nlohmann::ordered_json> measure_own_words();

 private:
  struct Turn {
    double tokens_per_s = 0.0;
    int output = 0, drafted = 0, accepted = 0;
    void add(const Turn& other) {
      output += other.output;
      drafted += other.drafted;
      accepted += other.accepted;
    }
  };
  Result<nlohmann::ordered_json> measure(const std::string& name,
                                         const std::vector<Request>& requests,
                                         const std::vector<TokenId>& before);
  Result<void> say_before(std::vector<Request>& turn, const std::vector<TokenId>& before);
  Result<Turn> take_turn(std::vector<Request> requests, SpeculationMode mode);
  std::vector<Request> requests_of(const SpokenText& text, int num_chats) const;

  Llm* m_llm;
  SpeculationBenchOptions m_options;
  int64_t m_last_persona = 0;
};

/// A report of SpeculationBench, with model and device_description, as text.
std::string speculation_text(const nlohmann::ordered_json& report);

}  // namespace quire
