#include "app/remote/remote_failure.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

#include "app/remote/answer_chunk.h"
#include "app/remote/chat_body.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

struct RemoteTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::RemoteTexts)
};

/// "Sentence: words", or "Sentence." without words.
QString withWords(const QString& sentence, const QString& words) {
  return words.isEmpty() ? sentence + u'.' : sentence + QStringLiteral(": ") + words;
}

bool isAboutLength(const QString& words) {
  const QString lower = words.toLower();
  const bool isContext = lower.contains(QLatin1String("context")) ||
                         lower.contains(QLatin1String("maximum model length")) ||
                         lower.contains(QLatin1String("too many tokens"));
  const bool isExceeded =
      lower.contains(QLatin1String("exceed")) || lower.contains(QLatin1String("maximum")) ||
      lower.contains(QLatin1String("length")) || lower.contains(QLatin1String("too many"));
  return isContext && isExceeded;
}

RemoteFailure tooLong(const RemoteEndpoint& endpoint, const QString& model, const QString& words) {
  const QString sentence =
      RemoteTexts::tr("The chat is too long for %1 on %2. Start a new one, or shorten it")
          .arg(model, endpoint.name);
  return {withWords(sentence, words), ErrorCode::kContextOverflow};
}

}  // namespace

RemoteFailure refusalOf(const RemoteEndpoint& endpoint, const QString& model, int status,
                        const QByteArray& body) {
  const QString words = refusalText(body);
  const QString& name = endpoint.name;
  switch (status) {
    case 401:
    case 403:
      return {withWords(
                  endpoint.hasKey
                      ? RemoteTexts::tr("%1 refused the key. Check it on the page Models").arg(name)
                      : RemoteTexts::tr("%1 needs a key. Add it on the page Models").arg(name),
                  words),
              ErrorCode::kInvalidArgument};
    case 404:
      if (model.isEmpty()) {
        return {RemoteTexts::tr("%1 has no such API. Check the address.").arg(name),
                ErrorCode::kNotFound};
      }
      return {
          withWords(
              RemoteTexts::tr("%1 does not have the model %2. Choose another one").arg(name, model),
              words),
          ErrorCode::kNotFound};
    case 429:
      return {withWords(RemoteTexts::tr("%1 takes no more requests now. Try again later").arg(name),
                        words),
              ErrorCode::kOutOfMemory};
    case 400:
    case 413:
    case 422:
      if (status == 413 || isAboutLength(words)) return tooLong(endpoint, model, words);
      return {withWords(RemoteTexts::tr("%1 did not accept the request").arg(name), words),
              ErrorCode::kInvalidArgument};
    default:
      return {withWords(RemoteTexts::tr("%1 failed (error %2). Try again later")
                            .arg(name, QString::number(status)),
                        words),
              ErrorCode::kIo};
  }
}

RemoteFailure errorOf(const RemoteEndpoint& endpoint, const QString& model, const QString& words) {
  if (isAboutLength(words)) return tooLong(endpoint, model, words);
  return {withWords(RemoteTexts::tr("%1 could not complete the answer").arg(endpoint.name), words),
          ErrorCode::kIo};
}

RemoteFailure failureOf(const RemoteEndpoint& endpoint, const CallEnd& end) {
  const QString name = endpoint.name;
  const QString host = hostOf(endpoint.baseUrl);
  const QString detail = visibleLine(end.detail);
  switch (end.kind) {
    case CallEnd::Kind::kUntrusted:
      return {RemoteTexts::tr("%1 (%2) could not prove that it is itself, so nothing was sent: %3")
                  .arg(name, host, detail),
              ErrorCode::kIo};
    case CallEnd::Kind::kConnectTimeout:
      return {RemoteTexts::tr("%1 (%2) does not respond. Check that it runs and that this computer "
                              "can reach it.")
                  .arg(name, host),
              ErrorCode::kIo};
    case CallEnd::Kind::kFirstByteTimeout:
    case CallEnd::Kind::kSilence:
      return {RemoteTexts::tr("%1 accepted the request but sent no answer in time. Try again "
                              "later.")
                  .arg(name),
              ErrorCode::kIo};
    case CallEnd::Kind::kNotHttp:
      return {RemoteTexts::tr("What %1 (%2) sent is not a response of HTTP. Check the address.")
                  .arg(name, host),
              ErrorCode::kIo};
    case CallEnd::Kind::kUnreachable:
      return {withWords(
                  RemoteTexts::tr("%1 (%2) cannot be reached. Check that it runs").arg(name, host),
                  detail),
              ErrorCode::kIo};
    case CallEnd::Kind::kBroken:
    case CallEnd::Kind::kComplete:
      break;
  }
  return {RemoteTexts::tr("The connection to %1 broke before it answered. Try again.").arg(name),
          ErrorCode::kIo};
}

RemoteFailure cutOff(const RemoteEndpoint& endpoint, const CallEnd& end) {
  const bool isSilent = end.kind == CallEnd::Kind::kSilence;
  const QString what =
      isSilent ? RemoteTexts::tr("%1 stopped sending before the answer was complete.")
               : RemoteTexts::tr("The connection to %1 broke before the answer was complete.");
  const QString next = canContinueOn(endpoint.server)
                           ? RemoteTexts::tr("What came is kept; Continue goes on from there.")
                           : RemoteTexts::tr("What came is kept; Regenerate makes a new answer.");
  return {what.arg(endpoint.name) + u' ' + next, ErrorCode::kIo};
}

RemoteFailure notTheApi(const RemoteEndpoint& endpoint, QByteArray contentType,
                        const QByteArray& key) {
  hideKey(contentType, key);
  const QString type = visibleString(QString::fromLatin1(contentType.left(60)));
  return {RemoteTexts::tr("%1 answered with “%2”, which is not the API of a model. Check the "
                          "address.")
              .arg(endpoint.name, type),
          ErrorCode::kIo};
}

RemoteFailure redirected(const RemoteEndpoint& endpoint, const QUrl& target,
                         const QByteArray& key) {
  QByteArray ascii =
      target.toEncoded(QUrl::RemoveQuery | QUrl::RemoveUserInfo | QUrl::FullyEncoded);
  hideKey(ascii, key);
  const QString address = visibleString(QString::fromLatin1(ascii.left(200)));
  return {RemoteTexts::tr("%1 sends requests on to %2, which Quire does not follow. Type that "
                          "address if you trust it.")
              .arg(endpoint.name, address),
          ErrorCode::kIo};
}

RemoteFailure busyFor(const RemoteEndpoint& endpoint, qint64 seconds) {
  const auto most = std::min<qint64>(seconds, std::numeric_limits<int>::max());
  return {RemoteTexts::tr("%1 takes no more requests now, and asks to wait %n second(s).", nullptr,
                          static_cast<int>(most))
              .arg(endpoint.name),
          ErrorCode::kOutOfMemory};
}

RemoteFailure missingKey(const RemoteEndpoint& endpoint, const QString& reason) {
  if (!reason.isEmpty()) return {reason, ErrorCode::kIo};
  return {RemoteTexts::tr("The key of %1 is not in the keychain any more. Type it again on the "
                          "page Models.")
              .arg(endpoint.name),
          ErrorCode::kInvalidArgument};
}

void hideKey(QByteArray& body, const QByteArray& key) {
  if (!key.isEmpty()) body.replace(key, "***");
}

bool mayFollow(const QUrl& from, const QUrl& to) {
  if (to.host() != from.host() || !to.userInfo().isEmpty()) return false;
  const auto portOf = [](const QUrl& url) {
    return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
  };
  if (to.scheme() == from.scheme()) return portOf(to) == portOf(from);
  return from.scheme() == QLatin1String("http") && to.scheme() == QLatin1String("https");
}

}  // namespace quire
