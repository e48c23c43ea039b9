#include "app/cli/bench_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/cli/state_report.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

/// A line of text from a printf format whose arguments are numbers.
template <typename... Numbers>
std::string line(const char* format, Numbers... numbers) {
  char text[200];
  std::snprintf(text, sizeof text, format, numbers...);
  return std::string(text) + "\n";
}

std::string head(const Json& report) {
  return report["model"].get<std::string>() + " on " +
         report["device_description"].get<std::string>() + "\n";
}

int whole(const Json& report, const char* key) {
  return report[key].get<int>();
}

double number(const Json& report, const char* key) {
  return report[key].get<double>();
}

std::string percentiles_line(const char* name, int width, const Json& values,
                             const std::string& tail = {}) {
  if (values.is_null()) return {};
  char text[200];
  std::snprintf(text, sizeof text, "%-*s %10.2f ms p50 %10.2f ms p99", width, name,
                values["p50"].get<double>(), values["p99"].get<double>());
  return text + tail + "\n";
}

std::string others_line(const Json& report) {
  const Json& others = report["ttft_others_ms"];
  if (others.is_null()) return {};
  const double p50 = others["p50"].get<double>();
  char tail[80] = "";
  if (p50 > 0.0) {
    std::snprintf(tail, sizeof tail, ": 1/%.0f of the first",
                  number(report, "ttft_first_ms") / p50);
  }
  return percentiles_line("ttft, other chats", 20, others, tail);
}

std::string states_line(const Json& report, int width) {
  const std::string states = states_text(report["states"]);
  if (states.empty()) return {};
  std::string name = "states";
  name.resize(static_cast<size_t>(width), ' ');
  return name + " " + states + "\n";
}

std::string pool_lines(const Json& report) {
  std::string text;
  if (!report["kv_megabytes"].is_null()) {
    text += line("kv                   %10.1f MB at most; %.1f MB without sharing",
                 number(report, "kv_megabytes"), number(report, "kv_megabytes_unshared"));
  }
  if (!report["kv_waste"].is_null()) {
    text += line("kv waste             %10.2f %% at most, %.2f %% on average",
                 100 * number(report, "kv_waste"), 100 * number(report, "kv_waste_mean"));
  }
  return text;
}

}  // namespace

double wall_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

double processor_ms() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

void BenchRun::record(size_t index, const RequestEvent& event) {
  const double now = m_clock() - m_begin_ms;
  OneRequest& request = m_requests[index];
  if (!event.tokens.empty()) {
    if (request.tokens.empty()) {
      ++m_started;
      request.computed_prompt_tokens = event.usage.prompt_tokens - event.usage.cached_tokens;
    }
    request.tokens.push_back({now, static_cast<int>(event.tokens.size())});
  }
  m_any_ended = m_any_ended || event.finish.has_value();
}

void BenchRun::record_pool(const EngineStats& stats) {
  if (m_started != m_requests.size() || m_any_ended) return;
  m_waste_max = std::max(m_waste_max, stats.kv_waste);
  m_waste_sum += stats.kv_waste;
  ++m_waste_steps;
}

double BenchRun::all_started_ms() const {
  double last = 0.0;
  for (const OneRequest& request : m_requests) {
    if (!request.tokens.empty()) last = std::max(last, request.tokens.front().ms);
  }
  return last;
}

double BenchRun::first_ended_ms() const {
  double first = m_requests.front().tokens.empty() ? 0.0 : m_requests.front().tokens.back().ms;
  for (const OneRequest& request : m_requests) {
    if (!request.tokens.empty()) first = std::min(first, request.tokens.back().ms);
  }
  return first;
}

double BenchRun::prefill_tokens_per_s() const {
  int computed = 0;
  for (const OneRequest& request : m_requests) computed += request.computed_prompt_tokens;
  const double ms = all_started_ms();
  return ms > 0.0 ? 1000.0 * computed / ms : 0.0;
}

double BenchRun::decode_tokens_per_s() const {
  const double begin = all_started_ms();
  const double end = first_ended_ms();
  int tokens = 0;
  for (const OneRequest& request : m_requests) {
    for (const Token& token : request.tokens) {
      if (token.ms > begin && token.ms <= end) tokens += token.count;
    }
  }
  return end > begin ? 1000.0 * tokens / (end - begin) : 0.0;
}

std::vector<double> BenchRun::ttft_ms() const {
  std::vector<double> values;
  for (const OneRequest& request : m_requests) {
    if (!request.tokens.empty()) values.push_back(request.tokens.front().ms);
  }
  return values;
}

std::vector<double> BenchRun::itl_ms() const {
  std::vector<double> values;
  for (const OneRequest& request : m_requests) {
    for (size_t i = 1; i < request.tokens.size(); ++i) {
      values.push_back((request.tokens[i].ms - request.tokens[i - 1].ms) / request.tokens[i].count);
    }
  }
  return values;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Json percentiles(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const auto rank = [&values](double share) {
    const double position = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<size_t>(std::max(position, 1.0)) - 1];
  };
  return {{"p50", rank(0.50)}, {"p99", rank(0.99)}};
}

std::string bench_text(const Json& report) {
  std::string text = head(report);
  text += line("%d chat(s), prompts of %d tokens (%d shared), %d generated, %d runs",
               whole(report, "parallel"), whole(report, "prompt_tokens"),
               whole(report, "shared_prefix"), whole(report, "generate_tokens"),
               whole(report, "repeat"));
  text += line("prefill  %10.1f tokens/s", number(report, "prefill_tokens_per_s"));
  if (!report["decode_tokens_per_s"].is_null()) {
    text +=
        line("decode   %10.1f tokens/s, all chats together", number(report, "decode_tokens_per_s"));
  }
  text += percentiles_line("ttft", 8, report["ttft_ms"]);
  text += percentiles_line("itl", 8, report["itl_ms"]);
  text += states_line(report, 8);
  if (report["kv_waste"].is_null()) return text;
  return text + line("kv waste %10.2f %% at most, %.2f %% on average",
                     100 * number(report, "kv_waste"), 100 * number(report, "kv_waste_mean"));
}

std::string chats_text(const Json& report) {
  std::string text = head(report);
  text += line("%d chat(s) under a persona of %d tokens, %d turn(s) each", whole(report, "chats"),
               whole(report, "persona_tokens"), whole(report, "turns"));
  text += line("ttft, first chat     %10.2f ms (%d tokens read from disk)",
               number(report, "ttft_first_ms"), whole(report, "ttft_first_disk_tokens"));
  text += others_line(report);
  text += percentiles_line("ttft, later turns", 20, report["ttft_later_turns_ms"]);
  text += percentiles_line("itl", 20, report["itl_ms"]);
  text += line("throughput           %10.1f tokens/s, %.1f while there was work",
               number(report, "tokens_per_s"), number(report, "busy_tokens_per_s"));
  text +=
      line("prompts              %.1f %% from memory, %.1f %% from disk, %d of %d tokens computed",
           100 * number(report, "memory_hit_rate"), 100 * number(report, "disk_hit_rate"),
           whole(report, "computed_prompt_tokens"), whole(report, "prompt_tokens"));
  text += pool_lines(report);
  text += states_line(report, 20);
  return text + line("preemptions          %10d", whole(report, "preemptions"));
}

}  // namespace quire
