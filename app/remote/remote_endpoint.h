#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <QUrl>

#include <optional>

namespace quire {

/// The programs that endpoints are known to run, where they differ in what they can do.
enum class ServerKind { kUnknown, kVllm, kSglang, kLlamaCpp, kOllama, kQuire };

/// A server with an OpenAI-compatible API that the user entered. Its key is in a SecretStore.
struct RemoteEndpoint {
  QString id;  ///< Of makeEndpointId().
  QString name;
  QUrl baseUrl;        ///< Of readBaseUrl(): paths of the API are appended to it.
  QStringList models;  ///< Those that the user chose, by their names there.
  bool hasKey = false;
  ServerKind server = ServerKind::kUnknown;  ///< As of the last test.
  std::optional<double> inputPrice;          ///< US dollars per million tokens of prompts.
  std::optional<double> outputPrice;         ///< US dollars per million tokens of answers.

  bool operator==(const RemoteEndpoint&) const = default;
};

/// Letters and digits, different each time.
QString makeEndpointId();

/// The base URL in what a user typed.
struct BaseUrl {
  QUrl url;         ///< Without a slash at its end; empty if there is a problem.
  QString problem;  ///< One sentence for the user.
};

/// Adds a scheme ("http" for private addresses, else "https") and the path /v1 if there is none,
/// and removes the path of a single call ("/chat/completions").
BaseUrl readBaseUrl(const QString& typed);

/// "api.example.com", with the port if it is not the scheme's own.
QString hostOf(const QUrl& url);
/// Whether the URL is of this computer, so that nothing leaves it.
bool isThisComputer(const QUrl& url);
/// Whether other computers of the network could read along.
bool isReadable(const QUrl& url);

/// The name of the endpoint's key in a SecretStore. It contains the host, so that a key is never
/// sent to another host than the one that it was entered for.
QString secretName(const RemoteEndpoint& endpoint);

/// The endpoints as a setting stores them: JSON without keys.
QString endpointsToJson(const QList<RemoteEndpoint>& endpoints);
/// The inverse. What is damaged is left out.
QList<RemoteEndpoint> endpointsFromJson(const QString& json);

/// Where in ChatRequest::modelPath a model of an endpoint stands.
struct RemotePath {
  QString endpointId;
  QString model;  ///< Its name there.
};
bool isRemotePath(const QString& modelPath);
QString remotePath(const QString& endpointId, const QString& model);
/// Nothing: it is the path of a local model.
std::optional<RemotePath> readRemotePath(const QString& modelPath);

}  // namespace quire
