#pragma once

#include <string>

#include "app/server/metrics.h"

namespace quire {

struct EngineStats;
struct HttpRecord;

/// What the API's server measures, by the names in docs/server.md.
/// Thread: any.
class ServerMetrics {
 public:
  /// A response that has ended. `endpoint` is a route ("/v1/models/"), never a client's text.
  void countResponse(const std::string& endpoint, const HttpRecord& record);

  void countTokens(int promptTokens, int cachedTokens, int outputTokens);
  void countDrafts(int draftedTokens, int acceptedTokens);
  void observeFirstToken(double ms);
  void observeBetweenTokens(double ms);

  void setConnections(int connections);
  /// Of answers, by what the server knows.
  void setRequests(int running, int queued);
  /// What an engine counts; `model` is its name in the ModelDirectory.
  void setEngine(const std::string& model, const EngineStats& stats);

  /// For /metrics, with MetricRegistry::kContentType.
  std::string text() const { return m_registry.text(); }
  MetricRegistry& registry() { return m_registry; }

 private:
  MetricRegistry m_registry;
};

}  // namespace quire
