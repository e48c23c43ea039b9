#include "app/server/server_metrics.h"

#include "app/server/http/http_message.h"
#include "engine/block_report.h"

namespace quire {
namespace {

/// In seconds, as Prometheus wants them: those of vLLM's metrics, so that its dashboards fit.
const std::vector<double>& firstTokenBounds() {
  static const std::vector<double> kBounds = {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08,
                                              0.1,   0.25,  0.5,  0.75, 1,    2.5,  5,
                                              7.5,   10,    20,   40,   80,   160};
  return kBounds;
}

const std::vector<double>& tokenBounds() {
  static const std::vector<double> kBounds = {0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3,
                                              0.4,  0.5,   0.75, 1,     2.5, 5,    7.5, 10};
  return kBounds;
}

const std::vector<double>& responseBounds() {
  static const std::vector<double> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                              2.5,   5,    10,    30,   60,  120,  300};
  return kBounds;
}

double seconds(double ms) {
  return ms / 1000.0;
}

}  // namespace

void ServerMetrics::countResponse(const std::string& endpoint, const HttpRecord& record) {
  // 499: the client had gone before the response ended (nginx's number).
  const int status = record.is_complete ? record.status : 499;
  m_registry
      .counter("quire_http_requests_total", "Responses by endpoint and status.",
               {{"endpoint", endpoint}, {"status", std::to_string(status)}})
      .add();
  m_registry
      .histogram("quire_http_request_seconds", "From a request's first byte to its response's end.",
                 responseBounds(), {{"endpoint", endpoint}})
      .observe(seconds(record.ms));
  m_registry.counter("quire_http_response_bytes_total", "Bytes of the responses' bodies.")
      .add(static_cast<double>(record.response_bytes));
}

void ServerMetrics::countTokens(int promptTokens, int cachedTokens, int outputTokens) {
  m_registry.counter("quire_prompt_tokens_total", "Tokens of prompts.").add(promptTokens);
  m_registry
      .counter("quire_cached_prompt_tokens_total",
               "Tokens of prompts that were found in the cache.")
      .add(cachedTokens);
  m_registry.counter("quire_output_tokens_total", "Tokens of answers.").add(outputTokens);
}

void ServerMetrics::countDrafts(int draftedTokens, int acceptedTokens) {
  m_registry.counter("quire_drafted_tokens_total", "Guessed tokens that were computed.")
      .add(draftedTokens);
  m_registry.counter("quire_accepted_tokens_total", "Guessed tokens that were right.")
      .add(acceptedTokens);
}

void ServerMetrics::observeFirstToken(double ms) {
  m_registry
      .histogram("quire_time_to_first_token_seconds", "From a request to its first token.",
                 firstTokenBounds())
      .observe(seconds(ms));
}

void ServerMetrics::observeBetweenTokens(double ms) {
  m_registry
      .histogram("quire_inter_token_latency_seconds", "From one token of an answer to the next.",
                 tokenBounds())
      .observe(seconds(ms));
}

void ServerMetrics::setConnections(int connections) {
  m_registry.gauge("quire_http_connections", "Connections that are open.").set(connections);
}

void ServerMetrics::setRequests(int running, int queued) {
  m_registry.gauge("quire_requests_running", "Answers that are being computed.").set(running);
  m_registry.gauge("quire_requests_queued", "Answers that wait for their first token.").set(queued);
}

void ServerMetrics::setEngine(const std::string& model, const EngineStats& stats) {
  const MetricLabels labels = {{"model", model}};
  const auto set = [&](const char* name, const char* help, double value) {
    m_registry.gauge(name, help, labels).set(value);
  };
  const auto total = [&](const char* name, const char* help, uint64_t value) {
    m_registry.counter(name, help, labels).setTotal(static_cast<double>(value));
  };
  set("quire_engine_running_sequences", "Sequences that hold blocks.", stats.running);
  set("quire_engine_waiting_sequences", "Sequences that wait for blocks.", stats.waiting);
  set("quire_engine_batch_sequences", "Sequences of the last step.", stats.batch_sequences);
  set("quire_engine_batch_tokens", "Tokens of the last step.", stats.batch_tokens);
  set("quire_engine_blocks", "Blocks of the cache.", stats.total_blocks);
  set("quire_engine_used_blocks", "Blocks that a sequence holds.", stats.used_blocks);
  set("quire_engine_shared_blocks", "Blocks that several sequences hold.", stats.shared_blocks);
  set("quire_engine_cached_blocks", "Blocks that are kept for later requests.",
      stats.cached_blocks);
  set("quire_engine_free_blocks", "Blocks without content.", stats.free_blocks);
  total("quire_engine_steps_total", "Steps.", stats.steps);
  total("quire_engine_prompt_tokens_total", "Tokens of admitted prompts.", stats.prompt_tokens);
  total("quire_engine_cached_tokens_total", "Tokens of prompts that were found in the cache.",
        stats.cached_tokens);
  total("quire_engine_output_tokens_total", "Sampled tokens.", stats.output_tokens);
  total("quire_engine_drafted_tokens_total", "Guessed tokens that were computed.",
        stats.drafted_tokens);
  total("quire_engine_accepted_tokens_total", "Guessed tokens that were right.",
        stats.accepted_tokens);
  total("quire_engine_preemptions_total", "Sequences that lost their blocks to others.",
        stats.preemptions);
}

}  // namespace quire
