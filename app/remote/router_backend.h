#pragma once

#include "app/engine/chat_backend.h"

namespace quire {

/// Sends each request to the local engine or to the remote backend, by ChatRequest::modelPath.
/// Thread: any. Both backends outlive it.
class RouterBackend : public ChatBackend {
 public:
  RouterBackend(ChatBackend& local, ChatBackend& remote) : m_local(local), m_remote(remote) {}

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override;
  void cancel(RequestId id) override;
  void setPriority(RequestId id, int priority) override;
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override;

 private:
  ChatBackend& backendOf(const ChatRequest& request) const;
  /// Of a request by its id here, which is twice that of its backend, and one more if remote.
  ChatBackend& backendOf(RequestId id) const { return id % 2 == 0 ? m_local : m_remote; }

  ChatBackend& m_local;
  ChatBackend& m_remote;
};

}  // namespace quire
