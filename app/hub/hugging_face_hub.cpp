#include "app/hub/hugging_face_hub.h"

#include <QUrlQuery>

#include "app/hub/hub_replies.h"

namespace quire {
namespace {

constexpr int kMostPages = 40;
constexpr qint64 kMostTreeBytes = 2 * kMostReplyBytes;  ///< Of all pages; folders count here alone.

AskedFor askedFor(const HubModel& model) {
  return {model.name, model.page};
}

}  // namespace

QUrl HuggingFaceHub::urlOf(const QString& path) const {
  QUrl url = m_options.endpoint;
  url.setPath(url.path() + path, QUrl::DecodedMode);
  return url;
}

void HuggingFaceHub::get(const QUrl& url, const AskedFor& asked, const TextReply& reply) {
  fetchTextWithRetries({.url = url,
                        .token = m_options.token,
                        .hub = m_options.endpoint,
                        .accept = "application/json",
                        .asked = asked},
                       m_options.timeouts, m_options.retries, kMostReplyBytes, this, reply);
}

void HuggingFaceHub::search(const QString& text, const SearchReply& reply) {
  QUrl url = urlOf(QStringLiteral("/api/models"));
  QUrlQuery query;
  query.addQueryItem(QStringLiteral("search"),
                     QString::fromLatin1(QUrl::toPercentEncoding(text.left(200))));
  query.addQueryItem(QStringLiteral("sort"), QStringLiteral("downloads"));
  query.addQueryItem(QStringLiteral("direction"), QStringLiteral("-1"));
  query.addQueryItem(QStringLiteral("limit"), QString::number(kMostFound));
  url.setQuery(query);
  get(url, {text.left(100), m_options.endpoint},
      [url, reply](const FetchedText& fetched, const HubFailure* failure) {
        if (failure != nullptr) return reply(failure->error);
        const auto entries = readSearch(fetched.body);
        reply(entries ? entries
                      : Result<QList<HubEntry>>(unreadable(url, entries.error().message).error));
      });
}

void HuggingFaceHub::model(const HubName& name, const ModelReply& reply) {
  const QString path = name.owner + u'/' + name.model;
  HubModel asked;
  asked.name = path;
  asked.page = urlOf(u'/' + path);
  QString infoPath = QStringLiteral("/api/models/") + path;
  if (!name.revision.isEmpty()) infoPath += QStringLiteral("/revision/") + name.revision;
  const QUrl url = urlOf(infoPath);
  get(url, askedFor(asked),
      [this, url, asked, path, reply](const FetchedText& fetched, const HubFailure* failure) {
        if (failure != nullptr) return reply(failure->error);
        auto model = readModelInfo(fetched.body);
        if (!model) return reply(unreadable(url, model.error().message).error);
        model->hub = HubName::Hub::kHuggingFace;
        model->name = path;  // What was asked for, whatever the hub calls it.
        model->page = asked.page;
        QUrl tree = urlOf(QStringLiteral("/api/models/%1/tree/%2").arg(path, model->revision));
        tree.setQuery(QStringLiteral("recursive=true"));
        getTree(*model, tree, {}, reply);
      });
}

void HuggingFaceHub::getTree(const HubModel& model, const QUrl& page, const TreeRead& before,
                             const ModelReply& reply) {
  get(page, askedFor(model),
      [this, model, page, before, reply](const FetchedText& text, const HubFailure* failure) {
        if (failure != nullptr) return reply(failure->error);
        addTree(model, page, {before.numPages + 1, before.bytes + text.body.size()}, text, reply);
      });
}

void HuggingFaceHub::addTree(HubModel model, const QUrl& page, const TreeRead& read,
                             const FetchedText& text, const ModelReply& reply) {
  const Error endless = unreadable(page, "its list of files has no end").error;
  if (read.bytes > kMostTreeBytes) return reply(endless);
  if (const auto added = readTree(text.body, model.files); !added) {
    return reply(unreadable(page, added.error().message).error);
  }
  const QByteArray link = nextPage(text.head.header("link"));
  if (!link.isEmpty()) {
    const QUrl next = page.resolved(QUrl::fromEncoded(link));
    if (read.numPages >= kMostPages || !mayRedirect(page, next)) return reply(endless);
    return getTree(model, next, read, reply);
  }
  for (HubFile& file : model.files) {
    file.url =
        urlOf(QStringLiteral("/%1/resolve/%2/%3").arg(model.name, model.revision, file.path));
  }
  reply(model);
}

Result<QUrl> readEndpoint(const QString& typed) {
  QString text = typed.trimmed();
  while (text.endsWith(u'/')) text.chop(1);
  const QUrl url(text, QUrl::StrictMode);
  const bool isWeb =
      url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http");
  if (isWeb && !url.host().isEmpty() && url.userInfo().isEmpty() && !url.hasQuery() &&
      !url.hasFragment()) {
    return url;
  }
  return make_error(ErrorCode::kInvalidArgument,
                    "\"%1\" is not the address of a hub. Give one such as https://huggingface.co",
                    {typed.left(200).toStdString()});
}

}  // namespace quire
