#pragma once

#include <QList>
#include <QQueue>
#include <QTcpServer>
#include <QTcpSocket>

namespace quire {

/// What a client sent.
struct SeenRequest {
  QByteArray line;  ///< "POST /v1/chat/completions HTTP/1.1".
  QByteArray head;
  QByteArray body;
};

/// How the server behaves on one connection.
struct Behaviour {
  enum class End { kClose, kReset, kStay };
  QList<QByteArray> pieces;  ///< Sent one after the other.
  int pauseMs = 0;           ///< Before each piece.
  End end = End::kClose;
};

/// A server that answers each connection as it is told, however wrong that is.
/// Thread: the test's.
class FaultServer : public QTcpServer {
  Q_OBJECT

 public:
  FaultServer();

  /// Of the next connections, in this order. The last one is repeated.
  void queue(const Behaviour& behaviour) { m_behaviours.enqueue(behaviour); }
  void queue(const QByteArray& response) { queue({.pieces = {response}}); }
  /// Connections wait for an answer until something is queued again.
  void forget() { m_behaviours.clear(); }
  QString address() const { return QStringLiteral("http://127.0.0.1:%1").arg(serverPort()); }

  QList<SeenRequest> seen;
  int numClosedByClient = 0;  ///< Connections that the client ended before the server did.

 private:
  void onConnection();
  void read(QTcpSocket* socket);
  static void write(QTcpSocket* socket, const QByteArray& bytes);
  void send(QTcpSocket* socket, const Behaviour& behaviour, qsizetype piece);

  QQueue<Behaviour> m_behaviours;
};

/// A response with a length.
QByteArray response(int status, const QByteArray& body, const QByteArray& type = "application/json",
                    const QByteArray& headers = {});
/// A response of events, in one chunk each.
QByteArray eventStream(const QList<QByteArray>& data);
/// {"choices":[{"delta":{"content":"…"}}]}
QByteArray textChunk(const QByteArray& text);
QByteArray finishChunk(const QByteArray& reason = "stop");
/// A stream that writes `texts`, with its usage.
QByteArray wholeStream(const QList<QByteArray>& texts);

}  // namespace quire
