#pragma once

#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>

namespace quire {

/// A proxy that knows CONNECT, and takes every name for this computer. In the test's thread.
class TestProxy : public QTcpServer {
 public:
  TestProxy() {
    listen(QHostAddress::LocalHost);
    connect(this, &QTcpServer::newConnection, this, [this] { accept(nextPendingConnection()); });
  }

  QByteArray address() const { return "http://127.0.0.1:" + QByteArray::number(serverPort()); }

  QByteArrayList asked;     ///< "hub.test:4711".
  QByteArray refusal = {};  ///< What is answered instead; empty: nothing.

 private:
  void accept(QTcpSocket* client) {
    auto* const hub = new QTcpSocket(client);
    connect(client, &QTcpSocket::disconnected, client, &QObject::deleteLater);
    connect(client, &QTcpSocket::readyRead, this, [this, client, hub] {
      if (hub->state() == QAbstractSocket::ConnectedState) {
        hub->write(client->readAll());
      } else if (client->peek(8192).contains("\r\n\r\n")) {
        tunnel(client, hub);
      }
    });
  }

  void tunnel(QTcpSocket* client, QTcpSocket* hub) {
    const QByteArrayList words = client->readAll().split('\r').first().split(' ');
    asked.append(words.value(1));
    if (words.value(0) != "CONNECT" || !refusal.isEmpty()) {
      client->write(refusal.isEmpty() ? "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n" : refusal);
      return client->disconnectFromHost();
    }
    connect(hub, &QTcpSocket::connected, client,
            [client] { client->write("HTTP/1.1 200 Connection established\r\n\r\n"); });
    connect(hub, &QTcpSocket::readyRead, client, [client, hub] { client->write(hub->readAll()); });
    connect(hub, &QTcpSocket::disconnected, client, [client] { client->disconnectFromHost(); });
    hub->connectToHost(QHostAddress::LocalHost, words.value(1).split(':').value(1).toUShort());
  }
};

}  // namespace quire
