#include "app/hub/http_fetch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/remote/remote_endpoint.h"

namespace quire {
namespace {

int portOf(const QUrl& url) {
  return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
}

/// Whether it can stand in a header.
bool isHeaderText(const QByteArray& text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

bool mayRedirect(const QUrl& from, const QUrl& to) {
  if (!to.isValid() || to.host().isEmpty() || !to.userInfo().isEmpty()) return false;
  if (to.scheme() == QLatin1String("https")) return true;
  return to.scheme() == QLatin1String("http") && from.scheme() == QLatin1String("http") &&
         to.host() == from.host();
}

bool mayCarryToken(const QUrl& origin, const QUrl& url) {
  return url.scheme() == origin.scheme() && url.host() == origin.host() &&
         portOf(url) == portOf(origin) &&
         (url.scheme() == QLatin1String("https") || isThisComputer(url));
}

HttpFetch::HttpFetch(const FetchRequest& request, const RemoteTimeouts& timeouts,
                     FetchHandlers handlers, QObject* parent)
    : QObject(parent),
      m_request(request),
      m_timeouts(timeouts),
      m_handlers(std::move(handlers)),
      m_url(request.url) {
  call();
}

bool HttpFetch::sendsToken() const {
  return !m_request.token.isEmpty() && mayCarryToken(m_request.hub, m_url) &&
         isHeaderText(m_request.token);
}

void HttpFetch::call() {
  const bool hasToken = sendsToken();
  m_call = new RemoteCall({.url = m_url,
                           .key = hasToken ? m_request.token : QByteArray(),
                           .accept = m_request.accept,
                           .headers = m_request.headers},
                          m_timeouts,
                          {.head = [this](const ResponseHead& head) { onHead(head); },
                           .body =
                               [this](const QByteArray& bytes) {
                                 if (m_handlers.body) m_handlers.body(bytes);
                               },
                           .ended = [this](const CallEnd& end) { onEnded(end); }});
  m_call->setParent(this);
}

void HttpFetch::stop() {
  m_hasEnded = true;
  dropCall();
}

/// It may be what calls this.
void HttpFetch::dropCall() {
  if (m_call == nullptr) return;
  m_call->stop();
  std::exchange(m_call, nullptr)->deleteLater();
}

void HttpFetch::setPaused(bool isPaused) {
  if (m_call != nullptr) m_call->setPaused(isPaused);
}

void HttpFetch::onHead(const ResponseHead& head) {
  const int status = head.status;
  const bool isRedirect =
      status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  if (isRedirect) return redirect(head);
  if (status != 200 && status != 206) return refuse(head);
  const QByteArray coding = head.header("content-encoding").toLower();
  if (!coding.isEmpty() && coding != "identity") return end(compressed(m_url));
  if (!m_handlers.head) return;
  if (const auto failure = m_handlers.head(head)) end(failure);
}

void HttpFetch::refuse(const ResponseHead& head) {
  AskedFor asked = m_request.asked;
  asked.hasToken = sendsToken();
  end(refusalOf(m_url, head, asked));
}

void HttpFetch::redirect(const ResponseHead& head) {
  const QUrl to = m_url.resolved(QUrl::fromEncoded(head.header("location")));
  if (!mayRedirect(m_url, to)) return end(badRedirect(m_url, to));
  if (++m_numRedirects > kMostRedirects) return end(tooManyRedirects(m_request.url));
  dropCall();
  m_url = to;
  call();
}

void HttpFetch::onEnded(const CallEnd& callEnd) {
  if (callEnd.kind == CallEnd::Kind::kComplete) return end(std::nullopt);
  end(failureOf(m_url, callEnd));
}

void HttpFetch::end(const std::optional<HubFailure>& failure) {
  if (std::exchange(m_hasEnded, true)) return;
  dropCall();
  if (m_handlers.ended) m_handlers.ended(failure);
}

}  // namespace quire
