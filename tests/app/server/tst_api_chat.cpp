#include <QtTest>

#include "engine/model_loader.h"
#include "tests/app/server/api_fakes.h"
#include "tests/support/bundled_model.h"

using namespace quire;
using Json = nlohmann::ordered_json;

/// Chats and completions from the request to the response, with a backend that the test drives.
class TestApiChat : public QObject {
  Q_OBJECT

 private slots:
  void chat_answersAsOneObject();
  void chat_streams();
  void chat_streamsUsageIfAsked();
  void reasoning_isSeparated();
  void reasoning_isStreamed();
  void reasoning_mayBeOpenedByThePrompt_data();
  void reasoning_mayBeOpenedByThePrompt();
  void severalAnswers_haveTheirOwnSeeds();
  void openSampling_isTheModels();
  void bestOf_keepsTheLikeliest();
  void logprobs_ofChats();
  void logprobs_ofCompletions();
  void logprobsOfWholeAnswers_areLimited();
  void logprobsOfShortAnswers_areLimitedBefore();
  void logprobsOfAllRequests_areLimited();
  void completion_ofSeveralPrompts();
  void echo_beginsEachAnswer();
  void echo_isNotWrittenBeforeAnError();
  void minTokens_mayNotExceedTheAnswer();
  void finishReasons_data();
  void finishReasons();
};

void TestApiChat::chat_answersAsOneObject() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody());
  QCOMPARE(api.texts.opened, QStringList{"/models/mini.gguf"});
  QCOMPARE(api.backend.asked.size(), size_t{1});
  QCOMPARE(api.backend.asked[0].request.modelPath, QString("/models/mini.gguf"));
  QCOMPARE(api.backend.asked[0].request.sampling.max_tokens, 4096);
  QCOMPARE(api.service.numRequests(), 1);
  api.backend.start(0);
  api.backend.say(0, "Hel");
  QCOMPARE(exchange->numResponses, 0);
  api.backend.say(0, "lo");
  api.backend.finish(0);
  QCOMPARE(exchange->response.status, 200);
  const Json json = exchange->json();
  QCOMPARE(text(json["object"]), text("chat.completion"));
  QCOMPARE(text(json["model"]), text("mini"));
  QVERIFY(json["id"].get<std::string>().starts_with("chatcmpl-"));
  const Json& choice = json["choices"][0];
  QCOMPARE(text(choice["message"]["role"]), text("assistant"));
  QCOMPARE(text(choice["message"]["content"]), text("Hello"));
  QCOMPARE(text(choice["finish_reason"]), text("stop"));
  QVERIFY(choice["logprobs"].is_null());
  QCOMPARE(text(json["usage"]["prompt_tokens"]), text(10));
  QCOMPARE(text(json["usage"]["completion_tokens"]), text(3));
  QCOMPARE(text(json["usage"]["total_tokens"]), text(13));
  QCOMPARE(text(json["usage"]["prompt_tokens_details"]["cached_tokens"]), text(4));
  QCOMPARE(api.service.numRequests(), 0);
}

void TestApiChat::chat_streams() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("stream": true)"));
  QCOMPARE(exchange->numResponses, 0);
  api.backend.start(0);
  api.backend.say(0, "Hel");
  api.backend.say(0, "lo");
  QVERIFY(!exchange->isEnded);
  api.backend.finish(0);
  QVERIFY(exchange->isEnded);
  QVERIFY(exchange->header("Content-Type").starts_with("text/event-stream"));
  const auto events = exchange->events();
  QCOMPARE(events.size(), size_t{5});
  QCOMPARE(text(parsedJson(events[0])["choices"][0]["delta"]["role"]), text("assistant"));
  QCOMPARE(text(parsedJson(events[0])["object"]), text("chat.completion.chunk"));
  QCOMPARE(text(parsedJson(events[1])["choices"][0]["delta"]["content"]), text("Hel"));
  QVERIFY(parsedJson(events[1])["choices"][0]["finish_reason"].is_null());
  QVERIFY(!parsedJson(events[1]).contains("usage"));
  QCOMPARE(text(parsedJson(events[2])["choices"][0]["delta"]["content"]), text("lo"));
  QCOMPARE(text(parsedJson(events[3])["choices"][0]["finish_reason"]), text("stop"));
  QCOMPARE(text(parsedJson(events[3])["id"]), text(parsedJson(events[0])["id"]));
  QCOMPARE(events[4], std::string("[DONE]"));
}

void TestApiChat::chat_streamsUsageIfAsked() {
  FakeApi api;
  const auto exchange =
      api.post(kChat, chatBody(R"("stream": true, "stream_options": {"include_usage": true})"));
  api.backend.start(0);
  api.backend.finish(0);
  const auto events = exchange->events();
  QCOMPARE(events.size(), size_t{4});
  QVERIFY(parsedJson(events[1])["usage"].is_null());
  QCOMPARE(text(parsedJson(events[2])["usage"]["prompt_tokens"]), text(10));
  QVERIFY(parsedJson(events[2])["choices"].empty());
}

void TestApiChat::reasoning_isSeparated() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody());
  api.backend.start(0);
  for (const char* piece : {"<th", "ink>I th", "ink.</thi", "nk>\n\n", "Yes", " <think> no"}) {
    api.backend.say(0, piece);
  }
  api.backend.finish(0);
  const Json message = exchange->json()["choices"][0]["message"];
  QCOMPARE(text(message["reasoning_content"]), text("I think."));
  QCOMPARE(text(message["content"]), text("Yes <think> no"));
}

void TestApiChat::reasoning_isStreamed() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("stream": true)"));
  api.backend.start(0);
  api.backend.say(0, "<think>A");
  api.backend.say(0, "</think>");
  api.backend.say(0, "B");
  api.backend.finish(0);
  const auto events = exchange->events();
  QCOMPARE(text(parsedJson(events[1])["choices"][0]["delta"]),
           text((Json{{"reasoning_content", "A"}})));
  QCOMPARE(text(parsedJson(events[2])["choices"][0]["delta"]), text((Json{{"content", "B"}})));
}

void TestApiChat::reasoning_mayBeOpenedByThePrompt_data() {
  QTest::addColumn<QString>("end");
  QTest::addColumn<QString>("fields");
  QTest::addColumn<bool>("isOpened");
  QTest::newRow("opened") << "<think>\n"
                          << "" << true;
  QTest::newRow("not opened") << ""
                              << "" << false;
  QTest::newRow("closed again") << "<think>\n\n</think>\n"
                                << "" << false;
  QTest::newRow("switched off") << "{{ '<think>' if enable_thinking }}"
                                << R"("chat_template_kwargs": {"enable_thinking": false})" << false;
  QTest::newRow("switched on") << "{{ '<think>' if enable_thinking }}"
                               << R"("chat_template_kwargs": {"enable_thinking": true})" << true;
}

void TestApiChat::reasoning_mayBeOpenedByThePrompt() {
  QFETCH(QString, end);
  QFETCH(QString, fields);
  QFETCH(bool, isOpened);
  auto tokenizer = load_model_tokenizer(bundled_model_folder());
  if (!tokenizer) QSKIP("The bundled model is not there.");
  const std::string source =
      "{% for m in messages %}{{ m.content }}{% endfor %}"
      "{% if add_generation_prompt %}assistant:" +
      end.toStdString() + "{% endif %}";
  auto compiled = ChatTemplate::compile(source);
  QVERIFY2(compiled.has_value(), compiled ? "" : compiled.error().message.c_str());
  FakeApi api;
  api.texts.model.chat = std::make_shared<ChatFormat>(
      ChatFormat{.tokenizer = std::move(*tokenizer), .chat_template = std::move(*compiled)});
  const auto exchange = api.post(kChat, chatBody(fields.toStdString()));
  api.backend.start(0);
  api.backend.say(0, "Well.</think>Yes");
  api.backend.finish(0);
  const Json message = exchange->json()["choices"][0]["message"];
  QCOMPARE(text(message["content"]), text(isOpened ? "Yes" : "Well.</think>Yes"));
  QCOMPARE(message.contains("reasoning_content"), isOpened);
}

void TestApiChat::severalAnswers_haveTheirOwnSeeds() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("n": 2, "seed": 40)"));
  QCOMPARE(api.backend.asked.size(), size_t{2});
  QCOMPARE(api.backend.asked[0].request.sampling.seed, uint64_t{40});
  QCOMPARE(api.backend.asked[1].request.sampling.seed, uint64_t{41});
  api.backend.start(1);
  api.backend.say(1, "two");
  api.backend.finish(1);
  QCOMPARE(exchange->numResponses, 0);
  api.backend.start(0);
  api.backend.say(0, "one");
  api.backend.finish(0);
  const Json json = exchange->json();
  QCOMPARE(text(json["choices"][0]["message"]["content"]), text("one"));
  QCOMPARE(text(json["choices"][1]["message"]["content"]), text("two"));
  QCOMPARE(text(json["choices"][1]["index"]), text(1));
  // The prompt counts once.
  QCOMPARE(text(json["usage"]["prompt_tokens"]), text(10));
  QCOMPARE(text(json["usage"]["completion_tokens"]), text(6));
  // Without a seed, each request has another one.
  static_cast<void>(api.post(kChat, chatBody()));
  static_cast<void>(api.post(kChat, chatBody()));
  QVERIFY(api.backend.asked[2].request.sampling.seed != api.backend.asked[3].request.sampling.seed);
}

void TestApiChat::openSampling_isTheModels() {
  FakeApi api;
  api.texts.model.sampling = {.temperature = 0.625, .topP = 0.75, .topK = 20};
  static_cast<void>(api.post(kChat, chatBody()));
  const SamplingParams usual = api.backend.asked[0].request.sampling;
  QCOMPARE(usual.temperature, 0.625f);
  QCOMPARE(usual.top_p, 0.75f);
  QCOMPARE(usual.top_k, 20);
  static_cast<void>(api.post(kChat, chatBody(R"("temperature": 0, "top_p": 1, "top_k": 0)")));
  const SamplingParams own = api.backend.asked[1].request.sampling;
  QCOMPARE(own.temperature, 0.0f);
  QCOMPARE(own.top_p, 1.0f);
  QCOMPARE(own.top_k, 0);
}

void TestApiChat::bestOf_keepsTheLikeliest() {
  FakeApi api;
  const auto exchange = api.post("/v1/completions", R"({"prompt": "a", "n": 2, "best_of": 3})");
  QCOMPARE(api.backend.asked.size(), size_t{3});
  const float logprobs[] = {-2.0f, -0.5f, -1.0f};
  for (size_t i = 0; i < 3; ++i) {
    api.backend.start(i);
    api.backend.say(i, QString::number(i), logprobs[i]);
    api.backend.say(i, "!", logprobs[i]);
    api.backend.finish(i);
  }
  const Json json = exchange->json();
  QCOMPARE(json["choices"].size(), size_t{2});
  QCOMPARE(text(json["choices"][0]["text"]), text("1!"));
  QCOMPARE(text(json["choices"][1]["text"]), text("2!"));
  QVERIFY(json["choices"][0]["logprobs"].is_null());
}

void TestApiChat::logprobs_ofChats() {
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody(R"("logprobs": true, "top_logprobs": 2)"));
  api.backend.start(0);
  api.backend.say(0, QString::fromUtf8("é"), -0.25f);
  api.backend.finish(0);
  const Json token = exchange->json()["choices"][0]["logprobs"]["content"][0];
  QCOMPARE(text(token["token"]), text("é"));
  QCOMPARE(text(token["logprob"]), text(-0.25));
  QCOMPARE(text(token["bytes"]), text((Json{0xc3, 0xa9})));
  QCOMPARE(token["top_logprobs"].size(), size_t{2});
  QCOMPARE(text(token["top_logprobs"][1]["token"]), text("b"));
  QCOMPARE(text(token["top_logprobs"][1]["logprob"]), text(-2.0));
}

void TestApiChat::logprobs_ofCompletions() {
  FakeApi api;
  const auto exchange =
      api.post("/v1/completions", R"({"prompt": "a", "logprobs": 1, "stream": true})");
  api.backend.start(0);
  api.backend.say(0, QString::fromUtf8("aé"));
  api.backend.say(0, "b", -INFINITY);
  api.backend.finish(0);
  const auto events = exchange->events();
  const Json first = parsedJson(events[0])["choices"][0]["logprobs"];
  const Json second = parsedJson(events[1])["choices"][0]["logprobs"];
  QCOMPARE(text(first["tokens"]), text((Json{"aé"})));
  QCOMPARE(text(first["text_offset"]), text(Json::array({0})));
  QCOMPARE(text(second["text_offset"]), text(Json::array({2})));
  QCOMPARE(text(second["token_logprobs"]), text(Json::array({-9999.0})));
  QCOMPARE(text(first["top_logprobs"][0]), text((Json{{"a", -1.0}})));
}

void TestApiChat::logprobsOfWholeAnswers_areLimited() {
  constexpr int kTokens = 200'000 / 101 + 1;
  FakeApi api;
  const std::string fields = R"("logprobs": true, "top_logprobs": 100)";
  const auto whole = api.post(kChat, chatBody(fields + R"(, "n": 2)"));
  for (size_t i = 0; i < 2; ++i) api.backend.start(i);
  for (int i = 0; i < kTokens; ++i) {
    QCOMPARE(whole->numResponses, 0);
    api.backend.say(static_cast<size_t>(i % 2), "a");
  }
  QCOMPARE(whole->response.status, 400);
  QCOMPARE(text(whole->json()["error"]["param"]), text("top_logprobs"));
  QVERIFY(api.backend.asked[0].isCancelled && api.backend.asked[1].isCancelled);
  // A stream keeps none, and best_of returns none of those that it needs.
  const auto stream = api.post(kChat, chatBody(fields + R"(, "stream": true)"));
  api.backend.start(2);
  for (int i = 0; i < kTokens; ++i) api.backend.say(2, "a");
  api.backend.finish(2);
  QCOMPARE(stream->response.status, 200);
  QCOMPARE(stream->events().back(), std::string("[DONE]"));
  const auto best = api.post(kChat, chatBody(R"("best_of": 2)"));
  for (size_t i = 3; i < 5; ++i) api.backend.start(i);
  for (int i = 0; i < 200'001; ++i) api.backend.say(3, "a");
  for (size_t i = 3; i < 5; ++i) api.backend.finish(i);
  QCOMPARE(best->response.status, 200);
}

/// Too many are refused before they are computed.
void TestApiChat::logprobsOfShortAnswers_areLimitedBefore() {
  FakeApi api;
  const std::string fields = R"("logprobs": true, "top_logprobs": 100, "n": 2, "max_tokens": )";
  const auto refused = api.post(kChat, chatBody(fields + "991"));
  QCOMPARE(refused->response.status, 400);
  const Json error = refused->json()["error"];
  QCOMPARE(text(error["param"]), text("top_logprobs"));
  QCOMPARE(text(error["message"]), text("The answers may have more than 200,000 log probabilities; "
                                        "ask for fewer, or for shorter answers."));
  QVERIFY(api.backend.asked.empty());
  QCOMPARE(api.service.numRequests(), 0);
  QCOMPARE(api.post(kChat, chatBody(fields + "990"))->numResponses, 0);
  // A stream keeps none, and no answer is longer than the context, 4,096 tokens.
  QCOMPARE(api.post(kChat, chatBody(fields + R"(991, "stream": true)"))->response.status, 200);
  const auto one = api.post(kChat, chatBody(R"("logprobs": true, "max_tokens": 2147483647)"));
  QCOMPARE(one->numResponses, 0);
  QCOMPARE(api.backend.asked.size(), size_t{5});
}

void TestApiChat::logprobsOfAllRequests_areLimited() {
  constexpr size_t kRequests = (128 << 20) / 128 / 200'000;
  constexpr int kTokens = 200'000 / 101;
  FakeApi api;
  const std::string body = chatBody(R"("logprobs": true, "top_logprobs": 100)");
  std::vector<std::shared_ptr<FakeExchange>> exchanges;
  for (size_t i = 0; i <= kRequests; ++i) {
    exchanges.push_back(api.post(kChat, body));
    api.backend.start(i);
    for (int token = 0; token < kTokens; ++token) api.backend.say(i, "a");
  }
  for (size_t i = 0; i < kRequests; ++i) QCOMPARE(exchanges[i]->numResponses, 0);
  QCOMPARE(exchanges.back()->response.status, 429);
  QCOMPARE(exchanges.back()->header("Retry-After"), std::string("1"));
  // They are not kept longer than their request.
  for (size_t i = 0; i < kRequests; ++i) exchanges[i]->close();
  api.backend.asked.clear();
  const auto next = api.post(kChat, body);
  api.backend.start(0);
  for (int token = 0; token < kTokens; ++token) api.backend.say(0, "a");
  QCOMPARE(next->numResponses, 0);
}

void TestApiChat::completion_ofSeveralPrompts() {
  FakeApi api;
  const auto exchange = api.post("/v1/completions", R"({"prompt": ["a", "b"], "n": 2, "seed": 5})");
  QCOMPARE(api.backend.asked.size(), size_t{4});
  for (size_t i = 0; i < 4; ++i) {
    const ChatRequest& request = api.backend.asked[i].request;
    QCOMPARE(request.rawPrompt->text, QString(i < 2 ? "a" : "b"));
    QCOMPARE(request.sampling.seed, uint64_t{5 + i % 2});
    QCOMPARE(request.sampling.max_tokens, 16);
    api.backend.start(i);
    api.backend.say(i, "<think>" + QString::number(i));
    api.backend.finish(i);
  }
  const Json json = exchange->json();
  QCOMPARE(text(json["object"]), text("text_completion"));
  for (size_t i = 0; i < 4; ++i) {
    QCOMPARE(text(json["choices"][i]["index"]), text(i));
    QCOMPARE(text(json["choices"][i]["text"]), text("<think>" + std::to_string(i)));
  }
  QCOMPARE(text(json["usage"]["prompt_tokens"]), text(20));
}

void TestApiChat::echo_beginsEachAnswer() {
  FakeApi api;
  const std::string body = R"({"prompt": ["a", "b"], "echo": true, "n": 2)";
  for (const char* const more : {"}", R"(, "stream": true})", R"(, "best_of": 3})"}) {
    const size_t first = api.backend.asked.size();
    const auto exchange = api.post("/v1/completions", body + more);
    const size_t perPrompt = (api.backend.asked.size() - first) / 2;
    for (size_t i = first; i < api.backend.asked.size(); ++i) {
      api.backend.start(i);
      if ((i - first) % 2 == 0) api.backend.say(i, " x");  // The others end at once.
      api.backend.say(i, "");
      api.backend.finish(i);
    }
    std::vector<std::string> texts(4);
    if (exchange->parts.empty()) {
      for (size_t i = 0; i < 4; ++i) texts[i] = exchange->json()["choices"][i]["text"];
    } else {
      for (const std::string& event : exchange->events()) {
        const Json json = parsedJson(event);
        if (!json.is_object()) continue;
        const Json& choice = json["choices"][0];
        texts[choice["index"].get<size_t>()] += choice["text"].get<std::string>();
      }
    }
    for (size_t i = 0; i < 4; ++i) {
      QVERIFY2(texts[i].starts_with(i < 2 ? "a" : "b"), (more + texts[i]).c_str());
      if (perPrompt == 2) QCOMPARE(text(texts[i].substr(1)), text(i % 2 == 0 ? " x" : ""));
    }
  }
}

void TestApiChat::echo_isNotWrittenBeforeAnError() {
  FakeApi api;
  const auto exchange =
      api.post("/v1/completions", R"({"prompt": [1, 2], "echo": true, "stream": true})");
  api.backend.fail(0, ErrorCode::kContextOverflow, "It does not fit.");
  QVERIFY(exchange->parts.empty());
  QCOMPARE(exchange->response.status, 400);
}

void TestApiChat::minTokens_mayNotExceedTheAnswer() {
  FakeApi api;
  const auto refused =
      api.post("/v1/completions", R"({"prompt": "a", "max_tokens": 4, "min_tokens": 5})");
  QCOMPARE(refused->response.status, 400);
  QVERIFY(api.backend.asked.empty());
  static_cast<void>(api.post(kChat, chatBody(R"("min_tokens": 500)")));
  QCOMPARE(api.backend.asked.size(), size_t{1});
  QCOMPARE(api.backend.asked[0].request.sampling.min_tokens, 500);
}

void TestApiChat::finishReasons_data() {
  QTest::addColumn<FinishReason>("finish");
  QTest::addColumn<QString>("written");
  QTest::newRow("end") << FinishReason::kEnd << "stop";
  QTest::newRow("stop") << FinishReason::kStop << "stop";
  QTest::newRow("length") << FinishReason::kLength << "length";
  QTest::newRow("context") << FinishReason::kContext << "length";
}

void TestApiChat::finishReasons() {
  QFETCH(FinishReason, finish);
  QFETCH(QString, written);
  FakeApi api;
  const auto exchange = api.post(kChat, chatBody());
  api.backend.start(0);
  api.backend.finish(0, finish);
  QCOMPARE(text(exchange->json()["choices"][0]["finish_reason"]), text(written.toStdString()));
}

QTEST_APPLESS_MAIN(TestApiChat)
#include "tst_api_chat.moc"
