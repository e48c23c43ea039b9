#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/llm.h"

namespace quire {

/// Clocks in milliseconds: elapsed time, and the processor time of this program. With one computing
/// thread, other programs do not lengthen the latter.
using ClockMs = double (*)();
double wall_ms();
double processor_ms();

/// The measurements of one run of equal requests, taken from its events.
class BenchRun {
 public:
  explicit BenchRun(size_t num_requests, ClockMs clock = wall_ms)
      : m_clock(clock), m_requests(num_requests) {}

  void record(size_t index, const RequestEvent& event);
  /// Records the pool's waste if all requests decode. One call per step is enough.
  void record_pool(const EngineStats& stats);

  /// Prompt rows computed until every request had its first token, per second of that time. Tokens
  /// that early requests generate in that time do not count.
  double prefill_tokens_per_s() const;
  /// Tokens of all requests together per second, from when all have their first token until the
  /// first one ends: the time in which all of them decode.
  double decode_tokens_per_s() const;
  /// Milliseconds to the first token of each request, and between its tokens.
  std::vector<double> ttft_ms() const;
  std::vector<double> itl_ms() const;
  /// Slots reserved but empty, while all requests decode: the worst step, and the mean.
  bool has_kv_waste() const { return m_waste_steps > 0; }
  double kv_waste_max() const { return m_waste_max; }
  double kv_waste_mean() const { return m_waste_steps ? m_waste_sum / m_waste_steps : 0.0; }

 private:
  struct Token {
    double ms = 0.0;  ///< Since the run began.
    int count = 0;    ///< Tokens of the event.
  };
  struct OneRequest {
    std::vector<Token> tokens;
    int computed_prompt_tokens = 0;
  };
  double all_started_ms() const;
  double first_ended_ms() const;

  ClockMs m_clock;
  double m_begin_ms = m_clock();
  std::vector<OneRequest> m_requests;
  size_t m_started = 0;
  bool m_any_ended = false;
  double m_waste_max = 0.0;
  double m_waste_sum = 0.0;
  int m_waste_steps = 0;
};

/// The middle value, the upper one of two. `values` is not empty.
double median(std::vector<double> values);

/// {"p50": ..., "p99": ...} by the nearest rank; null for no values.
nlohmann::ordered_json percentiles(std::vector<double> values);

/// The report of equal requests as text. Numbers that were not measured (null) are left out.
std::string bench_text(const nlohmann::ordered_json& report);

/// The report of ParallelChats, with model and device_description, as text.
std::string chats_text(const nlohmann::ordered_json& report);

}  // namespace quire
