#pragma once

#include <QHash>
#include <QObject>

#include "app/remote/remote_answer.h"
#include "app/remote/remote_backend.h"

namespace quire {

/// The requests of a RemoteBackend, in its thread.
class RemoteWorker : public QObject {
 public:
  RemoteWorker(SecretStore& secrets, const RemoteOptions& options)
      : m_secrets(secrets), m_options(options) {}

  void submit(RequestId id, const ChatRequest& request, std::shared_ptr<AnswerSink> sink);
  void cancel(RequestId id);
  void setEndpoints(const QList<RemoteEndpoint>& endpoints) { m_endpoints = endpoints; }
  void test(const RemoteEndpoint& endpoint, const std::optional<QString>& key,
            const Reply<EndpointReport>& reply);

 private:
  void start(RequestId id, const RemoteEndpoint& endpoint);
  void callForModels(const RemoteEndpoint& endpoint, const QByteArray& key,
                     const Reply<EndpointReport>& reply);

  SecretStore& m_secrets;
  const RemoteOptions m_options;
  QList<RemoteEndpoint> m_endpoints;
  QHash<RequestId, RemoteAnswer*> m_answers;  ///< Children of this object.
  QHash<QString, ChatDialect> m_dialects;     ///< By the path of the model.
};

}  // namespace quire
