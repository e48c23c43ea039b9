#include <QDir>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>

#include "app/engine/engine_service.h"
#include "app/server/api_server.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/app/server/http/raw_client.h"
#include "tests/support/answer_log.h"

using namespace quire;
using Json = nlohmann::ordered_json;

namespace {

constexpr auto kPatience = std::chrono::milliseconds(kPatienceMs);

EngineServiceOptions engineOptions() {
  EngineServiceOptions options;
  options.bundledModelPath = bundled();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 64 << 20;
  return options;
}

std::string post(const std::string& path, const std::string& body, const std::string& more = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

RawResponse send(uint16_t port, const std::string& request) {
  RawClient client(port);
  client.send(request);
  return client.read_response(kPatience);
}

/// Sends on another thread while this one runs the service's event loop.
RawResponse sendAside(uint16_t port, const std::string& request) {
  auto response = std::async(std::launch::async, [=] { return send(port, request); });
  static_cast<void>(QTest::qWaitFor(
      [&] { return response.wait_for(std::chrono::seconds(0)) == std::future_status::ready; },
      kPatienceMs));
  return response.get();
}

/// A chat of a given length, the same each time.
std::string chat(const std::string& text, int tokens, const std::string& fields = {}) {
  return R"({"model": "quire-mini", "messages": [{"role": "user", "content": ")" + text +
         R"("}], "seed": 7, "ignore_eos": true, "max_tokens": )" + std::to_string(tokens) +
         (fields.empty() ? "" : ", " + fields) + "}";
}

/// Whether something has arrived.
bool hasBegun(RawClient& client) {
  return !client.input().empty() || client.receive(std::chrono::milliseconds(1));
}

std::string textOf(const RawResponse& response) {
  const Json json = Json::parse(response.body, nullptr, false);
  const bool isAnswer = json.is_object() && json.contains("choices");
  return isAnswer ? json["choices"][0]["message"]["content"].get<std::string>() : response.body;
}

}  // namespace

/// The whole server: sockets, endpoints and the engine with the bundled model.
class TestServerEngine : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void cleanup();
  void answer_isTheWindows();
  void stream_hasTheSameText();
  void continued_countsItsBeginningAsPrompt();
  void manyClients_getTheSameAnswers();
  void disconnect_endsTheAnswer();
  void stop_endsStreams();
  void models_areLoadedByName();
  void bodyOfManyKeys_holdsNobodyUp();
  void key_isRequired();
  void portInUse_isAnError();
  void embeddings_andTokens();
  void metrics_countAnswers();

 private:
  void startServer(ApiServerOptions options = {});
  uint64_t tokensAtTheEnd();

  std::unique_ptr<EngineService> m_engine;
  std::unique_ptr<ApiServer> m_server;
};

void TestServerEngine::init() {
  if (!QFile::exists(bundled() + "/model.safetensors")) QSKIP("The bundled model is not there.");
  m_engine = std::make_unique<EngineService>(engineOptions());
  m_server = std::make_unique<ApiServer>(*m_engine, *m_engine, *m_engine);
}

void TestServerEngine::cleanup() {
  m_server.reset();
  m_engine.reset();
}

void TestServerEngine::startServer(ApiServerOptions options) {
  options.port = 0;
  if (options.modelPaths.isEmpty()) options.modelPaths = {bundled()};
  options.statsOf = [this](const QString& path) { return m_engine->stats(path); };
  QCOMPARE(m_server->start(options), QString());
  QVERIFY(m_server->isRunning());
  QCOMPARE(m_server->url(), QString("http://127.0.0.1:%1").arg(m_server->port()));
}

/// Tokens of all answers when none is computed any more.
uint64_t TestServerEngine::tokensAtTheEnd() {
  const auto hasEnded = [this] {
    const EngineStats stats = m_engine->stats(bundled());
    return stats.output_tokens > 0 && stats.running == 0;
  };
  return QTest::qWaitFor(hasEnded, kPatienceMs) ? m_engine->stats(bundled()).output_tokens : 0;
}

void TestServerEngine::answer_isTheWindows() {
  startServer();
  const RawResponse response =
      sendAside(m_server->port(), post("/v1/chat/completions", chat("Hello there!", 24)));
  QCOMPARE(response.status, 200);
  AnswerLog log(*m_engine);
  ChatRequest request = ask("Hello there!", 24);
  request.modelPath = bundled();
  const ModelSampling usual = m_engine->defaultSampling(bundled());
  if (usual.temperature) request.sampling.temperature = static_cast<float>(*usual.temperature);
  if (usual.topP) request.sampling.top_p = static_cast<float>(*usual.topP);
  if (usual.topK) request.sampling.top_k = *usual.topK;
  const RequestId id = log.submit(request);
  QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, kPatienceMs);
  QCOMPARE(QString::fromStdString(textOf(response)), log[id].text);
  QVERIFY(!log[id].text.isEmpty());
  QCOMPARE(m_server->numRequests(), 0);
}

void TestServerEngine::stream_hasTheSameText() {
  startServer();
  const std::string whole = textOf(
      sendAside(m_server->port(), post("/v1/chat/completions", chat("Tell me a story.", 40))));
  const RawResponse stream =
      sendAside(m_server->port(),
                post("/v1/chat/completions", chat("Tell me a story.", 40, R"("stream": true)")));
  QVERIFY(stream.is_chunked);
  QVERIFY(stream.has_field("Content-Type: text/event-stream; charset=utf-8"));
  QVERIFY(stream.body.ends_with("data: [DONE]\n\n"));
  std::string text;
  for (size_t at = 0; (at = stream.body.find("data: {", at)) != std::string::npos;) {
    at += 6;
    const Json chunk =
        Json::parse(stream.body.substr(at, stream.body.find('\n', at) - at), nullptr, false);
    const Json& delta = chunk["choices"][0]["delta"];
    if (delta.contains("content")) text += delta["content"].get<std::string>();
  }
  QCOMPARE(text, whole);
}

void TestServerEngine::continued_countsItsBeginningAsPrompt() {
  startServer();
  const std::string messages =
      R"("messages": [{"role": "user", "content": "Who are you?"},
                      {"role": "assistant", "content": "I am a mouse and my name is"}],
         "continue_final_message": true, "add_generation_prompt": false)";
  const RawResponse counted =
      sendAside(m_server->port(), post("/v1/tokenize", "{" + messages + "}"));
  const RawResponse answer = sendAside(
      m_server->port(),
      post("/v1/chat/completions", "{" + messages + R"(, "max_tokens": 3, "ignore_eos": true})"));
  QVERIFY2(counted.status == 200 && answer.status == 200, answer.body.c_str());
  const Json usage = Json::parse(answer.body)["usage"];
  QCOMPARE(usage["prompt_tokens"], Json::parse(counted.body)["count"]);
  QCOMPARE(usage["completion_tokens"], 3);
}

void TestServerEngine::manyClients_getTheSameAnswers() {
  constexpr int kClients = 48;
  startServer();
  const auto question = [](int i) {
    return post("/v1/chat/completions", chat("Say " + std::to_string(i % 6) + " words.", 16));
  };
  std::vector<std::string> alone;
  for (int i = 0; i < 6; ++i) alone.push_back(textOf(sendAside(m_server->port(), question(i))));
  std::vector<std::future<RawResponse>> responses;
  for (int i = 0; i < kClients; ++i) {
    responses.push_back(std::async(std::launch::async, [port = m_server->port(), i, question] {
      return send(port, question(i));
    }));
  }
  const auto isReady = [](const auto& response) {
    return response.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  QTRY_VERIFY_WITH_TIMEOUT(std::all_of(responses.begin(), responses.end(), isReady), kPatienceMs);
  for (int i = 0; i < kClients; ++i) {
    QCOMPARE(textOf(responses[static_cast<size_t>(i)].get()), alone[static_cast<size_t>(i % 6)]);
  }
  QCOMPARE(m_server->numRequests(), 0);
}

void TestServerEngine::disconnect_endsTheAnswer() {
  startServer();
  RawClient client(m_server->port());
  client.send(
      post("/v1/chat/completions", chat("Tell me a story.", 1800, R"("stream": true, "n": 2)")));
  QTRY_VERIFY_WITH_TIMEOUT(hasBegun(client), kPatienceMs);
  QTRY_VERIFY(m_engine->models()[0].runningRequests == 2);
  QCOMPARE(m_server->numRequests(), 2);
  client.close();
  QTRY_COMPARE_WITH_TIMEOUT(m_server->numRequests(), 0, kPatienceMs);
  QTRY_COMPARE_WITH_TIMEOUT(m_engine->models()[0].runningRequests, 0, kPatienceMs);
  const uint64_t tokens = tokensAtTheEnd();
  QVERIFY2(tokens > 0 && tokens < 2 * 1800, std::to_string(tokens).c_str());
}

void TestServerEngine::stop_endsStreams() {
  startServer();
  RawClient client(m_server->port());
  client.send(post("/v1/chat/completions", chat("Tell me a story.", 1800, R"("stream": true)")));
  QTRY_VERIFY_WITH_TIMEOUT(hasBegun(client), kPatienceMs);
  m_server->stop();
  QVERIFY(!m_server->isRunning());
  QVERIFY(client.is_closed_within(std::chrono::seconds(10)));
  QTRY_COMPARE_WITH_TIMEOUT(m_engine->models()[0].runningRequests, 0, kPatienceMs);
  const uint64_t tokens = tokensAtTheEnd();
  QVERIFY2(tokens > 0 && tokens < 1800, std::to_string(tokens).c_str());
  startServer();
  QCOMPARE(sendAside(m_server->port(), "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status,
           200);
}

void TestServerEngine::models_areLoadedByName() {
  QTemporaryDir folder;
  const QString other = folder.filePath("other-model");
  QVERIFY(QFile::link(QDir(bundled()).canonicalPath(), other));
  startServer({.modelPaths = {bundled(), other, folder.filePath("not-there")}});
  QCOMPARE(m_server->modelNames(), (QStringList{"quire-mini", "other-model", "not-there"}));
  const auto asked = [](const std::string& model) {
    return post("/v1/completions", R"({"model": ")" + model + R"(", "prompt": "Once"})");
  };
  QCOMPARE(sendAside(m_server->port(), asked("other-model")).status, 200);
  QCOMPARE(m_engine->models().size(), 1);
  QCOMPARE(m_engine->models()[0].path, other);
  QCOMPARE(sendAside(m_server->port(), asked("quire-mini")).status, 200);
  QCOMPARE(m_engine->models().size(), 2);
  const RawResponse missing = sendAside(m_server->port(), asked("not-there"));
  QCOMPARE(missing.status, 404);
  QVERIFY2(missing.body.find("not-there") != std::string::npos, missing.body.c_str());
}

/// Megabytes of keys, which are compared with those before them, are parsed beside other requests.
void TestServerEngine::bodyOfManyKeys_holdsNobodyUp() {
  startServer();
  std::string object = "{";
  for (int i = 0; i < 1999; ++i) object += "\"k" + std::to_string(i) + "\":0,";
  object.back() = '}';
  std::string body = R"({"messages": [)";
  for (int i = 0; i < 240; ++i) body += object + ",";
  body.back() = ']';
  // If parsing held others up, the first request would always be answered first.
  bool otherIsFirst = false;
  for (int attempt = 0; attempt < 20 && !otherIsFirst; ++attempt) {
    RawClient slow(m_server->port());
    slow.send(post("/v1/chat/completions", body + "}"));
    RawClient other(m_server->port());
    other.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QCOMPARE(other.read_response(kPatience).status, 200);
    otherIsFirst = !hasBegun(slow);
    const RawResponse refused = slow.read_response(kPatience);
    QCOMPARE(refused.status, 400);
    QVERIFY2(refused.body.find("messages[0].role is missing") != std::string::npos,
             refused.body.c_str());
  }
  QVERIFY(otherIsFirst);
}

void TestServerEngine::key_isRequired() {
  startServer({.keys = {"sesame"}});
  const std::string get = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n";
  QCOMPARE(sendAside(m_server->port(), get + "\r\n").status, 401);
  QCOMPARE(sendAside(m_server->port(), get + "Authorization: Bearer sesame\r\n\r\n").status, 200);
}

void TestServerEngine::portInUse_isAnError() {
  startServer();
  ApiServer second(*m_engine, *m_engine, *m_engine);
  const QString error = second.start({.port = m_server->port()});
  QVERIFY2(error.contains(QString::number(m_server->port())), qPrintable(error));
  QVERIFY(!second.isRunning());
  QVERIFY(!second.start({.host = "0.0.0.0", .port = 0}).isEmpty());
}

void TestServerEngine::embeddings_andTokens() {
  startServer();
  const RawResponse tokens =
      sendAside(m_server->port(), post("/tokenize", R"({"prompt": "Once upon a time"})"));
  const Json json = Json::parse(tokens.body, nullptr, false);
  QVERIFY2(json.value("count", 0) > 2, tokens.body.c_str());
  const RawResponse text =
      sendAside(m_server->port(), post("/detokenize", Json({{"tokens", json["tokens"]}}).dump()));
  QVERIFY2(text.body.find("Once upon a time") != std::string::npos, text.body.c_str());
  const RawResponse vectors =
      sendAside(m_server->port(), post("/v1/embeddings", R"({"input": ["one", "two"]})"));
  QCOMPARE(Json::parse(vectors.body, nullptr, false)["data"].size(), size_t{2});
  QCOMPARE(m_server->numRequests(), 0);
}

void TestServerEngine::metrics_countAnswers() {
  startServer();
  static_cast<void>(sendAside(m_server->port(), post("/v1/chat/completions", chat("Hi", 9))));
  QTRY_VERIFY(m_engine->stats(bundled()).output_tokens >= 9);
  const RawResponse metrics =
      sendAside(m_server->port(), "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (const char* line :
       {"quire_output_tokens_total 9", "quire_engine_output_tokens_total{model=\"quire-mini\"} 9",
        "endpoint=\"/v1/chat/completions\""}) {
    QVERIFY2(metrics.body.find(line) != std::string::npos, metrics.body.c_str());
  }
}

QTEST_GUILESS_MAIN(TestServerEngine)
#include "tst_server_engine.moc"
