#include "app/server/local_api.h"

#include <QCoreApplication>

#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "app/engine/engine_service.h"
#include "app/server/api/api_service.h"

namespace quire {
namespace {

constexpr int kNotImplemented = 501;
constexpr int kUnavailable = 503;
/// More answers than the lines that a batch asks at once: none is refused because of the others.
constexpr int kMaxAnswers = 1 << 20;

/// A request whose response is passed on as a whole.
class LocalExchange : public HttpExchange {
 public:
  using Answered = std::function<void(int status, std::string body)>;

  LocalExchange(const std::string& path, std::string body, Answered answered)
      : m_answered(std::move(answered)) {
    m_request.method = "POST";
    m_request.path = path;
    m_request.fields = {{"Content-Type", "application/json"}};
    m_request.body = std::move(body);
  }
  ~LocalExchange() override { answer(kUnavailable, "null"); }

  const HttpRequest& request() const override { return m_request; }
  void respond(HttpResponse response) override {
    answer(response.status, std::move(response.body));
  }
  /// Streams are refused before: there is nobody to read them.
  void begin(HttpResponse) override { answer(kNotImplemented, "null"); }
  void write(std::string) override {}
  void end() override {}
  void on_closed(std::function<void()>) override {}
  bool is_closed() const override { return false; }

 private:
  void answer(int status, std::string body) {
    if (const Answered answered = std::exchange(m_answered, nullptr)) {
      answered(status, std::move(body));
    }
  }

  HttpRequest m_request;
  Answered m_answered;
};

/// The model and its endpoints, while the work lasts.
class LocalApi {
 public:
  LocalApi(const LocalApiOptions& options, const std::function<void(const LocalAsk&)>& work)
      : m_work(work),
        m_path(QString::fromStdString(options.model)),
        m_engine({.modelPath = {},
                  .backend = options.backend,
                  .engine = options.engine,
                  .bundledModelPath = QString::fromStdString(options.bundledModel),
                  .trial = {},
                  .markerFolder = {}}),
        m_service(m_engine, m_engine, m_directory, kMaxAnswers) {
    m_directory.set({{.path = options.model}});
    QObject::connect(&m_engine, &EngineService::loadFailed, [this](const QString& sentence) {
      if (m_worker.joinable()) return;
      m_error = Error{ErrorCode::kIo, sentence.toStdString()};
      QCoreApplication::exit();
    });
    QObject::connect(&m_engine, &EngineService::modelsChanged, [this] { onModelsChanged(); });
    m_engine.loadModel({.path = m_path, .draftPath = QString::fromStdString(options.draft)});
  }
  ~LocalApi() {
    if (m_worker.joinable()) m_worker.join();
  }

  Result<void> run() {
    QCoreApplication::exec();
    if (m_error) return *m_error;
    return {};
  }

 private:
  void onModelsChanged() {
    if (m_worker.joinable() || m_engine.modelPath() != m_path) return;
    m_worker = std::thread([this] {
      m_work([this](const std::string& path, std::string body, LocalExchange::Answered answered) {
        m_service.handle(
            std::make_shared<LocalExchange>(path, std::move(body), std::move(answered)));
      });
      QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit,
                                Qt::QueuedConnection);
    });
  }

  const std::function<void(const LocalAsk&)>& m_work;
  const QString m_path;
  ModelDirectory m_directory;
  std::optional<Error> m_error;
  EngineService m_engine;
  ApiService m_service;
  std::thread m_worker;
};

}  // namespace

Result<void> runLocalApi(const LocalApiOptions& options,
                         const std::function<void(const LocalAsk& ask)>& work) {
  int argc = 1;
  std::string name = "quire-cli";
  std::array<char*, 2> argv = {name.data(), nullptr};
  const QCoreApplication application(argc, argv.data());
  return LocalApi(options, work).run();
}

}  // namespace quire
