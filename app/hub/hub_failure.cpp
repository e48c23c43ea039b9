#include "app/hub/hub_failure.h"

#include <QDateTime>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

#include "app/hub/hub_problem.h"
#include "app/remote/remote_endpoint.h"

namespace quire {
namespace {

constexpr qint64 kMostSeconds = 7 * 24 * 3600;

std::string hostText(const QUrl& url) {
  return hostOf(url).toStdString();
}

/// What a busy hub asks to wait: in Retry-After, or as Hugging Face in RateLimit, `"api";r=0;t=57`
/// (draft-ietf-httpapi-ratelimit-headers). Below 0: nothing.
qint64 askedPauseMs(const ResponseHead& head) {
  const qint64 pause = retryAfterMs(head.header("retry-after"), QDateTime::currentDateTimeUtc());
  if (pause >= 0 || head.status != 429) return pause;
  static const QRegularExpression kReset(QStringLiteral(";\\s*t=(\\d{1,7})(;|,|\\s|$)"));
  const auto reset = kReset.match(QString::fromLatin1(head.header("ratelimit").left(500)));
  return reset.hasMatch() ? retryAfterMs(reset.captured(1).toLatin1(), {}) : -1;
}

}  // namespace

HubFailure failureOf(const QUrl& url, const CallEnd& end) {
  const std::string host = hostText(url);
  const std::string detail = end.detail.simplified().left(200).toStdString();
  switch (end.kind) {
    case CallEnd::Kind::kUntrusted:
      return {
          make_error(ErrorCode::kIo,
                     "%1 could not prove its identity, so nothing was sent: %2. Check the date of "
                     "this computer, and its network",
                     {host, detail})};
    case CallEnd::Kind::kNotHttp:
      return {make_error(ErrorCode::kIo,
                         "what %1 sent is not a response of HTTP. Check the address", {host}),
              true};
    case CallEnd::Kind::kUnreachable:
      return {make_error(ErrorCode::kIo,
                         "%1 cannot be reached: %2. Check the connection, then try again",
                         {host, detail}),
              true};
    case CallEnd::Kind::kConnectTimeout:
    case CallEnd::Kind::kFirstByteTimeout:
    case CallEnd::Kind::kSilence:
      return {make_error(ErrorCode::kIo,
                         "%1 does not respond. Check the connection, then try again", {host}),
              true};
    case CallEnd::Kind::kBroken:
    case CallEnd::Kind::kComplete:
      break;
  }
  return {make_error(ErrorCode::kIo, "the connection to %1 broke. Try again", {host}), true};
}

HubFailure refusalOf(const QUrl& url, const ResponseHead& head, const AskedFor& asked) {
  const std::string host = hostText(url);
  const std::string what = asked.what.toStdString();
  const int status = head.status;
  if (asked.hasToken && status == 401) return {tokenRefused(host, what)};
  if (asked.hasToken && status == 403) {
    return {consentMissing(host, what, asked.page.toString().toStdString())};
  }
  if (status == 401 || status == 403) {
    return {needsConsent(host, what, asked.page.toString().toStdString())};
  }
  if (status == 404 || status == 410) {
    return {make_error(ErrorCode::kNotFound, "%1 does not have %2. Check the name", {host, what})};
  }
  const std::string number = std::to_string(status);
  if (status == 408 || status == 429 || status >= 500) {
    return {make_error(ErrorCode::kIo, "%1 is too busy, or failed (error %2). Try again later",
                       {host, number}),
            true, askedPauseMs(head)};
  }
  HubFailure failure{
      make_error(ErrorCode::kIo, "%1 did not give %2 (error %3)", {host, what, number})};
  failure.isOfRange = status == 416;
  return failure;
}

HubFailure badRedirect(const QUrl& from, const QUrl& to) {
  const QString target = to.toString(QUrl::RemoveQuery | QUrl::RemoveUserInfo).left(200);
  return {make_error(ErrorCode::kIo,
                     "%1 redirects to %2, where Quire does not go: only to https, or to the same "
                     "host. Check the address",
                     {hostText(from), target.toStdString()})};
}

HubFailure tooManyRedirects(const QUrl& url) {
  return {make_error(ErrorCode::kIo, "%1 redirects without end. Try again later", {hostText(url)})};
}

HubFailure compressed(const QUrl& url) {
  return {make_error(ErrorCode::kIo,
                     "%1 sent compressed data, which was not asked for. Check the address, and "
                     "whether a proxy is in between",
                     {hostText(url)})};
}

HubFailure unreadable(const QUrl& url, const std::string& why) {
  return {make_error(ErrorCode::kIo,
                     "the answer of %1 cannot be used: %2. Check the address, or try again later",
                     {hostText(url), why})};
}

qint64 retryAfterMs(const QByteArray& value, const QDateTime& now) {
  const QByteArray text = value.trimmed();
  if (text.isEmpty()) return -1;
  bool isNumber = false;
  qint64 seconds = text.toLongLong(&isNumber);
  if (!isNumber) {
    QDateTime at = QLocale::c().toDateTime(QString::fromLatin1(text),
                                           QStringLiteral("ddd, dd MMM yyyy hh:mm:ss 'GMT'"));
    if (!at.isValid()) return -1;
    at.setTimeSpec(Qt::UTC);
    seconds = now.secsTo(at);
  }
  return std::clamp<qint64>(seconds, 0, kMostSeconds) * 1000;
}

}  // namespace quire
