#include "app/remote/remote_backend.h"

#include <utility>

#include "app/remote/remote_worker.h"

namespace quire {

RemoteBackend::RemoteBackend(SecretStore& secrets, const RemoteOptions& options)
    : m_worker(new RemoteWorker(secrets, options)) {
  m_worker->moveToThread(&m_thread);
  QObject::connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
  m_thread.setObjectName(QStringLiteral("remote"));
  m_thread.start();
}

RemoteBackend::~RemoteBackend() {
  m_thread.quit();
  m_thread.wait();
}

/// Runs a function in the worker's thread, in the order of the calls.
void RemoteBackend::post(std::function<void()> function) {
  QMetaObject::invokeMethod(m_worker, std::move(function), Qt::QueuedConnection);
}

RequestId RemoteBackend::submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) {
  const RequestId id = ++m_lastRequest;
  post([worker = m_worker, id, request, sink = std::move(sink)] {
    worker->submit(id, request, sink);
  });
  return id;
}

void RemoteBackend::cancel(RequestId id) {
  post([worker = m_worker, id] { worker->cancel(id); });
}

PendingReply RemoteBackend::forecast(const ChatRequest&, Reply<ContextForecast> reply) {
  PendingReply pending = reply.pending();
  post([reply = std::move(reply)] { reply({}); });
  return pending;
}

void RemoteBackend::setEndpoints(const QList<RemoteEndpoint>& endpoints) {
  post([worker = m_worker, endpoints] { worker->setEndpoints(endpoints); });
}

void RemoteBackend::test(const RemoteEndpoint& endpoint, const std::optional<QString>& key,
                         Reply<EndpointReport> reply) {
  post([worker = m_worker, endpoint, key, reply = std::move(reply)] {
    worker->test(endpoint, key, reply);
  });
}

}  // namespace quire
