#pragma once

#include <QThread>

#include <atomic>
#include <memory>
#include <optional>

#include "app/engine/chat_backend.h"
#include "app/remote/remote_options.h"
#include "app/remote/remote_tools.h"

namespace quire {

class RemoteWorker;

/// Answers chats by endpoints with an OpenAI-compatible API (ChatRequest::modelPath is that of
/// remotePath()). Keys are read when they are first needed.
///
/// Thread: any; connections and sinks' calls are on a thread of its own. The secrets outlive it.
class RemoteBackend : public ChatBackend {
 public:
  explicit RemoteBackend(SecretStore& secrets, const RemoteOptions& options = {});
  ~RemoteBackend() override;

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override;
  void cancel(RequestId id) override;
  /// Endpoints know no priorities.
  void setPriority(RequestId, int) override {}
  /// An endpoint is not asked before the user sends something, so nothing is counted.
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override;

  /// The endpoints that requests name from now on.
  void setEndpoints(const QList<RemoteEndpoint>& endpoints);
  /// Asks an endpoint for its models. The key is that of the store unless one is given.
  void test(const RemoteEndpoint& endpoint, const std::optional<QString>& key,
            Reply<EndpointReport> reply);

 private:
  void post(std::function<void()> function);

  std::atomic<RequestId> m_lastRequest = 0;
  RemoteWorker* m_worker;  ///< Lives in m_thread, which deletes it at its end.
  QThread m_thread;
};

}  // namespace quire
