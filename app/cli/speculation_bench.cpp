#include "app/cli/speculation_bench.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/equal_requests.h"
#include "engine/model_loader.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

double fraction(int count, int of) {
  return of > 0 ? static_cast<double>(count) / of : 0.0;
}

/// Errors: kInvalidArgument for a text that is forced on the model.
Result<void> check_own(const std::vector<std::string>& texts) {
  for (const std::string& name : texts) {
    if (std::ranges::find(own_text_names(), name) != own_text_names().end()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "The text " + name +
                     " is forced on the model, and no draft model, MTP layer or Medusa head can "
                     "guess a forced text. With them choose --texts prose,talk."};
  }
  return {};
}

}  // namespace

Result<Json> SpeculationBench::measure() {
  const bool has_own_layers = m_llm->model().decoder->draft_layers() != nullptr;
  return m_options.has_draft_model || has_own_layers ? measure_own_answers() : measure_forced();
}

Result<Json> SpeculationBench::measure_forced() {
  std::unique_ptr<Tokenizer> other;
  if (!m_options.tokenizer.empty()) {
    auto loaded = load_model_tokenizer(m_options.tokenizer);
    if (!loaded) return loaded.error();
    other = std::move(*loaded);
  }
  const Tokenizer& tokenizer = other ? *other : *m_llm->model().chat->tokenizer;
  Json all = Json::array();
  const auto& names = m_options.texts.empty() ? speculation_text_names() : m_options.texts;
  for (const std::string& name : names) {
    auto text = read_speculation_text(name, m_options.sources, tokenizer, m_options.prompt_tokens);
    if (!text) return text.error();
    const auto most = static_cast<size_t>(3 * m_options.generate_tokens);
    if (!text->before.empty()) {
      text->before.resize(std::min(text->before.size(), most));
      text->answer.resize(
          std::min(text->answer.size(), most * 3 / 4));  // Without what is left out.
    }
    for (const int num_chats : m_options.chats) {
      auto figures = measure(name, requests_of(*text, num_chats), text->before);
      if (!figures) return figures;
      all.push_back(std::move(*figures));
    }
  }
  return all;
}

Result<Json> SpeculationBench::measure_own_answers() {
  const auto& names = m_options.texts.empty() ? own_text_names() : m_options.texts;
  if (auto checked = check_own(names); !checked) return checked.error();
  Json all = Json::array();
  for (const std::string& name : names) {
    for (const int num_chats : m_options.chats) {
      auto requests = own_requests(name, num_chats);
      if (!requests) return requests.error();
      auto figures = measure("own " + name, *requests, {});
      if (!figures) return figures;
      all.push_back(std::move(*figures));
    }
  }
  return all;
}

/// Each chat asks its own question of that kind of text.
Result<std::vector<Request>> SpeculationBench::own_requests(const std::string& name,
                                                            int num_chats) const {
  const auto questions = own_questions(name);
  std::vector<Request> requests;
  for (int i = 0; i < num_chats; ++i) {
    const std::string question = questions[static_cast<size_t>(i) % questions.size()];
    const std::vector<ChatMessage> messages = {{"user", question, {}}};
    auto prompt = chat_prompt(*m_llm->model().chat, messages);
    if (!prompt) return prompt.error();
    requests.push_back({.prompt = std::move(prompt->tokens),
                        .sampling = {.temperature = 0.7f,
                                     .seed = static_cast<uint64_t>(i),
                                     .max_tokens = m_options.generate_tokens,
                                     .ignore_eos = true}});
  }
  return requests;
}

/// Chats with the same prompt, whose answers begin at different places of the text.
std::vector<Request> SpeculationBench::requests_of(const SpeculationText& text,
                                                   int num_chats) const {
  std::vector<Request> requests;
  for (int i = 0; i < num_chats; ++i) {
    const size_t begin =
        text.answer.size() * static_cast<size_t>(i) / static_cast<size_t>(num_chats);
    Request& request = requests.emplace_back();
    request.prompt = text.prompt;
    for (int j = 0; j < m_options.generate_tokens; ++j) {
      request.forced.push_back(text.answer[(begin + static_cast<size_t>(j)) % text.answer.size()]);
    }
    request.sampling = {
        .temperature = 0.0f, .max_tokens = m_options.generate_tokens, .ignore_eos = true};
  }
  return requests;
}

/// Runs the requests without and with speculation by turns.
Result<Json> SpeculationBench::measure(const std::string& name,
                                       const std::vector<Request>& requests,
                                       const std::vector<TokenId>& before) {
  std::vector<double> plain, speculating;
  Run sum;
  for (int i = 0; i <= m_options.repeat; ++i) {
    for (const SpeculationMode mode : {SpeculationMode::kOff, SpeculationMode::kAuto}) {
      std::vector<Request> own = requests;
      if (auto given = give_earlier_answer(own, before); !given) return given.error();
      const auto done = run(std::move(own), mode);
      if (!done) return done.error();
      if (i == 0) continue;  // The first run touches memory and measures what steps cost.
      const bool is_plain = mode == SpeculationMode::kOff;
      (is_plain ? plain : speculating).push_back(done->tokens_per_s);
      if (!is_plain) sum.add(*done);
    }
  }
  return Json{{"text", name},
              {"chats", requests.size()},
              {"tokens_per_s", median(plain)},
              {"speculating_tokens_per_s", median(speculating)},
              {"gain", median(speculating) / median(plain)},
              {"drafts_per_token", fraction(sum.drafted, sum.output)},
              {"accepted", fraction(sum.accepted, sum.drafted)},
              {"tokens_per_step", fraction(sum.output, sum.output - sum.accepted)},
              {"runs", plain},
              {"speculating_runs", speculating}};
}

/// Puts the requests into chats of a persona that no earlier run had, and lets the engine keep
/// `before` as an earlier answer of the first chat. Does nothing if `before` is empty.
Result<void> SpeculationBench::give_earlier_answer(std::vector<Request>& requests,
                                                   const std::vector<TokenId>& before) {
  if (before.empty()) return {};
  ++m_last_persona;
  for (size_t i = 0; i < requests.size(); ++i) {
    requests[i].persona = m_last_persona;
    requests[i].chat = static_cast<int64_t>(i) + 1;
  }
  Request earlier = requests[0];
  earlier.prompt.insert(earlier.prompt.end(), before.begin(), before.end());
  earlier.forced.clear();
  earlier.sampling.max_tokens = 1;
  if (auto done = run({std::move(earlier)}, SpeculationMode::kAuto); !done) return done.error();
  return {};
}

Result<SpeculationBench::Run> SpeculationBench::run(std::vector<Request> requests,
                                                    SpeculationMode mode) {
  m_llm->engine().set_speculation(mode);
  const int tokens = static_cast<int>(requests[0].prompt.size()) + requests[0].sampling.max_tokens;
  const auto fits = check_context(tokens, *m_llm, "A text", "--prompt-tokens or --generate-tokens");
  if (!fits) return fits.error();
  BenchRun measured(requests.size(), m_options.clock);
  Run sum;
  const auto answers =
      m_llm->generate(std::move(requests), [&](size_t index, const RequestEvent& event) {
        measured.record(index, event);
        return true;
      });
  for (const Completion& answer : answers) {
    if (answer.finish != FinishReason::kLength) {
      return Error{ErrorCode::kInvalidArgument,
                   answer.error.empty() ? "An answer ended early, because the KV cache is full; "
                                          "request fewer tokens with --generate-tokens."
                                        : answer.error};
    }
    sum.output += answer.usage.output_tokens;
    sum.drafted += answer.usage.drafted_tokens;
    sum.accepted += answer.usage.accepted_tokens;
  }
  sum.tokens_per_s = measured.decode_tokens_per_s();
  return sum;
}

std::string speculation_text(const Json& report) {
  char line[200];
  std::string text = report["model"].get<std::string>() + " on " +
                     report["device_description"].get<std::string>() + "\n";
  std::snprintf(line, sizeof line, "%-12s %5s %10s %10s %6s %9s %11s\n", "text", "chats",
                "tokens/s", "guessing", "gain", "accepted", "tokens/step");
  text += line;
  for (const Json& row : report["texts"]) {
    std::snprintf(line, sizeof line, "%-12s %5d %10.1f %10.1f %6.2f %8.0f%% %11.2f\n",
                  row["text"].get<std::string>().c_str(), row["chats"].get<int>(),
                  row["tokens_per_s"].get<double>(), row["speculating_tokens_per_s"].get<double>(),
                  row["gain"].get<double>(), 100.0 * row["accepted"].get<double>(),
                  row["tokens_per_step"].get<double>());
    text += line;
  }
  return text;
}

}  // namespace quire
