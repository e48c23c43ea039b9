#include "app/cli/focus_bench.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint32_t kFocusSeed = 25;
constexpr int kLowPriority = 0;
/// Steps between the beginnings of two of the others.
constexpr int kStagger = 4;

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Json figures(const std::vector<double>& itl_ms, const std::vector<double>& ttft_ms) {
  Json itl = percentiles(itl_ms);
  itl["mean"] = mean(itl_ms);
  return {{"itl_ms", itl}, {"ttft_ms", median(ttft_ms)}};
}

}  // namespace

FocusBench::FocusBench(Llm& llm, const FocusBenchOptions& options)
    : m_engine(&llm.engine()),
      m_options(options),
      m_prompts(*llm.model().chat->tokenizer, kFocusSeed) {}

Result<Json> FocusBench::measure() {
  std::vector<double> alone_itl, beside_itl, alone_ttft, beside_ttft, beside_rate, free_rate;
  const auto take = [](const Chat& chat, std::vector<double>& itl, std::vector<double>& ttft) {
    itl.insert(itl.end(), chat.itl_ms.begin(), chat.itl_ms.end());
    ttft.push_back(chat.ttft_ms);
  };
  for (int i = 0; i < m_options.repeat; ++i) {
    const auto alone = run_focused();
    if (!alone) return alone.error();
    take(*alone, alone_itl, alone_ttft);
    const auto rate = run_others();
    if (!rate) return rate.error();
    free_rate.push_back(*rate);
    const auto beside = run_focused();
    if (!beside) return beside.error();
    take(*beside, beside_itl, beside_ttft);
    beside_rate.push_back(beside->others_tokens_per_s);
    if (auto cancelled = cancel_others(); !cancelled) return cancelled.error();
  }
  Json json = {{"others", m_options.num_others},
               {"prompt_tokens", m_options.prompt_tokens},
               {"generate_tokens", m_options.generate_tokens},
               {"repeat", m_options.repeat},
               {"alone", figures(alone_itl, alone_ttft)},
               {"beside", figures(beside_itl, beside_ttft)}};
  json["itl_ratio"] = mean(beside_itl) / mean(alone_itl);
  json["others_tokens_per_s"] = median(free_rate);
  json["others_tokens_per_s_beside"] = median(beside_rate);
  return json;
}

/// Answers one request as the chat that the user looks at, beside whatever else runs.
Result<FocusBench::Chat> FocusBench::run_focused() {
  m_token_ms.clear();
  const double begin = wall_ms();
  const auto id = m_engine->submit(request(kFocusedPriority));
  if (!id) return id.error();
  m_focused = *id;
  int64_t others = m_other_tokens;
  while (m_focused != 0) {
    const bool is_first = m_token_ms.empty();
    if (auto stepped = step(); !stepped) return stepped.error();
    if (is_first) others = m_other_tokens;
  }
  Chat chat{.ttft_ms = m_token_ms.front() - begin};
  for (size_t i = 1; i < m_token_ms.size(); ++i) {
    chat.itl_ms.push_back(m_token_ms[i] - m_token_ms[i - 1]);
  }
  const double decoded_ms = m_token_ms.back() - m_token_ms.front();
  if (decoded_ms > 0.0) {
    chat.others_tokens_per_s = 1000.0 * static_cast<double>(m_other_tokens - others) / decoded_ms;
  }
  return chat;
}

/// Starts the others one after the other, so that they neither begin nor end together, and runs
/// them for as long as an answer takes. Returns their tokens per second in the latter time.
Result<double> FocusBench::run_others() {
  for (int i = 0; i < m_options.num_others; ++i) {
    if (auto done = submit_other(); !done) return done.error();
    for (int j = 0; j < kStagger; ++j) {
      if (auto stepped = step(); !stepped) return stepped.error();
    }
  }
  const int64_t tokens = m_other_tokens;
  const double begin = wall_ms();
  for (int i = 0; i < m_options.generate_tokens; ++i) {
    if (auto stepped = step(); !stepped) return stepped.error();
  }
  return 1000.0 * static_cast<double>(m_other_tokens - tokens) / (wall_ms() - begin);
}

Result<void> FocusBench::step() {
  const std::vector<RequestEvent> events = m_engine->step();
  if (const auto& failure = m_engine->device_failure()) return *failure;
  const double now = wall_ms();
  for (const RequestEvent& event : events) {
    if (event.finish == FinishReason::kFailed) return event.error;
    if (event.finish == FinishReason::kContext) {
      return Error{ErrorCode::kInvalidArgument,
                   "An answer ended early, because the KV cache is full; request fewer tokens with "
                   "--prompt-tokens or --generate-tokens."};
    }
    if (event.id == m_focused) {
      m_token_ms.insert(m_token_ms.end(), event.tokens.size(), now);
      if (event.finish) m_focused = 0;
      continue;
    }
    if (!m_others.contains(event.id)) continue;
    m_other_tokens += static_cast<int64_t>(event.tokens.size());
    if (!event.finish) continue;
    m_others.erase(event.id);
    if (auto next = submit_other(); !next) return next;
  }
  return {};
}

Result<void> FocusBench::submit_other() {
  const auto id = m_engine->submit(request(kLowPriority));
  if (!id) return id.error();
  m_others.insert(*id);
  return {};
}

Result<void> FocusBench::cancel_others() {
  for (const RequestId id : m_others) m_engine->cancel(id);
  m_others.clear();
  while (m_engine->has_work()) {
    if (auto stepped = step(); !stepped) return stepped;
  }
  return {};
}

Request FocusBench::request(int priority) {
  return {.prompt = m_prompts.make(m_options.prompt_tokens),
          .sampling = {.temperature = 0.0f,
                       .max_tokens = m_options.generate_tokens,
                       .ignore_eos = true},
          .priority = priority};
}

std::string focus_text(const Json& report) {
  char text[1000];
  const Json& alone = report["alone"];
  const Json& beside = report["beside"];
  const auto line = [](char* to, size_t size, const char* name, const Json& of) {
    return std::snprintf(to, size, "%-22s %9.2f ms mean %9.2f ms p50 %9.2f ms p99; ttft %9.2f ms\n",
                         name, of["itl_ms"]["mean"].get<double>(),
                         of["itl_ms"]["p50"].get<double>(), of["itl_ms"]["p99"].get<double>(),
                         of["ttft_ms"].get<double>());
  };
  std::string all = report["model"].get<std::string>() + " on " +
                    report["device_description"].get<std::string>() + "\n";
  std::snprintf(text, sizeof text,
                "A focused chat and %d requests of low priority, prompts of %d tokens, %d "
                "generated, %d runs\n",
                report["others"].get<int>(), report["prompt_tokens"].get<int>(),
                report["generate_tokens"].get<int>(), report["repeat"].get<int>());
  all += text;
  line(text, sizeof text, "itl alone", alone);
  all += text;
  line(text, sizeof text, "itl beside the others", beside);
  all += text;
  std::snprintf(text, sizeof text,
                "ratio                  %9.2f\n"
                "the others             %9.1f tokens/s, %.1f beside the focused chat\n",
                report["itl_ratio"].get<double>(), report["others_tokens_per_s"].get<double>(),
                report["others_tokens_per_s_beside"].get<double>());
  return all + text;
}

}  // namespace quire
