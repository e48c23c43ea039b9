#include "tests/app/hub/test_hub.h"

#include <QCryptographicHash>
#include <QRegularExpression>
#include <QSslConfiguration>
#include <QSslServer>
#include <QTcpSocket>
#include <QTimer>

namespace quire {
namespace {

const QByteArray kCommit(40, 'c');
using Kind = HubFault::Kind;

QByteArray headOf(int status, qint64 length, const QByteArray& headers = {}) {
  return "HTTP/1.1 " + QByteArray::number(status) +
         " Status\r\nContent-Length: " + QByteArray::number(length) + "\r\n" + headers + "\r\n";
}

QByteArray sha256Of(const QByteArray& bytes) {
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

/// The name of a large file in xet storage. It looks like its SHA-256 and is something else.
QByteArray xetHashOf(const HubBlob& blob) {
  return sha256Of("xet " + blob.sha256);
}

/// An entry of a tree, with the members and in the order of Hugging Face.
QByteArray fileJson(const QByteArray& path, const HubBlob& blob) {
  const QByteArray size = QByteArray::number(blob.bytes);
  QByteArray json = R"({"type":"file","oid":")" + blob.gitSha1 + R"(","size":)" + size;
  if (blob.isLarge) {
    json += R"(,"lfs":{"oid":")" + blob.sha256 + R"(","size":)" + size +
            R"(,"pointerSize":135},"xetHash":")" + xetHashOf(blob) + '"';
  }
  return json + R"(,"path":")" + path + R"("})";
}

QByteArray siblingJson(const QByteArray& path, const HubBlob& blob) {
  const QByteArray size = QByteArray::number(blob.bytes);
  QByteArray json =
      R"({"rfilename":")" + path + R"(","size":)" + size + R"(,"blobId":")" + blob.gitSha1 + '"';
  if (blob.isLarge) {
    json +=
        R"(,"lfs":{"sha256":")" + blob.sha256 + R"(","size":)" + size + R"(,"pointerSize":135})";
  }
  return json + '}';
}

/// A refusal of Hugging Face.
QByteArray refusal(int status, const QByteArray& code, const QByteArray& message) {
  const QByteArray body = R"({"error":")" + message + R"("})";
  return headOf(status, body.size(),
                "Content-Type: application/json; charset=utf-8\r\nX-Error-Code: " + code +
                    "\r\nX-Error-Message: " + message + "\r\n") +
         body;
}

}  // namespace

/// One connection, which answers one request. In the hub's thread.
class HubConnection : public QObject {
 public:
  HubConnection(TestHub& hub, QTcpSocket* socket) : QObject(socket), m_hub(hub), m_socket(socket) {
    connect(socket, &QTcpSocket::readyRead, this, [this] { read(); });
    connect(socket, &QTcpSocket::bytesWritten, this, [this] { writeMore(); });
    connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
    read();
  }

 private:
  void read() {
    m_held += m_socket->readAll();
    if (m_isAnswered || !m_held.contains("\r\n\r\n")) return;
    m_isAnswered = true;
    HubRequest request;
    const QList<QByteArray> lines = m_held.left(m_held.indexOf("\r\n\r\n")).split('\n');
    request.path = lines.first().split(' ').value(1);
    for (const QByteArray& line : lines.mid(1)) {
      const qsizetype colon = line.indexOf(':');
      request.headers[line.left(colon).toLower()] = line.mid(colon + 1).trimmed();
    }
    m_response = m_hub.respond(request);
    m_at = m_response.first;
    m_socket->write(m_response.head + m_response.body);
    writeMore();
  }

  /// How much of the blob may be sent before the fault.
  qint64 end() const {
    const Kind kind = m_response.fault.kind;
    const bool ends = kind == Kind::kCut || kind == Kind::kReset || kind == Kind::kStall;
    const qint64 whole = m_response.last + 1;
    return ends ? std::min(whole, m_response.first + m_response.fault.at) : whole;
  }

  void writeMore() {
    if (!m_isAnswered || m_isWaiting || m_socket->bytesToWrite() > (256 << 10)) return;
    const HubFault& fault = m_response.fault;
    const bool isSlow = fault.kind == Kind::kSlow;
    const qint64 count = std::min<qint64>(isSlow ? fault.at : 64 << 10, end() - m_at);
    if (count > 0) {
      QByteArray bytes = m_response.blob.read(m_at, count);
      const bool isHere =
          fault.kind == Kind::kCorrupt && fault.at >= m_at && fault.at < m_at + count;
      if (isHere) bytes[fault.at - m_at] = static_cast<char>(bytes[fault.at - m_at] ^ 1);
      if (fault.kind == Kind::kOtherFile) bytes[0] = static_cast<char>(bytes[0] ^ 1);
      m_at += count;
      m_socket->write(bytes);
      if (!isSlow) return;
      m_isWaiting = true;
      return QTimer::singleShot(10, this, [this] {
        m_isWaiting = false;
        writeMore();
      });
    }
    if (m_hasEnded || fault.kind == Kind::kStall) return;
    m_hasEnded = true;
    m_socket->write(m_response.tail);
    if (fault.kind == Kind::kReset) {
      m_socket->flush();
      return m_socket->abort();
    }
    m_socket->disconnectFromHost();
  }

  TestHub& m_hub;
  QTcpSocket* m_socket;
  QByteArray m_held;
  TestHub::Response m_response;
  qint64 m_at = 0;
  bool m_isAnswered = false;
  bool m_isWaiting = false;
  bool m_hasEnded = false;
};

namespace {

QTcpServer* serverFor(const HubIdentity& identity) {
  if (identity.key.isNull()) return new QTcpServer;
  auto* const server = new QSslServer;
  QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
  configuration.setLocalCertificateChain(identity.chain);
  configuration.setPrivateKey(identity.key);
  server->setSslConfiguration(configuration);
  return server;
}

}  // namespace

TestHub::TestHub(const HubIdentity& identity)
    : m_scheme(identity.key.isNull() ? QStringLiteral("http") : QStringLiteral("https")),
      m_server(serverFor(identity)) {
  m_server->listen(QHostAddress::LocalHost);
  m_port = m_server->serverPort();
  m_server->moveToThread(&m_thread);
  // Encrypted connections come when they are, with Qt 6.4's signal for pending ones.
  QObject::connect(m_server, &QTcpServer::pendingConnectionAvailable, m_server, [this] {
    while (QTcpSocket* const socket = m_server->nextPendingConnection()) {
      new HubConnection(*this, socket);
    }
  });
  m_thread.start();
}

TestHub::~TestHub() {
  m_server->deleteLater();
  m_thread.quit();
  m_thread.wait();
}

void TestHub::addModel(const QByteArray& name, const QMap<QByteArray, HubBlob>& files,
                       const QByteArray& properties) {
  const QMutexLocker lock(&m_mutex);
  m_repositories[name] = {files, properties};
  for (const HubBlob& one : files) m_blobs[one.sha256] = one;
}

void TestHub::addOllama(const QByteArray& name, const QByteArray& tag,
                        const QList<QPair<QByteArray, HubBlob>>& layers) {
  const QMutexLocker lock(&m_mutex);
  QByteArray list;
  for (const auto& [type, layer] : layers) {
    m_blobs[layer.sha256] = layer;
    if (!list.isEmpty()) list += ',';
    list += R"({"mediaType":"application/vnd.ollama.image.)" + type + R"(","digest":"sha256:)" +
            layer.sha256 + R"(","size":)" + QByteArray::number(layer.bytes) + '}';
  }
  m_manifests["/v2/" + name + "/manifests/" + tag] =
      R"({"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json",)"
      R"("config":{"mediaType":"application/vnd.docker.container.image.v1+json","digest":"sha256:)" +
      sha256Of("{}") +
      R"(","size":2},)"
      R"("layers":[)" +
      list + "]}";
}

void TestHub::answer(const QByteArray& path, const QByteArray& response) {
  const QMutexLocker lock(&m_mutex);
  m_answers[path] = response;
}

void TestHub::answerOnce(const QByteArray& path, const QByteArrayList& responses) {
  const QMutexLocker lock(&m_mutex);
  m_onceAnswers[path] = responses;
}

void TestHub::setPageSize(int files) {
  const QMutexLocker lock(&m_mutex);
  m_pageSize = files;
}

void TestHub::setFaults(Faults faults) {
  const QMutexLocker lock(&m_mutex);
  m_faults = std::move(faults);
  m_numFileRequests = 0;
}

void TestHub::requireToken(const QByteArray& token) {
  const QMutexLocker lock(&m_mutex);
  m_token = token;
}

QList<HubRequest> TestHub::seen() const {
  const QMutexLocker lock(&m_mutex);
  return m_seen;
}

int TestHub::numFileRequests() const {
  const QMutexLocker lock(&m_mutex);
  return m_numFileRequests;
}

TestHub::Response TestHub::respond(HubRequest request) {
  const QMutexLocker lock(&m_mutex);
  request.isOfFile = request.path.startsWith("/cdn/") || request.path.contains("/resolve/") ||
                     request.path.contains("/blobs/");
  m_seen.append(request);
  if (QByteArrayList& once = m_onceAnswers[request.path]; !once.isEmpty()) {
    return {.head = once.takeFirst()};
  }
  if (const auto known = m_answers.constFind(request.path); known != m_answers.cend()) {
    return {.head = *known};
  }
  const bool isOfHub = !request.path.startsWith("/cdn/");
  if (isOfHub && !m_token.isEmpty() &&
      request.headers.value("authorization") != "Bearer " + m_token) {
    return {.head = refusal(401, "GatedRepo",
                            "Access to this model is restricted. You must be authenticated.")};
  }
  return request.isOfFile ? file(request) : respondToApi(request.path);
}

TestHub::Response TestHub::respondToApi(const QByteArray& path) {
  const auto json = [](const QByteArray& body, const QByteArray& headers = {}) {
    return Response{
        .head = headOf(200, body.size(), "Content-Type: application/json\r\n" + headers),
        .body = body};
  };
  if (m_manifests.contains(path)) return json(m_manifests[path]);
  if (path.startsWith("/api/models?")) {
    QByteArray list;
    for (auto one = m_repositories.begin(); one != m_repositories.end(); ++one) {
      if (!list.isEmpty()) list += ',';
      list +=
          R"({"_id":"66e81cef","id":")" + one.key() + R"(","modelId":")" + one.key() +
          R"(","likes":1,"private":false,"downloads":7,"createdAt":"2026-01-01T00:00:00.000Z",)" +
          one->properties + '}';
    }
    return json('[' + list + ']');
  }
  const QList<QByteArray> parts = path.split('?').first().split('/');
  const QByteArray name = parts.value(3) + '/' + parts.value(4);
  if (!path.startsWith("/api/models/") || !m_repositories.contains(name)) {
    if (path.startsWith("/v2/")) {
      const QByteArray body =
          R"({"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]})";
      return {.head = headOf(404, body.size(), "Content-Type: application/json\r\n") + body};
    }
    return {.head = refusal(404, "RepoNotFound", "Repository not found")};
  }
  const Repository& repository = m_repositories[name];
  if (parts.value(5) == "tree") return tree(repository, path);
  QByteArray siblings;
  for (auto one = repository.files.begin(); one != repository.files.end(); ++one) {
    siblings += (siblings.isEmpty() ? "" : ",") + siblingJson(one.key(), *one);
  }
  return json(R"({"_id":"66e81cef","id":")" + name + R"(","modelId":")" + name + R"(","author":")" +
              name.split('/').first() + R"(","sha":")" + kCommit +
              R"(","private":false,"disabled":false,"downloads":7,"likes":1,"siblings":[)" +
              siblings + "]," + repository.properties + '}');
}

TestHub::Response TestHub::tree(const Repository& repository, const QByteArray& path) const {
  const QList<QByteArray> names = repository.files.keys();
  const qsizetype at = path.indexOf("cursor=");
  const QByteArray cursor = QByteArray::fromPercentEncoding(path.mid(at + 7).split('&').first());
  const qsizetype first = at < 0 ? 0 : QByteArray::fromBase64(cursor).toInt();
  QByteArray list =
      R"({"type":"directory","oid":")" + QByteArray(40, 'd') + R"(","size":0,"path":"folder"})";
  for (const QByteArray& name : names.mid(first, m_pageSize)) {
    list += ',' + fileJson(name, repository.files[name]);
  }
  list = '[' + list + ']';
  QByteArray link;
  if (first + m_pageSize < names.size()) {
    link = "Link: <" + address().toLatin1() + path.split('?').first() +
           "?recursive=true&limit=" + QByteArray::number(m_pageSize) +
           "&cursor=" + QByteArray::number(first + m_pageSize).toBase64().toPercentEncoding() +
           ">; rel=\"next\"\r\n";
  }
  return {.head = headOf(200, list.size(), "Content-Type: application/json\r\n" + link),
          .body = list};
}

/// Large files are answered by a redirect, whose target is what counts as the request of a file.
TestHub::Response TestHub::file(const HubRequest& request) {
  const QByteArray path = QByteArray::fromPercentEncoding(request.path.split('?').first());
  const qsizetype at = path.indexOf("/resolve/");
  HubBlob found;
  if (at > 0) {
    const QByteArray name = path.mid(1, at - 1);
    const QByteArray below = path.mid(at + 9 + kCommit.size() + 1);
    found = m_repositories.value(name).files.value(below);
  } else {
    found = m_blobs.value(path.right(64));
  }
  if (!found.read) return {.head = refusal(404, "EntryNotFound", "Entry not found")};
  if (!path.startsWith("/cdn/") && found.isLarge) {
    return {.head = redirectToStorage(found, path.startsWith("/v2/"))};
  }
  // Small files come from a cache on the same host since 2025.
  if (at > 0 && !path.startsWith("/cdn/")) {
    return {.head = headOf(307, 0,
                           "Location: /cdn/" + found.sha256 + "?etag=%22" + found.gitSha1 +
                               "%22\r\nX-Repo-Commit: " + kCommit + "\r\n")};
  }
  const int index = m_numFileRequests++;
  return blob(found, request, m_faults ? m_faults(request, index) : HubFault());
}

/// Ollama's registry answers 307 without a body; Hugging Face 302 with a line of text, and with
/// what the storage's own response lacks.
QByteArray TestHub::redirectToStorage(const HubBlob& blob, bool isOllama) const {
  const QByteArray location = address().toLatin1() + "/cdn/" + blob.sha256;
  if (isOllama) {
    return headOf(307, 0,
                  "Docker-Distribution-Api-Version: registry/2.0\r\nLocation: " + location +
                      "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00\r\n");
  }
  const QByteArray body = "Found. Redirecting to " + location;
  return headOf(302, body.size(),
                "Content-Type: text/plain; charset=utf-8\r\nLocation: " + location +
                    "?X-Xet-Cas-Uid=public&response-content-disposition=inline%3B+filename%3D%22m"
                    "%22&Expires=1&Signature=a%2Bb\r\nX-Repo-Commit: " +
                    kCommit + "\r\nX-Linked-Size: " + QByteArray::number(blob.bytes) +
                    "\r\nX-Linked-ETag: \"" + blob.sha256 + "\"\r\nX-Xet-Hash: " + xetHashOf(blob) +
                    "\r\n") +
         body;
}

TestHub::Response TestHub::blob(const HubBlob& blob, const HubRequest& request,
                                const HubFault& fault) const {
  switch (fault.kind) {
    case Kind::kStatus: {
      QByteArray headers;
      if (fault.status == 429 && fault.retryAfter < 0) {
        headers = "RateLimit: \"resolvers\";r=0;t=0\r\n";
      }
      if (fault.retryAfter >= 0) {
        headers = "Retry-After: " + QByteArray::number(fault.retryAfter) + "\r\n";
      }
      return {.head = headOf(fault.status, 0, headers)};
    }
    case Kind::kRedirect:
      return {.head = headOf(302, 0, "Location: " + fault.location + "\r\n")};
    case Kind::kNotHttp:
      return {.head = "220 mail.example.org ESMTP\r\n\r\n"};
    default:
      break;
  }
  const QByteArray tag =
      '"' + (fault.kind == Kind::kOtherFile ? QByteArray("other") : xetHashOf(blob)) + '"';
  QByteArray headers = "ETag: " + tag + "\r\nAccept-Ranges: bytes\r\n";
  if (fault.kind == Kind::kCompressed) headers += "Content-Encoding: gzip\r\n";
  Response response{.blob = blob, .last = blob.bytes - 1, .fault = fault};
  const QByteArray range = request.headers.value("range");
  const QByteArray ifRange = request.headers.value("if-range", tag);
  if (!range.isEmpty() && ifRange == tag && fault.kind != Kind::kIgnoreRange &&
      !fault.ignoresRange) {
    response.first = range.mid(6).split('-').first().toLongLong();
    if (response.first >= blob.bytes) {
      return {.head = headOf(416, 0,
                             "Content-Range: bytes */" + QByteArray::number(blob.bytes) + "\r\n")};
    }
    if (fault.kind == Kind::kWrongRange) response.first = 0;
    headers += "Content-Range: bytes " + QByteArray::number(response.first) + '-' +
               QByteArray::number(response.last) + '/' + QByteArray::number(blob.bytes) + "\r\n";
  }
  const bool isPartial = headers.contains("Content-Range");
  qint64 length = response.last - response.first + 1;
  if (fault.kind == Kind::kLonger) response.tail = QByteArray(100, 'x');
  if (fault.kind == Kind::kShorter) response.last -= std::min<qint64>(100, length);
  if (fault.kind == Kind::kEndless) response.tail = QByteArray(fault.at, 'x');
  length = response.last - response.first + 1 + response.tail.size();
  response.head = headOf(isPartial ? 206 : 200, length, headers);
  if (fault.kind == Kind::kEndless) {
    response.head =
        "HTTP/1.1 " + QByteArray(isPartial ? "206" : "200") + " OK\r\n" + headers + "\r\n";
  }
  return response;
}

}  // namespace quire
