#include "app/remote/remote_worker.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace quire {
namespace {

constexpr qsizetype kMostListBytes = 8 << 20;

/// A response that is being collected.
struct Collected {
  ResponseHead head;
  QByteArray body;
  RemoteCall* call = nullptr;
};

ServerKind serverOf(const QString& owner) {
  if (owner == QLatin1String("vllm")) return ServerKind::kVllm;
  if (owner == QLatin1String("sglang")) return ServerKind::kSglang;
  if (owner == QLatin1String("llamacpp")) return ServerKind::kLlamaCpp;
  if (owner == QLatin1String("library")) return ServerKind::kOllama;
  if (owner == QLatin1String("quire")) return ServerKind::kQuire;
  return ServerKind::kUnknown;
}

EndpointReport failed(const RemoteFailure& failure) {
  EndpointReport report;
  report.error = failure.sentence;
  return report;
}

EndpointReport reportOf(const RemoteEndpoint& endpoint, const CallRequest& request,
                        const Collected& response, const CallEnd& end) {
  const int status = response.head.status;
  if (status == 0 || (end.kind != CallEnd::Kind::kComplete && status == 200)) {
    return failed(failureOf(endpoint, end));
  }
  if (status >= 300 && status < 400) {
    const QByteArray location = response.head.header("location");
    const QUrl target = request.url.resolved(QUrl(QString::fromLatin1(location)));
    return failed(redirected(endpoint, target, request.key));
  }
  EndpointReport report;
  report.hasList = status == 200;
  if (status == 404 || status == 405 || status == 501) return report;
  if (status != 200) return failed(refusalOf(endpoint, {}, status, response.body));
  const std::optional<RemoteModelList> list = readModelList(response.body);
  if (!list) {
    return failed(notTheApi(endpoint, response.head.header("content-type"), request.key));
  }
  report.models = list->names;
  report.server = serverOf(list->owner);
  return report;
}

/// Whether it can stand in a header.
bool isKey(const QByteArray& key) {
  return std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

void RemoteWorker::submit(RequestId id, const ChatRequest& request,
                          std::shared_ptr<AnswerSink> sink) {
  const RemotePath path = readRemotePath(request.modelPath).value_or(RemotePath());
  const auto found = std::ranges::find(m_endpoints, path.endpointId, &RemoteEndpoint::id);
  const bool isKnown = found != m_endpoints.end();
  const RemoteEndpoint endpoint = isKnown ? *found : RemoteEndpoint();
  const QString modelPath = request.modelPath;
  auto* const answer = new RemoteAnswer(
      {.request = request,
       .sink = std::move(sink),
       .endpoint = endpoint,
       .model = path.model,
       .dialect = m_dialects.value(modelPath)},
      m_options,
      [this, id, modelPath](const ChatDialect& dialect) {
        m_dialects[modelPath] = dialect;
        if (RemoteAnswer* const ended = m_answers.take(id)) ended->deleteLater();
      },
      this);
  m_answers.insert(id, answer);
  if (isKnown) return start(id, endpoint);
  answer->fail({QCoreApplication::translate("quire::RemoteBackend",
                                            "The machine that this chat used is not on the page "
                                            "Models any more. Choose another model."),
                ErrorCode::kNotFound});
}

void RemoteWorker::start(RequestId id, const RemoteEndpoint& endpoint) {
  if (!endpoint.hasKey) return m_answers.value(id)->start({});
  m_secrets.read(secretName(endpoint),
                 {this, [this, id, endpoint](const SecretReading& reading) {
                    RemoteAnswer* const answer = m_answers.value(id);
                    if (answer == nullptr) return;  // It was cancelled.
                    const QByteArray key = reading.secret.toUtf8();
                    if (key.isEmpty() || !isKey(key)) {
                      return answer->fail(missingKey(endpoint, reading.error));
                    }
                    answer->start(key);
                  }});
}

void RemoteWorker::cancel(RequestId id) {
  if (RemoteAnswer* const answer = m_answers.value(id)) answer->cancel();
}

void RemoteWorker::test(const RemoteEndpoint& endpoint, const std::optional<QString>& key,
                        const Reply<EndpointReport>& reply) {
  if (key || !endpoint.hasKey) {
    const QByteArray bytes = key.value_or(QString()).toUtf8();
    if (!isKey(bytes)) {
      return reply(failed({QCoreApplication::translate(
                               "quire::RemoteBackend",
                               "The key holds characters that keys do not have. Paste it again."),
                           ErrorCode::kInvalidArgument}));
    }
    return callForModels(endpoint, bytes, reply);
  }
  m_secrets.read(secretName(endpoint),
                 {this, [this, endpoint, reply](const SecretReading& reading) {
                    const QByteArray stored = reading.secret.toUtf8();
                    if (stored.isEmpty() || !isKey(stored)) {
                      return reply(failed(missingKey(endpoint, reading.error)));
                    }
                    callForModels(endpoint, stored, reply);
                  }});
}

void RemoteWorker::callForModels(const RemoteEndpoint& endpoint, const QByteArray& key,
                                 const Reply<EndpointReport>& reply) {
  QUrl url = endpoint.baseUrl;
  url.setPath(url.path() + QStringLiteral("/models"));
  const CallRequest request = {.url = url, .key = key};
  const auto response = std::make_shared<Collected>();
  // The call is a child of this object, and deletes itself when it has ended.
  auto* const owner = new QObject(this);
  const auto ended = [endpoint, request, response, reply, owner](const CallEnd& end) {
    owner->deleteLater();
    hideKey(response->body, request.key);
    reply(reportOf(endpoint, request, *response, end));
  };
  const auto onBody = [response, ended](const QByteArray& bytes) {
    response->body += bytes.left(kMostListBytes - response->body.size());
    if (response->body.size() < kMostListBytes) return;
    response->call->stop();
    ended({.kind = CallEnd::Kind::kComplete});  // It is read as far as it has come.
  };
  response->call =
      new RemoteCall(request, m_options.testTimeouts,
                     {.head = [response](const ResponseHead& head) { response->head = head; },
                      .body = onBody,
                      .ended = ended});
  response->call->setParent(owner);
}

}  // namespace quire
