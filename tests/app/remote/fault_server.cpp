#include "tests/app/remote/fault_server.h"

#include <QTimer>

#include <memory>

namespace quire {

FaultServer::FaultServer() {
  listen(QHostAddress::LocalHost);
  connect(this, &QTcpServer::newConnection, this, &FaultServer::onConnection);
}

void FaultServer::onConnection() {
  while (QTcpSocket* const socket = nextPendingConnection()) {
    socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    connect(socket, &QTcpSocket::readyRead, this, [this, socket] { read(socket); });
    connect(socket, &QTcpSocket::disconnected, this, [this, socket] {
      if (!socket->property("ended").toBool()) ++numClosedByClient;
      socket->deleteLater();
    });
    read(socket);
  }
}

/// Answers when the request is complete.
void FaultServer::read(QTcpSocket* socket) {
  if (socket->property("answered").toBool()) return;
  const QByteArray held = socket->property("held").toByteArray() + socket->readAll();
  socket->setProperty("held", held);
  const qsizetype end = held.indexOf("\r\n\r\n");
  if (end < 0) return;
  const QByteArray head = held.left(end);
  const qsizetype at = head.toLower().indexOf("content-length:");
  const qsizetype length =
      at < 0 ? 0 : head.mid(at + 15).split('\r').constFirst().trimmed().toLongLong();
  if (held.size() < end + 4 + length) return;
  socket->setProperty("answered", true);
  seen.append({head.split('\r').constFirst(), head, held.mid(end + 4, length)});
  if (m_behaviours.isEmpty()) return;
  const Behaviour behaviour =
      m_behaviours.size() > 1 ? m_behaviours.dequeue() : m_behaviours.head();
  send(socket, behaviour, 0);
}

void FaultServer::send(QTcpSocket* socket, const Behaviour& behaviour, qsizetype piece) {
  if (piece < behaviour.pieces.size() && behaviour.pauseMs > 0) {
    QTimer::singleShot(behaviour.pauseMs, socket, [this, socket, behaviour, piece] {
      write(socket, behaviour.pieces[piece]);
      send(socket, behaviour, piece + 1);
    });
    return;
  }
  for (; piece < behaviour.pieces.size(); ++piece) write(socket, behaviour.pieces[piece]);
  if (behaviour.end == Behaviour::End::kStay) return;
  socket->setProperty("ended", true);
  if (behaviour.end == Behaviour::End::kReset) return socket->abort();
  socket->disconnectFromHost();
}

void FaultServer::write(QTcpSocket* socket, const QByteArray& bytes) {
  socket->write(bytes);
  socket->flush();
}

QByteArray response(int status, const QByteArray& body, const QByteArray& type,
                    const QByteArray& headers) {
  return "HTTP/1.1 " + QByteArray::number(status) + " Status\r\nContent-Type: " + type +
         "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n" + headers + "\r\n" +
         body;
}

QByteArray eventStream(const QList<QByteArray>& data) {
  QByteArray bytes =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  for (const QByteArray& one : data) {
    const QByteArray event = "data: " + one + "\n\n";
    bytes += QByteArray::number(event.size(), 16) + "\r\n" + event + "\r\n";
  }
  return bytes + "0\r\n\r\n";
}

QByteArray textChunk(const QByteArray& text) {
  return R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("},"finish_reason":null}]})";
}

QByteArray finishChunk(const QByteArray& reason) {
  return R"({"choices":[{"index":0,"delta":{},"finish_reason":")" + reason + R"("}]})";
}

QByteArray wholeStream(const QList<QByteArray>& texts) {
  QList<QByteArray> data;
  for (const QByteArray& text : texts) data.append(textChunk(text));
  data += {finishChunk(),
           R"({"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,)"
           R"("prompt_tokens_details":{"cached_tokens":8}}})",
           "[DONE]"};
  return eventStream(data);
}

}  // namespace quire
