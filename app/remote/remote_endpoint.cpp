#include "app/remote/remote_endpoint.h"

#include <QCoreApplication>
#include <QHostAddress>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <array>
#include <cmath>

namespace quire {
namespace {

struct EndpointTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::EndpointTexts)
};

const QString kPrefix = QStringLiteral("remote:");
constexpr qsizetype kMostEndpoints = 100;
constexpr qsizetype kMostModels = 1000;
constexpr qsizetype kMostCharacters = 2000;  ///< Of a name or URL.

constexpr std::array kServers = {"", "vllm", "sglang", "llama.cpp", "ollama", "quire"};

QString nameOf(ServerKind server) {
  return QLatin1String(kServers[static_cast<size_t>(server)]);
}

ServerKind serverOf(const QString& name) {
  const auto* const found = std::ranges::find(kServers, name.toStdString());
  return found == kServers.end() ? ServerKind::kUnknown
                                 : static_cast<ServerKind>(found - kServers.begin());
}

/// A host of a private network, or this computer.
bool isPrivate(const QUrl& url) {
  if (isThisComputer(url)) return true;
  const QString host = url.host();
  const QHostAddress address(host);
  if (address.isNull()) return host.endsWith(QLatin1String(".local")) || !host.contains(u'.');
  constexpr std::array kNetworks = {"10.0.0.0/8",     "172.16.0.0/12", "192.168.0.0/16",
                                    "169.254.0.0/16", "fc00::/7",      "fe80::/10"};
  return std::ranges::any_of(kNetworks, [&](const char* network) {
    return address.isInSubnet(QHostAddress::parseSubnet(QLatin1String(network)));
  });
}

QString pathOf(const QUrl& url) {
  QString path = url.path();
  for (const QLatin1String call : {QLatin1String("/chat/completions"),
                                   QLatin1String("/completions"), QLatin1String("/models")}) {
    while (path.endsWith(u'/')) path.chop(1);
    if (path.endsWith(call)) path.chop(call.size());
  }
  while (path.endsWith(u'/')) path.chop(1);
  return path.isEmpty() ? QStringLiteral("/v1") : path;
}

QString problemOf(const QUrl& url) {
  if (!url.isValid() || url.host().isEmpty()) {
    return EndpointTexts::tr("This is not an address. Write one such as https://api.example.com.");
  }
  if (url.scheme() != QLatin1String("http") && url.scheme() != QLatin1String("https")) {
    return EndpointTexts::tr("The address must begin with https:// or http://.");
  }
  if (!url.userInfo().isEmpty()) {
    return EndpointTexts::tr("Leave the name and password out of the address.");
  }
  if (url.hasQuery() || url.hasFragment()) {
    return EndpointTexts::tr("Leave out what follows “?” or “#” in the address.");
  }
  return {};
}

std::optional<double> priceOf(const QJsonValue& value) {
  const double price = value.toDouble(-1.0);
  return std::isfinite(price) && price >= 0.0 ? std::optional(price) : std::nullopt;
}

QJsonObject toJson(const RemoteEndpoint& endpoint) {
  QJsonObject json = {{"id", endpoint.id},
                      {"name", endpoint.name},
                      {"url", endpoint.baseUrl.toString()},
                      {"models", QJsonArray::fromStringList(endpoint.models)},
                      {"has_key", endpoint.hasKey},
                      {"server", nameOf(endpoint.server)}};
  if (endpoint.inputPrice) json["input_price"] = *endpoint.inputPrice;
  if (endpoint.outputPrice) json["output_price"] = *endpoint.outputPrice;
  return json;
}

std::optional<RemoteEndpoint> fromJson(const QJsonObject& json) {
  const QString url = json["url"].toString();
  RemoteEndpoint endpoint = {.id = json["id"].toString(),
                             .name = json["name"].toString().left(kMostCharacters),
                             .baseUrl = readBaseUrl(url).url,
                             .models = {},
                             .hasKey = json["has_key"].toBool(),
                             .server = serverOf(json["server"].toString()),
                             .inputPrice = priceOf(json["input_price"]),
                             .outputPrice = priceOf(json["output_price"])};
  const bool isId = !endpoint.id.isEmpty() && endpoint.id.size() <= 64 &&
                    std::ranges::all_of(endpoint.id, [](QChar c) { return c.isLetterOrNumber(); });
  if (!isId || endpoint.baseUrl.isEmpty()) return {};
  for (const QJsonValue& model : json["models"].toArray()) {
    const QString name = model.toString();
    const bool isName = !name.isEmpty() && name.size() <= kMostCharacters;
    if (isName && !endpoint.models.contains(name)) endpoint.models.append(name);
    if (endpoint.models.size() >= kMostModels) break;
  }
  return endpoint;
}

}  // namespace

QString makeEndpointId() {
  return QUuid::createUuid().toString(QUuid::Id128).left(16);
}

BaseUrl readBaseUrl(const QString& typed) {
  QString text = typed.trimmed();
  if (text.size() > kMostCharacters) text.clear();
  const bool hasScheme = text.contains(QLatin1String("://"));
  QUrl url(hasScheme ? text : QStringLiteral("https://") + text, QUrl::StrictMode);
  if (!hasScheme && isPrivate(url)) url.setScheme(QStringLiteral("http"));
  url.setScheme(url.scheme().toLower());
  const QString problem = problemOf(url);
  if (!problem.isEmpty()) return {{}, problem};
  url.setPath(pathOf(url));
  return {url, {}};
}

QString hostOf(const QUrl& url) {
  return url.port() < 0 ? url.host() : QStringLiteral("%1:%2").arg(url.host()).arg(url.port());
}

bool isThisComputer(const QUrl& url) {
  const QString host = url.host().toLower();
  if (host == QLatin1String("localhost") || host.endsWith(QLatin1String(".localhost"))) return true;
  return QHostAddress(host).isLoopback();
}

bool isReadable(const QUrl& url) {
  return url.scheme() != QLatin1String("https") && !isThisComputer(url);
}

QString secretName(const RemoteEndpoint& endpoint) {
  const QUrl& url = endpoint.baseUrl;
  const int port = url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
  return QStringLiteral("%1 %2://%3:%4").arg(endpoint.id, url.scheme(), url.host()).arg(port);
}

QString endpointsToJson(const QList<RemoteEndpoint>& endpoints) {
  QJsonArray array;
  for (const RemoteEndpoint& endpoint : endpoints) array.append(toJson(endpoint));
  return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QList<RemoteEndpoint> endpointsFromJson(const QString& json) {
  QList<RemoteEndpoint> endpoints;
  for (const QJsonValue& value : QJsonDocument::fromJson(json.toUtf8()).array()) {
    const std::optional<RemoteEndpoint> endpoint = fromJson(value.toObject());
    const bool isNew = endpoint && std::ranges::find(endpoints, endpoint->id,
                                                     &RemoteEndpoint::id) == endpoints.end();
    if (isNew && endpoints.size() < kMostEndpoints) endpoints.append(*endpoint);
  }
  return endpoints;
}

bool isRemotePath(const QString& modelPath) {
  return modelPath.startsWith(kPrefix);
}

QString remotePath(const QString& endpointId, const QString& model) {
  return kPrefix + endpointId + u'/' + model;
}

std::optional<RemotePath> readRemotePath(const QString& modelPath) {
  if (!isRemotePath(modelPath)) return {};
  const qsizetype slash = modelPath.indexOf(u'/');
  if (slash < 0) return RemotePath{modelPath.mid(kPrefix.size()), {}};
  return RemotePath{modelPath.mid(kPrefix.size(), slash - kPrefix.size()),
                    modelPath.mid(slash + 1)};
}

}  // namespace quire
