#pragma once

#include "app/remote/remote_call.h"
#include "app/remote/remote_endpoint.h"
#include "kernels/base/result.h"

namespace quire {

/// Why an endpoint did not answer, or not to the end.
struct RemoteFailure {
  QString sentence;  ///< For the user: what is wrong and what to do.
  ErrorCode code = ErrorCode::kIo;
};

/// A response with a status other than 200. `model` is empty if none was asked.
RemoteFailure refusalOf(const RemoteEndpoint& endpoint, const QString& model, int status,
                        const QByteArray& body);
/// The endpoint's own error in the middle of an answer, in its words.
RemoteFailure errorOf(const RemoteEndpoint& endpoint, const QString& model, const QString& words);
/// A call that did not get a whole response.
RemoteFailure failureOf(const RemoteEndpoint& endpoint, const CallEnd& end);
/// The connection broke after a part of the answer.
RemoteFailure cutOff(const RemoteEndpoint& endpoint, const CallEnd& end);
/// A response that is not of the API. `key`: what the server may have written into its headers, and
/// is not shown.
RemoteFailure notTheApi(const RemoteEndpoint& endpoint, QByteArray contentType,
                        const QByteArray& key);
/// The address is shown in ASCII: letters of other alphabets may look like those of a known host.
RemoteFailure redirected(const RemoteEndpoint& endpoint, const QUrl& target, const QByteArray& key);
/// The endpoint asks to wait longer than Quire does.
RemoteFailure busyFor(const RemoteEndpoint& endpoint, qint64 seconds);
RemoteFailure missingKey(const RemoteEndpoint& endpoint, const QString& reason);

/// Takes the key out of what an endpoint said, which is shown and stored.
void hideKey(QByteArray& body, const QByteArray& key);

/// Whether a request may be sent to where the response redirects it: to the same host, and never
/// from https to http.
bool mayFollow(const QUrl& from, const QUrl& to);

}  // namespace quire
