#include "app/cli/bench_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

namespace quire {

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

nlohmann::ordered_json percentiles(std::vector<double> values) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end());
  const auto rank = [&values](double share) {
    const double position = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<size_t>(std::max(position, 1.0)) - 1];
  };
  return {{"p50", rank(0.50)}, {"p99", rank(0.99)}};
}

}  // namespace quire
