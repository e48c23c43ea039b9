#pragma once

#include <QTest>

#include "app/remote/memory_secrets.h"
#include "app/remote/remote_backend.h"
#include "tests/app/remote/fault_server.h"
#include "tests/support/answer_log.h"

namespace quire {

/// A remote backend with one endpoint, which is a FaultServer, and little patience.
struct RemoteStage {
  explicit RemoteStage(RemoteOptions options = patience()) : backend(secrets, options) {
    endpoint = {.id = "a1", .name = "Office", .baseUrl = readBaseUrl(server.address()).url};
    endpoint.models = {"m"};
    use();
  }

  static RemoteOptions patience() {
    const RemoteTimeouts timeouts = {.connectMs = 2000, .firstByteMs = 5000, .silenceMs = 5000};
    return {.timeouts = timeouts,
            .testTimeouts = timeouts,
            .attempts = 3,
            .firstWaitMs = 2,
            .longestWaitMs = 3000,
            .lingerMs = 50};
  }
  void use() { backend.setEndpoints({endpoint}); }

  RequestId submit(const QString& text = "Hello?") {
    return log.submit({.turns = {{"system", "Be brief.", {}}, {"user", text, {}}},
                       .chatId = 5,
                       .modelPath = remotePath("a1", "m")});
  }
  /// The finished answer to a new request.
  AnswerLog::Answer ask() {
    const RequestId id = submit();
    const int before = log.numFinished();
    if (!QTest::qWaitFor([&] { return log.numFinished() > before; }, 20'000)) qFatal("No answer.");
    return log[id];
  }
  EndpointReport test(const std::optional<QString>& key = {}) {
    std::optional<EndpointReport> report;
    backend.test(endpoint, key, {&server, [&](const EndpointReport& got) { report = got; }});
    if (!QTest::qWaitFor([&] { return report.has_value(); }, 20'000)) qFatal("No report.");
    return *report;
  }

  FaultServer server;
  MemorySecrets secrets;
  RemoteEndpoint endpoint;
  RemoteBackend backend;
  AnswerLog log{backend};
};

}  // namespace quire
