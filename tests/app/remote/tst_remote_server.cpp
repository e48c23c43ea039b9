#include <QProcess>
#include <QTest>

#include <atomic>
#include <functional>

#include "app/engine/engine_service.h"
#include "app/remote/memory_secrets.h"
#include "app/remote/remote_backend.h"
#include "app/server/api_server.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/app/server/serve_process.h"
#include "tests/support/answer_log.h"
#include "tests/support/taken_port.h"

using namespace quire;

namespace {

const QString kKey = "sesame-open";

/// A server that is stopped in the middle of an answer may have sent the rest of it by then.
constexpr int kMostAttempts = 20;

/// Calls a function on a remote backend's own thread at the n-th piece of text.
class WatchedBackend : public ChatBackend {
 public:
  explicit WatchedBackend(ChatBackend& backend) : m_backend(backend) {}

  /// Before answers are asked for.
  void watch(int piece, std::function<void()> function) {
    m_piece = piece;
    m_function = std::move(function);
    m_numPieces = 0;
  }
  /// The function has returned before its piece is counted.
  int numPieces() const { return m_numPieces; }

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override {
    return m_backend.submit(request, std::make_shared<Sink>(*this, std::move(sink)));
  }
  void cancel(RequestId id) override { m_backend.cancel(id); }
  void setPriority(RequestId id, int priority) override { m_backend.setPriority(id, priority); }
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override {
    return m_backend.forecast(request, std::move(reply));
  }

 private:
  struct Sink : AnswerSink {
    Sink(WatchedBackend& backend, std::shared_ptr<AnswerSink> sink)
        : watched(backend), inner(std::move(sink)) {}
    void started(const PromptReport& report) override { inner->started(report); }
    void textAppended(const QString& text, int tokens) override {
      inner->textAppended(text, tokens);
      if (watched.m_numPieces + 1 == watched.m_piece) watched.m_function();
      ++watched.m_numPieces;
    }
    void finished(const AnswerReport& report) override { inner->finished(report); }

    WatchedBackend& watched;
    const std::shared_ptr<AnswerSink> inner;
  };

  ChatBackend& m_backend;
  int m_piece = 0;
  std::function<void()> m_function;
  std::atomic<int> m_numPieces = 0;
};

/// The window's backend for other machines, with one endpoint.
struct Client {
  explicit Client(const QString& address, const QString& key = {}) {
    endpoint = {.id = "a1", .name = "Office", .baseUrl = readBaseUrl(address).url};
    endpoint.models = {"quire-mini"};
    endpoint.hasKey = !key.isEmpty();
    secrets.write(secretName(endpoint), key, {[](const SecretStoring&) {}});
    use();
  }

  void use() { backend.setEndpoints({endpoint}); }
  EndpointReport test() {
    std::optional<EndpointReport> report;
    backend.test(endpoint, {}, {&log, [&](const EndpointReport& got) { report = got; }});
    if (!QTest::qWaitFor([&] { return report.has_value(); }, kPatienceMs)) qFatal("No report.");
    return *report;
  }
  AnswerLog::Answer ask(const ChatRequest& request) {
    const RequestId id = log.submit(request);
    if (!QTest::qWaitFor([&] { return log[id].finishes == 1; }, kPatienceMs)) qFatal("No answer.");
    return log[id];
  }

  RemoteEndpoint endpoint;
  MemorySecrets secrets;
  RemoteBackend backend{secrets, RemoteOptions{.firstWaitMs = 20}};
  WatchedBackend watched{backend};
  AnswerLog log{watched};
};

/// A story of some sixty tokens, the same each time.
ChatRequest story() {
  ChatRequest request = {.turns = {{"user", "Tell me a story about a dog.", {}}},
                         .modelPath = remotePath("a1", "quire-mini")};
  request.sampling.temperature = 0.0f;
  request.sampling.max_tokens = 60;
  return request;
}

/// The same request, to go on from there.
ChatRequest continued(ChatRequest request, const QString& text) {
  request.turns += ChatTurn{"assistant", text, {}};
  request.continueAnswer = true;
  return request;
}

QString addressOf(int port) {
  return QStringLiteral("127.0.0.1:%1").arg(port);
}

}  // namespace

/// Chats with a model that quire-cli serves on another machine.
class RemoteServerTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { REQUIRE_BUNDLED_MODEL(); }

  void test_recognisesQuire() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    const EndpointReport report = client.test();
    QCOMPARE(report.error, QString());
    QVERIFY(report.server == ServerKind::kQuire);
    QCOMPARE(report.models, QStringList("quire-mini"));
  }

  void key_isChecked() {
    ServeProcess server({}, kKey);
    const QString address = addressOf(server.port());
    QCOMPARE(Client(address, kKey).test().error, QString());
    QCOMPARE(Client(address, kKey).ask(story()).report.error, QString());
    for (const QString& key : {QString(), QString("sesame-shut")}) {
      Client client(address, key);
      const QString error = client.test().error;
      QVERIFY2(error.contains("key") && !error.contains("sesame"), qPrintable(error));
      const auto answer = client.ask(story());
      QVERIFY(answer.report.finish == FinishReason::kFailed);
      QVERIFY2(answer.report.error.contains("key"), qPrintable(answer.report.error));
    }
  }

  void answers_streamAndAreCounted() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    const auto first = client.ask(story());
    QCOMPARE(first.report.error, QString());
    QVERIFY(first.inOrder && client.watched.numPieces() > 10);
    QCOMPARE(first.report.outputTokens, 60);
    QVERIFY(first.report.finish == FinishReason::kLength);
    const int promptTokens = first.report.prompt.promptTokens;
    QVERIFY(promptTokens > 5);

    // Regenerated: the same seed gives the same, another one another, and the prompt is cached.
    ChatRequest request = story();
    request.sampling.temperature = 1.5f;
    const auto one = client.ask(request);
    QCOMPARE(one.report.prompt.promptTokens, promptTokens);
    QVERIFY(one.report.prompt.cachedTokens > promptTokens / 2);
    QCOMPARE(client.ask(request).text, one.text);
    request.sampling.seed = 8;
    QVERIFY(client.ask(request).text != one.text);
  }

  void stop_endsTheAnswerThere() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    RequestId id = 0;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      client.watched.watch(3, [&] { server.signal(SIGSTOP); });
      id = client.log.submit(story());
      QTRY_VERIFY_WITH_TIMEOUT(client.watched.numPieces() >= 3, kPatienceMs);
      QTRY_VERIFY(!client.log[id].text.isEmpty());
      client.backend.cancel(id);
      QTRY_COMPARE(client.log[id].finishes, 1);
      if (client.log[id].report.finish == FinishReason::kCancelled) break;
      server.signal(SIGCONT);
    }
    QVERIFY(client.log[id].report.finish == FinishReason::kCancelled);
    client.watched.watch(0, {});
    server.signal(SIGCONT);
    const auto after = client.ask(story());
    QCOMPARE(after.report.error, QString());
    QVERIFY(after.text.startsWith(client.log[id].text));
  }

  void cutAnswer_goesOnWhereItEnded() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    client.endpoint.server = client.test().server;
    client.use();
    const QString whole = client.ask(story()).text;
    ChatRequest request = story();
    request.sampling.max_tokens = 12;
    const auto cut = client.ask(request);
    QVERIFY(cut.report.finish == FinishReason::kLength);
    request.sampling.max_tokens = 48;
    const auto rest = client.ask(continued(request, cut.text));
    QCOMPARE(rest.report.error, QString());
    QCOMPARE(cut.text + rest.text, whole);
    // What is charged: the beginning belongs to the prompt.
    QCOMPARE(rest.report.prompt.promptTokens, cut.report.prompt.promptTokens + 12);
    QCOMPARE(rest.report.outputTokens, 48);
  }

  void killedServer_losesNoText() {
    const int port = freePort().toInt();
    auto server = std::make_unique<ServeProcess>(QStringList(), QString(), port);
    QCOMPARE(server->port(), port);
    Client client(addressOf(port));
    client.endpoint.server = client.test().server;
    client.use();
    const QString whole = client.ask(story()).text;
    AnswerLog::Answer cut;
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      client.watched.watch(5, [&] { server->signal(SIGSTOP); });
      const RequestId id = client.log.submit(story());
      QTRY_VERIFY_WITH_TIMEOUT(client.watched.numPieces() >= 5, kPatienceMs);
      server->signal(SIGKILL);
      QTRY_COMPARE_WITH_TIMEOUT(client.log[id].finishes, 1, kPatienceMs);
      cut = client.log[id];
      if (cut.text.size() < whole.size()) break;
      server = std::make_unique<ServeProcess>(QStringList(), QString(), port);
      QCOMPARE(server->port(), port);
    }
    QVERIFY(cut.report.finish == FinishReason::kFailed);
    QVERIFY2(cut.report.error.contains("Continue goes on"), qPrintable(cut.report.error));
    QVERIFY(!cut.text.isEmpty() && cut.text.size() < whole.size() && whole.startsWith(cut.text));

    client.watched.watch(0, {});
    const auto refused = client.ask(continued(story(), cut.text));
    QVERIFY2(refused.report.error.contains("cannot be reached"), qPrintable(refused.report.error));
    server = std::make_unique<ServeProcess>(QStringList(), QString(), port);
    QCOMPARE(server->port(), port);
    const auto rest = client.ask(continued(story(), cut.text));
    QCOMPARE(rest.report.error, QString());
    QVERIFY2((cut.text + rest.text).startsWith(whole), qPrintable(cut.text + '|' + rest.text));
  }

  void unknownModel_isNamed() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    ChatRequest request = story();
    request.modelPath = remotePath("a1", "other");
    const QString error = client.ask(request).report.error;
    QVERIFY2(error.contains("does not have the model other"), qPrintable(error));
  }

  void tools_needThisComputer() {
    ServeProcess server;
    Client client(addressOf(server.port()));
    ChatRequest request = story();
    request.prompt.tools = R"([{"type": "function", "function": {"name": "f"}}])";
    const QString error = client.ask(request).report.error;
    QVERIFY2(error.contains("on this computer"), qPrintable(error));
  }

  /// The bundled model does not reason; one that answers from a script does.
  void reasoning_standsApart() {
    QProcess server;
    server.start(SCRIPTED_SERVER, {});
    QVERIFY(server.waitForReadyRead(kPatienceMs));
    Client client(addressOf(server.readLine().trimmed().toInt()));
    ChatRequest request = {.turns = {{"user", "Think!", {}}},
                           .modelPath = remotePath("a1", "mini")};
    request.sampling.max_tokens = 100;
    QCOMPARE(client.ask(request).text, QString("<think>Hm.</think>\n\nYou said: Think!"));
    request.sampling.max_tokens = 2;  // It is cut while it thinks.
    const auto cut = client.ask(request);
    QVERIFY(cut.text.startsWith("<think>"));
    QVERIFY(cut.report.finish == FinishReason::kLength);
    client.endpoint.server = client.test().server;
    client.use();
    const QString error = client.ask(continued(request, "<think>Hm")).report.error;
    QVERIFY2(error.contains("still thinking"), qPrintable(error));
    server.closeWriteChannel();
    QVERIFY(server.waitForFinished(kPatienceMs));
  }

  void unloadedModel_isLoadedAgain() {
    EngineServiceOptions options;
    options.bundledModelPath = bundled();
    options.backend.device = "cpu";
    options.engine.kv_bytes = 64 << 20;
    EngineService engine(options);
    ApiServer server(engine, engine, engine);
    ApiServerOptions serving;
    serving.port = 0;
    serving.modelPaths = {bundled()};
    QCOMPARE(server.start(serving), QString());
    Client client(addressOf(server.port()));
    const auto before = client.ask(story());
    QCOMPARE(before.report.error, QString());
    const auto isLoaded = [&] {
      return std::ranges::any_of(engine.models(), [](const ModelState& model) {
        return model.state == ModelState::State::kReady;
      });
    };
    QVERIFY(isLoaded());
    engine.unloadModel(bundled());
    QTRY_VERIFY(!isLoaded());
    const auto after = client.ask(story());
    QCOMPARE(after.report.error, QString());
    QCOMPARE(after.text, before.text);
    QCOMPARE(client.test().models, QStringList("quire-mini"));
  }
};

QTEST_MAIN(RemoteServerTest)
#include "tst_remote_server.moc"
