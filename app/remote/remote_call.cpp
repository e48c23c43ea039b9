#include "app/remote/remote_call.h"

#include <QCoreApplication>
#include <QNetworkProxyFactory>
#include <QSslError>
#include <QSslSocket>

#include <utility>

#include "app/remote/remote_endpoint.h"

namespace quire {
namespace {

constexpr qint64 kMostAtOnce = 256 << 10;  ///< Bytes between two turns of the event loop.

bool isTls(const QUrl& url) {
  return url.scheme() == QLatin1String("https");
}

QByteArray headOf(const CallRequest& request) {
  const QUrl& url = request.url;
  QByteArray path = url.path(QUrl::FullyEncoded).toLatin1();
  if (path.isEmpty()) path = "/";
  if (url.hasQuery()) path += '?' + url.query(QUrl::FullyEncoded).toLatin1();
  QByteArray host = url.host(QUrl::FullyEncoded).toLatin1();
  if (host.contains(':')) host = '[' + host + ']';
  if (url.port() >= 0) host += ':' + QByteArray::number(url.port());
  QByteArray head = request.method + ' ' + path + " HTTP/1.1\r\nHost: " + host +
                    "\r\nAccept: " + request.accept +
                    "\r\nAccept-Encoding: identity\r\nConnection: close\r\nUser-Agent: Quire\r\n";
  if (!request.key.isEmpty()) head += "Authorization: Bearer " + request.key + "\r\n";
  for (const auto& [name, value] : request.headers) head += name + ": " + value + "\r\n";
  if (!request.body.isEmpty() || request.method == "POST") {
    head += "Content-Type: application/json\r\nContent-Length: " +
            QByteArray::number(request.body.size()) + "\r\n";
  }
  return head + "\r\n";
}

}  // namespace

RemoteCall::RemoteCall(const CallRequest& request, const RemoteTimeouts& timeouts,
                       CallHandlers handlers)
    : m_request(request),
      m_timeouts(timeouts),
      m_handlers(std::move(handlers)),
      m_socket(new QSslSocket(this)) {
  m_timer.setSingleShot(true);
  connect(&m_timer, &QTimer::timeout, this, &RemoteCall::onTimeout);
  connect(m_socket, &QSslSocket::readyRead, this, &RemoteCall::read);
  connect(m_socket, &QSslSocket::disconnected, this, &RemoteCall::onClosed);
  connect(m_socket, &QSslSocket::errorOccurred, this, &RemoteCall::onError);
  connect(m_socket, isTls(request.url) ? &QSslSocket::encrypted : &QSslSocket::connected, this,
          &RemoteCall::send);
  // What comes in faster than it is read stays with the sender.
  m_socket->setReadBufferSize(kMostAtOnce);
  m_timer.start(m_timeouts.connectMs);
  QMetaObject::invokeMethod(
      this, [this] { connectToHost(); }, Qt::QueuedConnection);
}

RemoteCall::~RemoteCall() {
  stop();
}

void RemoteCall::stop() {
  m_hasEnded = true;
  m_timer.stop();
  m_socket->disconnect(this);
  m_socket->abort();
}

void RemoteCall::setPaused(bool isPaused) {
  if (m_hasEnded || m_isPaused == isPaused) return;
  m_isPaused = isPaused;
  if (m_isPaused) return m_timer.stop();
  m_timer.start(m_timeouts.silenceMs);
  QMetaObject::invokeMethod(
      this, [this] { m_isClosed ? onClosed() : read(); }, Qt::QueuedConnection);
}

void RemoteCall::connectToHost() {
  if (m_hasEnded) return;
  const QUrl& url = m_request.url;
  chooseProxy();
  if (!isTls(url)) {
    return m_socket->connectToHost(url.host(), static_cast<quint16>(url.port(80)));
  }
  if (!QSslSocket::supportsSsl()) {
    return end(CallEnd::Kind::kUnreachable,
               QCoreApplication::translate("quire::RemoteCall",
                                           "this computer has no library for encryption (TLS)"));
  }
  m_socket->connectToHostEncrypted(url.host(), static_cast<quint16>(url.port(443)));
}

/// The proxy of the system. A connection to this computer needs none.
void RemoteCall::chooseProxy() {
  m_socket->setProxy(QNetworkProxy::NoProxy);
  if (isThisComputer(m_request.url)) return;
  for (const QNetworkProxy& proxy :
       QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(m_request.url))) {
    const bool canTunnel = proxy.capabilities().testFlag(QNetworkProxy::TunnelingCapability);
    if (proxy.type() != QNetworkProxy::NoProxy && !canTunnel) continue;
    return m_socket->setProxy(proxy);
  }
}

void RemoteCall::send() {
  if (std::exchange(m_isSent, true)) return;
  m_timer.start(m_timeouts.firstByteMs);
  m_socket->write(headOf(m_request));
  m_socket->write(m_request.body);
}

void RemoteCall::read() {
  if (m_hasEnded || m_isPaused || !m_isSent) return;
  const QByteArray bytes = m_socket->read(kMostAtOnce);
  if (bytes.isEmpty()) return;
  const QByteArray body = m_reader.append(bytes);
  m_hasBody = m_hasBody || !body.isEmpty();
  m_timer.start(m_hasBody ? m_timeouts.silenceMs : m_timeouts.firstByteMs);
  const bool isNewHead = m_reader.hasHead() && !std::exchange(m_hasHead, true);
  if (isNewHead && m_handlers.head) m_handlers.head(m_reader.head());
  if (!m_hasEnded && !body.isEmpty() && m_handlers.body) m_handlers.body(body);
  if (m_hasEnded) return;
  if (m_reader.hasFailed()) return end(CallEnd::Kind::kNotHttp);
  if (m_reader.isComplete()) return end(CallEnd::Kind::kComplete);
  if (m_socket->bytesAvailable() > 0) {
    QMetaObject::invokeMethod(
        this, [this] { read(); }, Qt::QueuedConnection);
  }
}

void RemoteCall::onError() {
  if (m_hasEnded) return;
  const QAbstractSocket::SocketError error = m_socket->error();
  if (error == QAbstractSocket::RemoteHostClosedError) return;  // `disconnected` follows.
  const bool isUntrusted = !m_socket->sslHandshakeErrors().isEmpty();
  if (isUntrusted) {
    return end(CallEnd::Kind::kUntrusted,
               m_socket->sslHandshakeErrors().constFirst().errorString());
  }
  end(m_isSent ? CallEnd::Kind::kBroken : CallEnd::Kind::kUnreachable, m_socket->errorString());
}

void RemoteCall::onClosed() {
  while (!m_hasEnded && !m_isPaused && m_isSent && m_socket->bytesAvailable() > 0) read();
  m_isClosed = true;
  if (m_hasEnded || m_isPaused) return;
  if (!m_isSent) return end(CallEnd::Kind::kUnreachable, m_socket->errorString());
  m_reader.close();
  end(m_reader.isComplete() ? CallEnd::Kind::kComplete : CallEnd::Kind::kBroken);
}

void RemoteCall::onTimeout() {
  if (!m_isSent) return end(CallEnd::Kind::kConnectTimeout);
  end(m_hasBody ? CallEnd::Kind::kSilence : CallEnd::Kind::kFirstByteTimeout);
}

void RemoteCall::end(CallEnd::Kind kind, const QString& detail) {
  if (m_hasEnded) return;
  stop();
  if (m_handlers.ended) m_handlers.ended({.kind = kind, .detail = detail});
}

}  // namespace quire
