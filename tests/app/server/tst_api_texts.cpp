#include <QtTest>

#include "tests/app/server/api_fakes.h"

using namespace quire;
using Json = nlohmann::ordered_json;

/// Tokens, vectors, the list of models and what monitors ask.
class TestApiTexts : public QObject {
  Q_OBJECT

 private slots:
  void models_areListed();
  void model_isDescribed();
  void names_areUnique();
  void names_stayWithTheirPaths();
  void tokenize_ofText();
  void tokenize_ofAChat();
  void detokenize();
  void embeddings_asNumbersAndBase64();
  void embeddings_refuse_data();
  void embeddings_refuse();
  void ready_saysWhyNot();
  void root_saysThatItRuns();
  void status_answers();
  void unknownPaths_are404();
  void otherMethods_are405();
  void errors_haveTheirDialect();
};

void TestApiTexts::models_areListed() {
  FakeApi api;
  const Json json = api.send("GET", "/v1/models")->json();
  QCOMPARE(text(json["object"]), text("list"));
  QCOMPARE(json["data"].size(), size_t{2});
  QCOMPARE(text(json["data"][0]["id"]), text("mini"));
  QCOMPARE(text(json["data"][0]["max_model_len"]), text(4096));
  QVERIFY(json["data"][1]["max_model_len"].is_null());
}

void TestApiTexts::model_isDescribed() {
  FakeApi api;
  QCOMPARE(text(api.send("GET", "/v1/models/other")->json()["id"]), text("other"));
  QCOMPARE(api.send("GET", "/v1/models/nope")->response.status, 404);
}

void TestApiTexts::names_areUnique() {
  ModelDirectory models;
  models.set({{.path = "/a/m.gguf"}, {.path = "/b/m"}, {.path = "/c/m/"}});
  QCOMPARE(models.find("m")->path, std::string("/a/m.gguf"));
  QCOMPARE(models.find("m-2")->path, std::string("/b/m"));
  QCOMPARE(models.find("m-3")->path, std::string("/c/m/"));
  QCOMPARE(models.find("")->name, std::string("m"));
  QCOMPARE(models.find("/b/m")->name, std::string("m-2"));
  QVERIFY(!models.find("m-4"));
}

void TestApiTexts::names_stayWithTheirPaths() {
  ModelDirectory models;
  models.set({{.path = "/a/m"}, {.path = "/b/m"}});
  models.set({{.path = "/b/m"}, {.path = "/a/m"}, {.path = "/d/m"}});
  QCOMPARE(models.find("m")->path, std::string("/a/m"));
  QCOMPARE(models.find("m-2")->path, std::string("/b/m"));
  QCOMPARE(models.find("m-3")->path, std::string("/d/m"));
}

void TestApiTexts::tokenize_ofText() {
  FakeApi api;
  api.texts.tokens = {.tokens = {5, 6}, .pieces = {"He", "llo"}, .contextLength = 4096};
  const auto exchange = api.post(
      "/v1/tokenize", R"({"model": "mini", "prompt": "Hello", "return_token_strs": true})");
  QCOMPARE(text(exchange->json()),
           text(Json::parse(R"({"count": 2, "max_model_len": 4096, "tokens": [5, 6],
                                            "token_strs": ["He", "llo"]})")));
  QCOMPARE(api.texts.tokenized[0].rawPrompt->text, QString("Hello"));
  QVERIFY(api.texts.wantsPieces);
  QVERIFY(api.post("/tokenize", R"({"prompt": "x"})")->json()["token_strs"].is_null());
  QVERIFY(!api.texts.wantsPieces);
  api.texts.tokens = {.tokens = {7}, .pieces = {"a\"\n", "\xff"}};  // Tokens need not be UTF-8.
  const auto odd = api.post("/tokenize", R"({"prompt": "x", "return_token_strs": true})");
  QCOMPARE(text(odd->json()["token_strs"]), text((Json{"a\"\n", "\xef\xbf\xbd"})));
}

void TestApiTexts::tokenize_ofAChat() {
  FakeApi api;
  static_cast<void>(api.post("/v1/tokenize",
                             R"({"messages": [{"role": "user", "content": "Hi"}],
                                 "add_generation_prompt": false})"));
  QCOMPARE(api.texts.tokenized[0].turns[0].text, QString("Hi"));
  QVERIFY(!api.texts.tokenized[0].prompt.add_generation_prompt);
  QCOMPARE(api.post("/v1/tokenize", R"({"model": "mini"})")->response.status, 400);
}

void TestApiTexts::detokenize() {
  FakeApi api;
  api.texts.text.text = "Hello";
  const auto exchange = api.post("/detokenize", R"({"tokens": [5, 6]})");
  QCOMPARE(text(exchange->json()), text(Json({{"prompt", "Hello"}})));
  QCOMPARE(api.texts.detokenized, (QList<qint32>{5, 6}));
  api.texts.text = {.error = "No such token.", .errorCode = ErrorCode::kInvalidArgument};
  QCOMPARE(api.post("/detokenize", R"({"tokens": [5]})")->response.status, 400);
}

void TestApiTexts::embeddings_asNumbersAndBase64() {
  FakeApi api;
  api.texts.embeddings = {.vectors = {{0.5f, -0.1f}, {1.0f, 3e-10f}}, .promptTokens = 7};
  const auto exchange = api.post("/v1/embeddings", R"({"model": "mini", "input": ["a", "b"]})");
  const Json json = exchange->json();
  QCOMPARE(json["data"].size(), size_t{2});
  QCOMPARE(text(json["data"][1]["index"]), text(1));
  QCOMPARE(json["data"][0]["embedding"][1].get<float>(), -0.1f);
  QCOMPARE(json["data"][1]["embedding"][1].get<float>(), 3e-10f);
  QCOMPARE(text(json["usage"]["total_tokens"]), text(7));
  QCOMPARE(api.texts.embedded[0].inputs[1].text, QString("b"));
  const auto packed =
      api.post("/v1/embeddings", R"({"input": [[1, 2], [3]], "encoding_format": "base64"})");
  // 0.5 is 0x3f000000.
  const std::string first = packed->json()["data"][0]["embedding"];
  QCOMPARE(QByteArray::fromBase64(QByteArray::fromStdString(first)).left(4),
           QByteArray("\0\0\0\x3f", 4));
  QCOMPARE(api.texts.embedded[1].inputs[0].tokens, (QList<qint32>{1, 2}));
}

void TestApiTexts::embeddings_refuse_data() {
  QTest::addColumn<QString>("body");
  QTest::newRow("no input") << R"({"model": "mini"})";
  QTest::newRow("empty") << R"({"input": []})";
  QTest::newRow("dimensions") << R"({"input": "a", "dimensions": 64})";
  QTest::newRow("format") << R"({"input": "a", "encoding_format": "int8"})";
  QTest::newRow("unknown") << R"({"input": "a", "task": "x"})";
}

void TestApiTexts::embeddings_refuse() {
  QFETCH(QString, body);
  FakeApi api;
  QCOMPARE(api.post("/v1/embeddings", body.toStdString())->response.status, 400);
  QVERIFY(api.texts.embedded.empty());
}

void TestApiTexts::ready_saysWhyNot() {
  FakeApi api;
  QCOMPARE(api.send("GET", "/ready")->response.status, 200);
  api.models.set({{.path = "/m", .error = "It is damaged."}});
  const auto exchange = api.send("GET", "/ready");
  QCOMPARE(exchange->response.status, 503);
  QCOMPARE(text(exchange->json()["error"]["message"]), text("It is damaged."));
  QCOMPARE(api.send("GET", "/health")->response.status, 200);
  api.models.set({{.path = "/m", .hasAnswered = true}});  // Unloaded, because it was idle.
  QCOMPARE(api.send("GET", "/ready")->response.status, 200);
  api.models.set({{.path = "/m"}});
  QCOMPARE(api.send("GET", "/ready")->response.status, 503);
}

void TestApiTexts::root_saysThatItRuns() {
  FakeApi api;
  for (const char* method : {"GET", "HEAD"}) {
    const auto exchange = api.send(method, "/");
    QCOMPARE(exchange->response.status, 200);
    QCOMPARE(exchange->response.body, std::string("Quire is running."));
    QVERIFY(exchange->header("Content-Type").starts_with("text/plain"));
  }
  QCOMPARE(api.send("GET", "/nothing")->response.status, 404);
}

void TestApiTexts::status_answers() {
  FakeApi api;
  QVERIFY(api.send("GET", "/version")->json()["version"].is_string());
  QCOMPARE(api.send("GET", "/metrics")->response.status, 200);
  QCOMPARE(api.send("HEAD", "/health")->response.status, 200);
}

void TestApiTexts::unknownPaths_are404() {
  FakeApi api;
  for (const char* path : {"/v1", "/v1/models/", "/v1/chat", "/v2/models"}) {
    QCOMPARE(api.send("GET", path)->response.status, 404);
  }
  QCOMPARE(api.service.routeOf("/v1/models/secret"), std::string("/v1/models/"));
  QCOMPARE(api.service.routeOf("/secret"), std::string("other"));
}

void TestApiTexts::otherMethods_are405() {
  FakeApi api;
  const auto exchange = api.send("GET", "/v1/chat/completions");
  QCOMPARE(exchange->response.status, 405);
  QCOMPARE(exchange->header("Allow"), std::string("POST"));
}

void TestApiTexts::errors_haveTheirDialect() {
  const ApiError error = {.status = 429, .message = "Later.", .retryAfterSeconds = 2};
  QCOMPARE(errorJson(error, dialect_of("/api/chat")), std::string(R"({"error":"Later."})"));
  QCOMPARE(
      errorJson(error, dialect_of("/v1/messages")),
      std::string(R"({"type":"error","error":{"type":"rate_limit_error","message":"Later."}})"));
  QVERIFY(dialect_of("/v1/models") == ApiDialect::kOpenAi);
}

QTEST_APPLESS_MAIN(TestApiTexts)
#include "tst_api_texts.moc"
