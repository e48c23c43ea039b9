#include "app/remote/router_backend.h"

#include <utility>

#include "app/remote/remote_endpoint.h"

namespace quire {

ChatBackend& RouterBackend::backendOf(const ChatRequest& request) const {
  return isRemotePath(request.modelPath) ? m_remote : m_local;
}

RequestId RouterBackend::submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) {
  ChatBackend& backend = backendOf(request);
  const RequestId parity = &backend == &m_remote ? 1 : 0;
  return 2 * backend.submit(request, std::move(sink)) + parity;
}

void RouterBackend::cancel(RequestId id) {
  backendOf(id).cancel(id / 2);
}

void RouterBackend::setPriority(RequestId id, int priority) {
  backendOf(id).setPriority(id / 2, priority);
}

PendingReply RouterBackend::forecast(const ChatRequest& request, Reply<ContextForecast> reply) {
  return backendOf(request).forecast(request, std::move(reply));
}

}  // namespace quire
