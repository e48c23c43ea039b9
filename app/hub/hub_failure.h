#pragma once

#include "app/hub/hub_model.h"
#include "app/remote/remote_call.h"

namespace quire {

/// A call that did not get a whole response.
HubFailure failureOf(const QUrl& url, const CallEnd& end);

/// A response with a status other than those of success and redirection. `page` is where people can
/// give their consent; `what` names what was asked for.
struct AskedFor {
  QString what;  ///< "model.gguf", "Qwen/Qwen3".
  QUrl page;
  bool hasToken = false;  ///< A token was sent.
};
HubFailure refusalOf(const QUrl& url, const ResponseHead& head, const AskedFor& asked);

/// A redirect that is not followed.
HubFailure badRedirect(const QUrl& from, const QUrl& to);
HubFailure tooManyRedirects(const QUrl& url);
/// A response in a coding that was not asked for.
HubFailure compressed(const QUrl& url);
/// A response that does not have the form which the hub promises. `why` is a clause.
HubFailure unreadable(const QUrl& url, const std::string& why);

/// The value of Retry-After (RFC 9110, section 10.2.3) in milliseconds from `now` on; below 0:
/// there is none, or it cannot be read.
qint64 retryAfterMs(const QByteArray& value, const QDateTime& now);

}  // namespace quire
