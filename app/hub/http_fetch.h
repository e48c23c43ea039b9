#pragma once

#include <QObject>

#include <functional>
#include <optional>

#include "app/hub/hub_failure.h"
#include "app/remote/remote_call.h"

namespace quire {

/// A GET to make.
struct FetchRequest {
  QUrl url;
  QByteArray token = {};  ///< Sent to the origin of `hub` alone; empty: none.
  /// Whose token it is. Named apart from `url`, which a reply may have chosen. Empty: the token is
  /// not sent.
  QUrl hub = {};
  QByteArray accept = "*/*";
  QList<QPair<QByteArray, QByteArray>> headers = {};
  AskedFor asked = {};
};

/// Called in the thread of the fetch; none is called after it was stopped or destroyed.
struct FetchHandlers {
  /// Of the last response, which is 200 or 206. An error ends the fetch, and is given to `ended`.
  std::function<std::optional<HubFailure>(const ResponseHead& head)> head = {};
  std::function<void(const QByteArray& bytes)> body = {};
  std::function<void(const std::optional<HubFailure>& failure)> ended = {};
};

/// One GET with its redirects.
///
/// Thread: that of its creation, which has an event loop.
/// Invariants: `ended` is called once, as the last handler, unless the fetch was stopped. The token
/// reaches no other origin than that of its hub.
class HttpFetch : public QObject {
 public:
  static constexpr int kMostRedirects = 8;

  HttpFetch(const FetchRequest& request, const RemoteTimeouts& timeouts, FetchHandlers handlers,
            QObject* parent);

  void stop();
  void setPaused(bool isPaused);

 private:
  void call();
  void onHead(const ResponseHead& head);
  void onEnded(const CallEnd& end);
  void redirect(const ResponseHead& head);
  void refuse(const ResponseHead& head);
  bool sendsToken() const;
  void end(const std::optional<HubFailure>& failure);
  void dropCall();

  const FetchRequest m_request;
  const RemoteTimeouts m_timeouts;
  const FetchHandlers m_handlers;
  QUrl m_url;  ///< After the redirects so far.
  RemoteCall* m_call = nullptr;
  int m_numRedirects = 0;
  bool m_hasEnded = false;
};

/// Whether a redirect is followed: to https, or from http to the same host.
bool mayRedirect(const QUrl& from, const QUrl& to);
/// Whether a token for `origin` may be sent to `url`: the same scheme, host and port, and nobody
/// else in the network can read it.
bool mayCarryToken(const QUrl& origin, const QUrl& url);

}  // namespace quire
