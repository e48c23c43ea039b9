#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>

#include "app/remote/response_reader.h"

class QSslSocket;

namespace quire {

struct RemoteTimeouts {
  int connectMs = 15'000;
  int firstByteMs = 600'000;  ///< Of the body: a model that is not loaded yet takes minutes.
  int silenceMs = 120'000;    ///< Between two bytes of the body.
};

struct CallRequest {
  QByteArray method = "GET";
  QUrl url;
  QByteArray key = {};  ///< Sent as a bearer token; empty: none.
  QByteArray body = {};
  QByteArray accept = "application/json";
  QList<QPair<QByteArray, QByteArray>> headers = {};  ///< More of them: names and values.
};

/// How a call ended.
struct CallEnd {
  enum class Kind {
    kComplete,     ///< The whole response was read.
    kUnreachable,  ///< No connection: `detail` says why.
    kUntrusted,    ///< The certificate is not valid for the host.
    kConnectTimeout,
    kFirstByteTimeout,
    kSilence,  ///< RemoteTimeouts::silenceMs.
    kBroken,   ///< The connection ended before the response.
    kNotHttp,  ///< What came is no HTTP response, or exceeds its limits.
  };
  Kind kind = Kind::kComplete;
  QString detail = {};
};

struct CallHandlers {
  std::function<void(const ResponseHead& head)> head = {};
  std::function<void(const QByteArray& bytes)> body = {};
  std::function<void(const CallEnd& end)> ended = {};
};

/// One HTTP/1.1 request on a connection of its own, through the system's proxy. Qt's access manager
/// is not used because it sends a request again by itself, opens six connections to a host at most
/// and, before Qt 6.5, reads headers without end.
///
/// Thread: that of its creation, which has an event loop; handlers are called in it, and may stop
/// the call but not destroy it.
/// Invariants: `ended` is called once, as the last handler, unless the call was stopped. Errors of
/// certificates are never ignored.
class RemoteCall : public QObject {
 public:
  RemoteCall(const CallRequest& request, const RemoteTimeouts& timeouts, CallHandlers handlers);
  ~RemoteCall() override;

  /// Ends the connection; no handler is called any more.
  void stop();
  /// While it is paused, nothing more is read, so that the sender waits; no time-out passes.
  void setPaused(bool isPaused);

 private:
  void connectToHost();
  void chooseProxy();
  void send();
  void read();
  void onError();
  void onClosed();
  void onTimeout();
  void end(CallEnd::Kind kind, const QString& detail = {});

  const CallRequest m_request;
  const RemoteTimeouts m_timeouts;
  const CallHandlers m_handlers;
  QSslSocket* m_socket;  ///< A child of this object.
  QTimer m_timer;        ///< What is waited for: the connection, the first byte or the next one.
  ResponseReader m_reader;
  bool m_isSent = false;
  bool m_hasBody = false;  ///< Its first byte has come.
  bool m_hasHead = false;  ///< The handler was called.
  bool m_hasEnded = false;
  bool m_isPaused = false;
  bool m_isClosed = false;  ///< By the server, while there was more to read.
};

}  // namespace quire
