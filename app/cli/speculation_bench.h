#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/bench_report.h"
#include "app/cli/speculation_texts.h"
#include "engine/llm.h"

namespace quire {

struct SpeculationBenchOptions {
  std::string sources = ".";       ///< The folder of Quire's sources, whose files are the texts.
  std::string tokenizer;           ///< A model's folder; empty: the model's own tokenizer.
  std::vector<std::string> texts;  ///< Empty: all that can be measured.
  std::vector<int> chats = {1, 4, 16};
  int prompt_tokens = 1000;
  int generate_tokens = 128;
  int repeat = 3;
  ClockMs clock = wall_ms;
  bool has_draft_model = false;  ///< Whether one guesses; the model's own layers are found.
};

/// Measures tokens per second, accepted drafts and tokens per step in one chat and in several at
/// once, without and with speculation in alternating runs of one process. The model is forced to
/// generate the given texts (Request::forced), so that random weights are enough. Draft models, MTP
/// layers and Medusa heads cannot guess such texts, so with them the model generates its own
/// answers.
/// Thread: one at a time. The Llm outlives it.
class SpeculationBench {
 public:
  SpeculationBench(Llm& llm, SpeculationBenchOptions options)
      : m_llm(&llm), m_options(std::move(options)) {}

  /// Measures the texts of the options. Returns an array with one object for each text and number
  /// of chats. Errors: those of loading the tokenizer and of read_speculation_text();
  /// kContextOverflow; kInvalidArgument (a request failed, the KV cache is too small, or a text can
  /// only be forced on a model for which a model guesses).
  Result<nlohmann::ordered_json> measure();

 private:
  /// One run of all chats.
  struct Run {
    double tokens_per_s = 0.0;
    int output = 0, drafted = 0, accepted = 0;
    void add(const Run& other) {
      output += other.output;
      drafted += other.drafted;
      accepted += other.accepted;
    }
  };
  Result<nlohmann::ordered_json> measure(const std::string& name,
                                         const std::vector<Request>& requests,
                                         const std::vector<TokenId>& before);
  Result<void> give_earlier_answer(std::vector<Request>& requests,
                                   const std::vector<TokenId>& before);
  Result<Run> run(std::vector<Request> requests, SpeculationMode mode);
  Result<nlohmann::ordered_json> measure_forced();
  Result<nlohmann::ordered_json> measure_own_answers();
  Result<std::vector<Request>> own_requests(const std::string& name, int num_chats) const;
  std::vector<Request> requests_of(const SpeculationText& text, int num_chats) const;

  Llm* m_llm;
  SpeculationBenchOptions m_options;
  int64_t m_last_persona = 0;
};

/// A report of SpeculationBench, with model and device_description, as text.
std::string speculation_text(const nlohmann::ordered_json& report);

}  // namespace quire
