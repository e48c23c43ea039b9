#include "app/server/api_server.h"

#include <QDateTime>
#include <QFileInfo>

#include <atomic>
#include <chrono>
#include <utility>

#include "app/engine/model_manager.h"
#include "app/engine/thread_priority.h"
#include "app/error_strings.h"
#include "app/server/api/api_error.h"
#include "app/server/api/api_service.h"
#include "app/server/http/access_log.h"
#include "app/server/http/access_rules.h"
#include "app/server/server_metrics.h"
#include "app/task_runner.h"
#include "engine/block_report.h"

namespace quire {
namespace {

std::vector<std::string> standardStrings(const QStringList& strings) {
  std::vector<std::string> all;
  for (const QString& one : strings) all.push_back(one.toStdString());
  return all;
}

ListedModel listed(const QString& path) {
  const QFileInfo file(path);
  return {.path = path.toStdString(),
          .created = file.exists() ? file.lastModified().toSecsSinceEpoch() : 0,
          .bytes = file.isFile() ? static_cast<uint64_t>(file.size()) : 0};
}

void fill(ListedModel& model, const ModelState& state) {
  model.contextLength = state.contextLength;
  model.isLoaded = state.serving;
  model.error = englishText(state.error);
  model.isOnGpu = state.serving && !state.deviceName.startsWith(QLatin1String("CPU"));
  model.memoryBytes = state.serving ? state.memory.total() : 0;
}

/// A longer body takes more than some milliseconds to parse, for which the streams of all other
/// clients would wait on the server's thread.
constexpr size_t kMaxBodyParsedAtOnce = 64 << 10;

QString urlOf(const QString& host, quint16 port) {
  const bool isV6 = host.contains(u':') && !host.startsWith(u'[');
  return QStringLiteral("http://%1:%2").arg(isV6 ? u'[' + host + u']' : host).arg(port);
}

}  // namespace

struct ApiServer::State {
  State(ApiServer& owner, const ApiServerOptions& given)
      : options(given),
        service(owner.m_backend, owner.m_texts, directory, given.maxRequests, metrics) {}

  ApiServerOptions options;
  ModelDirectory directory;
  std::shared_ptr<ServerMetrics> metrics = std::make_shared<ServerMetrics>();
  std::atomic<bool> isEnding = false;
  std::atomic<int> numComputed = 0;  ///< Answers that engines compute, of the window's chats too.
  ApiService service;
  TaskRunner largeRequests;  ///< Before the service, which it uses, ends.
  /// For the handler, which may be called before start() has returned it.
  std::atomic<const HttpServer*> listening = nullptr;
  std::unique_ptr<HttpServer> server;  ///< Last: its thread uses the rest.

  void handle(const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().path == "/metrics") measure();
    if (exchange->request().body.size() <= kMaxBodyParsedAtOnce) return service.handle(exchange);
    largeRequests.post([this, exchange] { handleLarge(exchange); });
  }
  void handleLarge(const std::shared_ptr<HttpExchange>& exchange) {
    letTheEngineGoFirst();
    if (exchange->is_closed()) return;
    if (isEnding) return respondError(*exchange, shuttingDown());
    try {
      service.handle(exchange);
    } catch (const std::exception&) {
      // Such as no memory. The end of an exchange without a response answers it.
    }
  }
  void measure() {
    const HttpServer* const http = listening;
    if (http != nullptr) metrics->setConnections(http->num_connections());
    const int taken = service.numRequests();
    const int running = std::min<int>(numComputed, taken);
    metrics->setRequests(running, taken - running);
  }
  void note(const HttpRecord& record) {
    metrics->countResponse(service.routeOf(record.path), record);
    if (options.log) options.log(access_log_line(record, std::chrono::system_clock::now()));
  }
};

ApiServer::ApiServer(ChatBackend& backend, TextBackend& texts, ModelManager& models,
                     QObject* parent)
    : QObject(parent), m_backend(backend), m_texts(texts), m_manager(models) {
  connect(&m_manager, &ModelManager::modelsChanged, this, &ApiServer::listModels);
  connect(&m_manager, &ModelManager::throughputChanged, this, &ApiServer::measureEngines);
}

ApiServer::~ApiServer() {
  if (m_state) m_state->service.endAll();
}

QString ApiServer::start(const ApiServerOptions& options) {
  stop();
  const std::string host = options.host.toStdString();
  auto rules = AccessRules::create({.host = host,
                                    .keys = standardStrings(options.keys),
                                    .origins = standardStrings(options.origins)});
  if (!rules) return errorText(rules.error());
  auto state = std::make_unique<State>(*this, options);
  State* const use = state.get();
  const HttpServerOptions http = {
      .host = host,
      .port = options.port,
      .limits = options.limits,
      .gate = [rules =
                   std::move(*rules)](const HttpRequest& request) { return rules.decide(request); },
      .on_response_ended = [use](const HttpRecord& record) { use->note(record); }};
  auto server = HttpServer::start(
      http, [use](std::shared_ptr<HttpExchange> exchange) { use->handle(exchange); });
  if (!server) return errorText(server.error());
  state->server = std::move(*server);
  state->listening = state->server.get();
  m_state = std::move(state);
  listModels();
  emit runningChanged();
  return {};
}

void ApiServer::stop(int graceMs) {
  if (!m_state) return;
  m_state->isEnding = true;  // Large requests that wait are answered 503.
  m_state->service.endAll();
  m_state->server->finish(std::chrono::milliseconds(graceMs));
  m_state->listening = nullptr;
  m_state.reset();
  emit runningChanged();
}

bool ApiServer::isRunning() const {
  return m_state != nullptr;
}

QString ApiServer::url() const {
  return m_state ? urlOf(m_state->options.host, port()) : QString();
}

quint16 ApiServer::port() const {
  return m_state ? m_state->server->port() : 0;
}

int ApiServer::numConnections() const {
  return m_state ? m_state->server->num_connections() : 0;
}

int ApiServer::numRequests() const {
  return m_state ? m_state->service.numRequests() : 0;
}

QStringList ApiServer::modelNames() const {
  QStringList names;
  if (!m_state) return names;
  const auto models = m_state->directory.models();
  for (const ListedModel& model : *models) names.append(QString::fromStdString(model.name));
  return names;
}

void ApiServer::listModels() {
  if (!m_state) return;
  ModelDirectory::Models models;
  for (const QString& path : m_state->options.modelPaths) models.push_back(listed(path));
  const QList<ModelState> states = m_manager.models();
  for (const ModelState& state : states) {
    const std::string path = state.path.toStdString();
    auto model = std::ranges::find(models, path, &ListedModel::path);
    if (model == models.end()) {
      if (!m_state->options.offersLoadedModels) continue;
      model = models.insert(models.end(), listed(state.path));
    }
    fill(*model, state);
  }
  const auto before = m_state->directory.models();
  for (ListedModel& model : models) {
    const auto known = std::ranges::find(*before, model.path, &ListedModel::path);
    model.hasAnswered = model.isLoaded || (known != before->end() && known->hasAnswered);
  }
  m_state->directory.set(std::move(models));
  emit modelsChanged();
}

void ApiServer::measureEngines(double, int runningRequests) {
  if (!m_state) return;
  m_state->numComputed = runningRequests;
  if (!m_state->options.statsOf) return;
  const auto models = m_state->directory.models();
  for (const ListedModel& model : *models) {
    if (!model.isLoaded) continue;
    m_state->metrics->setEngine(model.name,
                                m_state->options.statsOf(QString::fromStdString(model.path)));
  }
}

}  // namespace quire
