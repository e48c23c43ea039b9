#include <QtTest>

#include "tests/app/server/api_fakes.h"

using namespace quire;
using Json = nlohmann::ordered_json;

/// What ends badly: errors, limits, and clients that leave.
class TestApiFailures : public QObject {
  Q_OBJECT

 private slots:
  void errors_data();
  void errors();
  void fieldAtFault_isNamed_data();
  void fieldAtFault_isNamed();
  void errorInAStream_isItsLastEvent();
  void shutdown_isSaidInEachAnswer();
  void modelThatFailsToLoad_is503();
  void unknownModel_is404();
  void namesOfModels_areVisibleInMessages();
  void tooManyRequests_are429();
  void tooManyAnswers_are400();
  void answersOfOneRequest_areLimited();
  void hugeParts_are400_data();
  void hugeParts_are400();
  void disconnect_cancelsAllAnswers();
  void disconnectWhileLoading_submitsNothing();
  void failure_cancelsTheOtherAnswers();
};

void TestApiFailures::errors_data() {
  QTest::addColumn<ErrorCode>("code");
  QTest::addColumn<int>("status");
  QTest::addColumn<QString>("written");
  QTest::newRow("context") << ErrorCode::kContextOverflow << 400 << "context_length_exceeded";
  QTest::newRow("argument") << ErrorCode::kInvalidArgument << 400 << QString();
  QTest::newRow("template") << ErrorCode::kTemplate << 400 << QString();
  QTest::newRow("unsupported") << ErrorCode::kUnsupported << 400 << QString();
  QTest::newRow("gone") << ErrorCode::kNotFound << 404 << "model_not_found";
  QTest::newRow("memory") << ErrorCode::kOutOfMemory << 503 << QString();
  QTest::newRow("device") << ErrorCode::kDevice << 503 << QString();
  QTest::newRow("defect") << ErrorCode::kInternal << 500 << QString();
}

void TestApiFailures::errors() {
  QFETCH(ErrorCode, code);
  QFETCH(int, status);
  QFETCH(QString, written);
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("stream": true)"));
  api.backend.fail(0, code, "It is so.");
  QCOMPARE(exchange->response.status, status);
  const Json error = exchange->json()["error"];
  QCOMPARE(text(error["message"]), text("It is so."));
  QCOMPARE(error["code"].is_null() ? QString() : QString::fromStdString(error["code"]), written);
  QCOMPARE(api.service.numRequests(), 0);
}

void TestApiFailures::fieldAtFault_isNamed_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("body");
  QTest::addColumn<ErrorCode>("code");
  QTest::addColumn<QString>("message");
  QTest::addColumn<QString>("param");
  const QString chat = QString::fromStdString(chatBody());
  const QString long1 = "The prompt has more than 4096 tokens.";
  const auto row = [](const char* name, const QString& path, const QString& body, ErrorCode code,
                      const QString& message, const char* param) {
    QTest::newRow(name) << path << body << code << message << param;
  };
  row("chat too long", kChat, chat, ErrorCode::kContextOverflow, long1, "messages");
  row("template", kChat, chat, ErrorCode::kTemplate, "The template refuses it.", "messages");
  row("prompt too long", "/v1/completions", R"({"prompt": "x"})", ErrorCode::kContextOverflow,
      long1, "prompt");
  row("input too long", "/v1/responses", R"({"input": "x"})", ErrorCode::kContextOverflow, long1,
      "input");
  row("field of the engine", kChat, chat, ErrorCode::kInvalidArgument,
      "stop_token_ids has token 9, which is not in this model's vocabulary.", "stop_token_ids");
  row("unknown token", "/v1/completions", R"({"prompt": [99]})", ErrorCode::kInvalidArgument,
      "Token 99 is not in this model's vocabulary of 10 tokens.", "prompt");
  row("continued answer", kChat, chat, ErrorCode::kInvalidArgument,
      "The answer that is to be continued does not fit the format that was asked for.", "messages");
  row("none", kChat, chat, ErrorCode::kInvalidArgument, "It is so.", "");
}

void TestApiFailures::fieldAtFault_isNamed() {
  QFETCH(QString, path);
  QFETCH(QString, body);
  QFETCH(ErrorCode, code);
  QFETCH(QString, message);
  QFETCH(QString, param);
  FakeApi api;
  const auto exchange = api.post(path.toStdString(), body.toStdString());
  api.backend.fail(0, code, message);
  const Json error = exchange->json()["error"];
  QCOMPARE(error["param"].is_null() ? QString() : QString::fromStdString(error["param"]), param);
}

void TestApiFailures::shutdown_isSaidInEachAnswer() {
  FakeApi api;
  const auto streamed = api.post(kChat, chatBody(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "Hal");
  const auto whole = api.post(kChat, chatBody());
  const auto message = api.post("/v1/messages", R"({"max_tokens": 5, "stream": true,
      "messages": [{"role": "user", "content": "Hi"}]})");
  api.service.endAll();
  QVERIFY(streamed->isEnded && whole->isEnded && message->isEnded);
  QCOMPARE(text(parsedJson(streamed->events().back())["error"]["code"]),
           text("server_shutting_down"));
  QCOMPARE(whole->response.status, 503);
  QCOMPARE(text(message->json()["error"]["type"]), text("overloaded_error"));
  for (const auto& asked : api.backend.asked) QVERIFY(asked.isCancelled);
  QCOMPARE(api.post(kChat, chatBody())->response.status, 503);
  QCOMPARE(api.backend.asked.size(), size_t{3});
}

void TestApiFailures::errorInAStream_isItsLastEvent() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "Hal");
  api.backend.fail(0, ErrorCode::kDevice, "The device is lost.");
  QVERIFY(exchange->isEnded);
  QCOMPARE(text(parsedJson(exchange->events().back())["error"]["message"]),
           text("The device is lost."));
  QCOMPARE(exchange->numResponses, 1);
}

void TestApiFailures::modelThatFailsToLoad_is503() {
  FakeApi api;
  api.texts.model = {.error = "It is damaged.", .errorCode = ErrorCode::kIo};
  const auto exchange = api.post(kChat, chatBody());
  QCOMPARE(exchange->response.status, 503);
  QCOMPARE(text(exchange->json()["error"]["message"]), text("It is damaged."));
  QVERIFY(api.backend.asked.empty());
  QCOMPARE(api.service.numRequests(), 0);
}

void TestApiFailures::unknownModel_is404() {
  FakeApi api;
  const auto exchange =
      api.post(kChat, R"({"model": "nope", "messages": [{"role": "user", "content": "x"}]})");
  QCOMPARE(exchange->response.status, 404);
  const Json error = exchange->json()["error"];
  QCOMPARE(text(error["code"]), text("model_not_found"));
  QVERIFY(error["message"].get<std::string>().find("mini, other") != std::string::npos);
  QVERIFY(api.texts.opened.isEmpty());
}

/// A client may write the sentence to a terminal, which must not obey it. The exact name is in
/// /v1/models.
void TestApiFailures::namesOfModels_areVisibleInMessages() {
  FakeApi api;
  api.models.set({{.path = "/models/e\u009b32m\u202eb", .isLoaded = true}});
  const auto exchange =
      api.post(kChat, R"({"model": "nope", "messages": [{"role": "user", "content": "x"}]})");
  QCOMPARE(exchange->response.status, 404);
  const auto message = exchange->json()["error"]["message"].get<std::string>();
  QVERIFY2(message.find("e<U+009B>32m<U+202E>b") != std::string::npos, message.c_str());
  QVERIFY(message.find("\u202e") == std::string::npos);
}

void TestApiFailures::tooManyRequests_are429() {
  FakeApi api(2);
  const auto first = api.post(kChat, chatBody(R"("n": 2)"));
  const auto second = api.post(kChat, chatBody());
  QCOMPARE(second->response.status, 429);
  QCOMPARE(second->header("Retry-After"), std::string("1"));
  QCOMPARE(first->numResponses, 0);
  for (size_t i = 0; i < 2; ++i) {
    api.backend.start(i);
    api.backend.finish(i);
  }
  const auto third = api.post(kChat, chatBody());
  QCOMPARE(third->numResponses, 0);
  QCOMPARE(api.service.numRequests(), 1);
}

void TestApiFailures::tooManyAnswers_are400() {
  FakeApi api(2);
  const auto exchange = api.post(kChat, chatBody(R"("n": 3)"));
  QCOMPARE(exchange->response.status, 400);
}

/// A batch, which has no limit on its answers together, has one for each line.
void TestApiFailures::answersOfOneRequest_areLimited() {
  FakeApi api(1 << 20);
  std::string prompts = R"("a")";
  for (int i = 1; i < 1025; ++i) prompts += R"(,"a")";
  const auto refused = api.post("/v1/completions", R"({"n": 2, "prompt": [)" + prompts + "]}");
  QCOMPARE(refused->response.status, 400);
  QVERIFY2(refused->response.body.find("asks for 2050 answers; at most 2048") != std::string::npos,
           refused->response.body.c_str());
  QVERIFY(api.backend.asked.empty());
}

void TestApiFailures::hugeParts_are400_data() {
  QTest::addColumn<std::string>("path");
  QTest::addColumn<std::string>("body");
  QTest::addColumn<std::string>("param");
  QTest::addColumn<std::string>("words");
  const auto row = [](const char* name, const std::string& path, const std::string& body,
                      const char* param, const char* words) {
    QTest::newRow(name) << path << body << std::string(param) << std::string(words);
  };
  const std::string large(64 << 10, 'x');
  const std::string variables = chatBody(R"("chat_template_kwargs": {"a": ")" + large + R"("})");
  row("variables", kChat, variables, "chat_template_kwargs",
      "chat_template_kwargs has 65,544 bytes; at most 65,536 are allowed.");
  row("variables to count", "/v1/tokenize", variables, "chat_template_kwargs", "at most 65,536");
  const std::string tool = R"("tools": [{"type": "function", "function": {"name": "f",
      "description": ")" + std::string(2 << 20, 'x') +
                           R"("}}])";
  row("tools", kChat, chatBody(tool), "tools", "tools has 2,097,214 bytes");
  row("tools to count", "/v1/tokenize", chatBody(tool), "tools", "at most 2,097,152");
  const std::string half = R"("tools": [{"type": "function", "function": {"name": "f",
      "description": ")" + std::string(1 << 20, 'x') +
                           R"("}}])";
  row("tools of many answers", kChat, chatBody(half + R"(, "n": 64)"), "tools",
      "The tools of 64 answers have 67,112,832 bytes; at most 67,108,864 are allowed.");
  row("a schema", kChat,
      chatBody(R"("response_format": {"type": "json_schema", "json_schema": {"schema":
               {"description": ")" +
               large + R"("}}})"),
      "response_format.json_schema.schema", "The schema of the answer has 65,554 bytes");
  std::string messages = R"({"role": "user", "content": "a"})";
  std::string blocks = R"({"type": "text", "text": "a"})";
  const std::string message = messages, block = blocks;
  for (int i = 0; i < 20'000; ++i) {
    messages += "," + message;
    blocks += "," + block;
  }
  row("messages", kChat, R"({"messages": [)" + messages + "]}", "messages",
      "messages has 20,001 parts of messages; at most 20,000 are allowed.");
  row("items", "/v1/responses", R"({"input": [)" + messages + "]}", "input", "input has 20,001");
  row("blocks", "/v1/messages/count_tokens",
      R"({"messages": [{"role": "user", "content": [)" + blocks + "]}]}", "", "has 20,001");
}

void TestApiFailures::hugeParts_are400() {
  QFETCH(std::string, path);
  QFETCH(std::string, body);
  QFETCH(std::string, param);
  QFETCH(std::string, words);
  FakeApi api(128);
  const auto refused = api.post(path, body);
  QCOMPARE(refused->response.status, 400);
  const Json error = refused->json()["error"];
  if (!param.empty()) QCOMPARE(text(error["param"]), text(param));
  QVERIFY2(error["message"].get<std::string>().find(words) != std::string::npos,
           refused->response.body.c_str());
  QVERIFY(api.backend.asked.empty());
  QVERIFY(api.texts.opened.isEmpty() && api.texts.tokenized.isEmpty());
}

void TestApiFailures::disconnect_cancelsAllAnswers() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("n": 3, "stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "a");
  const size_t written = exchange->parts.size();
  exchange->close();
  for (const auto& asked : api.backend.asked) QVERIFY(asked.isCancelled);
  api.backend.say(0, "b");
  for (size_t i = 0; i < 3; ++i) api.backend.finish(i, FinishReason::kCancelled);
  QCOMPARE(exchange->parts.size(), written);
  QVERIFY(!exchange->isEnded);
  QCOMPARE(api.service.numRequests(), 0);
}

void TestApiFailures::disconnectWhileLoading_submitsNothing() {
  FakeApi api;
  const auto exchange = std::make_shared<FakeExchange>("POST", kChat, chatBody());
  api.service.handle(exchange);
  exchange->close();
  api.texts.flush();
  QVERIFY(api.backend.asked.empty());
  QCOMPARE(api.service.numRequests(), 0);
}

void TestApiFailures::failure_cancelsTheOtherAnswers() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("n": 2)"));
  api.backend.fail(1, ErrorCode::kDevice, "The device is lost.");
  QCOMPARE(exchange->response.status, 503);
  QVERIFY(api.backend.asked[0].isCancelled);
  api.backend.finish(0, FinishReason::kCancelled);
  QCOMPARE(exchange->numResponses, 1);
}

QTEST_APPLESS_MAIN(TestApiFailures)
#include "tst_api_failures.moc"
