#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/llm.h"

namespace quire {

/// A clock in milliseconds: the time that passes, and the time that the cores spend on this
/// program. Where one thread computes, the latter is not lengthened by other programs.
using ClockMs = double (*)();
double wall_ms();
double processor_ms();

/// What one run of equal requests did, from the events as they came.
class BenchRun {
 public:
  explicit BenchRun(size_t num_requests, ClockMs clock = wall_ms)
      : m_clock(clock), m_requests(num_requests) {}

  void record(size_t index, const RequestEvent& event);
  /// The pool's waste counts while all requests decode. Once a step is enough.
  void record_pool(const EngineStats& stats);

  /// Prompt rows computed until every request had its first token, per second of that time. The
  /// tokens that early requests already generate in it are left out.
  double prefill_tokens_per_s() const;
  /// Tokens of all requests together per second, from when all have their first token until the
  /// first one ends: the time in which all of them decode.
  double decode_tokens_per_s() const;
  /// Milliseconds to the first token of each request, and between the tokens of each.
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

/// {"p50": ..., "p99": ...} by the nearest rank; null for no values.
nlohmann::ordered_json percentiles(std::vector<double> values);

/// The report of equal requests for people. A line whose numbers were not measured (null) is left
/// out.
std::string bench_text(const nlohmann::ordered_json& report);

/// The same of the chats of ParallelChats::report, with model and device_description.
std::string chats_text(const nlohmann::ordered_json& report);

}  // namespace quire
