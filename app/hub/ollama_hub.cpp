#include "app/hub/ollama_hub.h"

#include <algorithm>

#include "app/hub/hub_replies.h"

namespace quire {
namespace {

constexpr qsizetype kMostLicenseBytes = 1 << 20;

/// The first line of a licence that says something.
QString titleOf(const QByteArray& license) {
  for (const QByteArray& line : license.split('\n')) {
    const QString title = QString::fromUtf8(line).simplified().left(80);
    if (!title.isEmpty()) return title;
  }
  return {};
}

}  // namespace

void OllamaHub::search(const QString& text, const SearchReply& reply) {
  const Error error = make_error(ErrorCode::kUnsupported,
                                 "Ollama's registry cannot be searched for \"%1\". Look for its "
                                 "name on https://ollama.com/search",
                                 {text.left(100).toStdString()});
  QMetaObject::invokeMethod(
      this, [reply, error] { reply(error); }, Qt::QueuedConnection);
}

void OllamaHub::model(const HubName& name, const ModelReply& reply) {
  const QString path = name.owner + u'/' + name.model;
  HubModel model{.hub = HubName::Hub::kOllama, .name = path + u':' + name.tag};
  model.page = QUrl(QStringLiteral("https://ollama.com/") + path);
  const auto urlOf = [endpoint = m_options.endpoint, path](const QString& below) {
    QUrl url = endpoint;
    url.setPath(url.path() + QStringLiteral("/v2/") + path + below, QUrl::DecodedMode);
    return url;
  };
  const QUrl url = urlOf(QStringLiteral("/manifests/") + name.tag);
  const QString stem =
      name.tag == QLatin1String("latest") ? name.model : name.model + u'-' + name.tag;
  fetchTextWithRetries(
      {.url = url,
       .token = m_options.token,
       .hub = m_options.endpoint,
       .accept = "application/vnd.docker.distribution.manifest.v2+json",
       .asked = {name.text(), model.page}},
      m_options.timeouts, m_options.retries, kMostReplyBytes, this,
      [this, url, urlOf, stem, model, reply](const FetchedText& text, const HubFailure* failure) {
        if (failure != nullptr) return reply(failure->error);
        const auto files = readManifest(text.body, stem);
        if (!files) return reply(unreadable(url, files.error().message).error);
        HubModel found = model;
        found.files = *files;
        for (HubFile& file : found.files) {
          file.url = urlOf(QStringLiteral("/blobs/sha256:") + QString::fromLatin1(file.hash.hex));
        }
        addLicense(found, reply);
      });
}

/// The manifest does not name the licence, so its text is fetched. The name is only shown: the
/// model is usable if that fails.
void OllamaHub::addLicense(const HubModel& model, const ModelReply& reply) {
  const auto license =
      std::ranges::find(model.files, QStringLiteral("LICENSE.txt"), &HubFile::path);
  if (license == model.files.end() || license->bytes > kMostLicenseBytes) return reply(model);
  fetchText({.url = license->url, .token = m_options.token, .hub = m_options.endpoint},
            m_options.timeouts, kMostLicenseBytes, this,
            [model, reply](const FetchedText& text, const HubFailure* failure) {
              HubModel found = model;
              if (failure == nullptr) found.license = titleOf(text.body);
              reply(found);
            });
}

}  // namespace quire
