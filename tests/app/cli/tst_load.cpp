#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/load/answer_reader.h"
#include "app/cli/load/endpoint_url.h"
#include "app/cli/load/load_plan.h"
#include "app/cli/load/load_report.h"

using namespace quire;
using Json = nlohmann::ordered_json;

/// The load generator's parts: addresses, answers in pieces, plans and figures.
class TestLoad : public QObject {
  Q_OBJECT

 private slots:
  void url_isRead_data();
  void url_isRead();
  void events_areCutWhereverPiecesEnd();
  void events_haveALimit();
  void answer_isRead_data();
  void answer_isRead();
  void models_firstIsRead();
  void tokenCount_isRead();
  void plan_isTheSameForASeed();
  void plan_sharesItsPrefix();
  void plan_leavesRoomForTheOverhead();
  void plan_lengthsAndTimesHaveTheirMeans();
  void plan_bodyHasWhatWasAskedFor();
  void serviceLevels_areRead_data();
  void serviceLevels_areRead();
  void report_hasVllmsFigures();
  void report_countsGoodRequests();
  void report_ofNothingIsNull();
};

void TestLoad::url_isRead_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("expected");  // Empty: an error.
  QTest::newRow("host and port") << "http://127.0.0.1:8000"
                                 << "127.0.0.1|8000|/v1|127.0.0.1:8000";
  QTest::newRow("path") << "http://host:1/a/v1/"
                        << "host|1|/a/v1|host:1";
  QTest::newRow("bare") << "localhost"
                        << "localhost|80|/v1|localhost:80";
  QTest::newRow("slash") << "localhost:9/"
                         << "localhost|9|/v1|localhost:9";
  QTest::newRow("IPv6") << "http://[::1]:8080/v1"
                        << "::1|8080|/v1|[::1]:8080";
  for (const char* bad : {"", "http://", "https://host", "ftp://host/x y", "host:0", "host:70000",
                          "host:8o", "host:", "http://[::1", "http://a b", "http://h/\r\nX: y",
                          "http://h/?q", "user@host", "[::1]x"}) {
    QTest::newRow(bad) << bad << "";
  }
}

void TestLoad::url_isRead() {
  QFETCH(QString, text);
  QFETCH(QString, expected);
  const auto url = parse_endpoint_url(text.toStdString());
  QCOMPARE(url.has_value(), !expected.isEmpty());
  if (!url) return;
  const std::string read = url->host + "|" + url->port + "|" + url->base + "|" + url->authority();
  QCOMPARE(QString::fromStdString(read), expected);
}

void TestLoad::events_areCutWhereverPiecesEnd() {
  const std::string stream =
      ": comment\r\n\r\ndata: {\"a\":1}\n\nevent: x\ndata:two\r\ndata:  lines\r\n\r\n\n\ndata: "
      "[DONE]\n\ndata: cut off";
  const std::vector<std::string> expected = {"{\"a\":1}", "two\n lines", "[DONE]"};
  for (size_t size = 1; size <= stream.size(); ++size) {
    EventCutter cutter;
    std::vector<std::string> events;
    for (size_t at = 0; at < stream.size(); at += size) {
      const auto found = cutter.push(std::string_view(stream).substr(at, size));
      QVERIFY(found.has_value());
      events.insert(events.end(), found->begin(), found->end());
    }
    QCOMPARE(events, expected);
  }
}

void TestLoad::events_haveALimit() {
  EventCutter cutter;
  bool failed = false;
  for (int i = 0; i < 100 && !failed; ++i) {
    failed = !cutter.push("data: " + std::string(100'000, 'x') + "\n").has_value();
  }
  QVERIFY(failed);
  EventCutter endless;
  QVERIFY(!endless.push(std::string((1 << 20) + 1, 'x')).has_value());
}

void TestLoad::answer_isRead_data() {
  QTest::addColumn<QByteArray>("json");
  QTest::addColumn<QString>("expected");  // "text prompt output error"; empty: not an answer.
  const auto row = [](const char* name, const char* json, const char* expected) {
    QTest::newRow(name) << QByteArray(json) << expected;
  };
  row("completion", R"({"choices":[{"text":"a"}]})", "1 -1 -1 ");
  row("no text", R"({"choices":[{"text":""}]})", "0 -1 -1 ");
  row("role", R"({"choices":[{"delta":{"role":"assistant","content":""}}]})", "0 -1 -1 ");
  row("chat", R"({"choices":[{"delta":{"content":"a"}}],"usage":null})", "1 -1 -1 ");
  row("reasoning", R"({"choices":[{"delta":{"reasoning_content":"a"}}]})", "1 -1 -1 ");
  row("tool call", R"({"choices":[{"delta":{"tool_calls":[{"index":0}]}}]})", "1 -1 -1 ");
  row("whole", R"({"choices":[{"message":{"content":"a"}}],
      "usage":{"prompt_tokens":3,"completion_tokens":4}})",
      "1 3 4 ");
  row("usage alone", R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}})",
      "0 3 4 ");
  row("odd counts", R"({"usage":{"prompt_tokens":-3,"completion_tokens":1e30}})", "0 -1 -1 ");
  row("wrong types", R"({"choices":{"text":1},"usage":[]})", "0 -1 -1 ");
  row("error", R"({"error":{"message":"too\nmany"}})", "0 -1 -1 too<U+000A>many");
  row("plain error", R"({"error":"no"})", "0 -1 -1 no");
  row("no object", "[1]", "");
  row("no JSON", "{\"a\":", "");
}

void TestLoad::answer_isRead() {
  QFETCH(QByteArray, json);
  QFETCH(QString, expected);
  const auto piece = read_answer_piece(json.toStdString());
  QCOMPARE(piece.has_value(), !expected.isEmpty());
  if (!piece) return;
  const std::string read = std::to_string(piece->has_text) + " " +
                           std::to_string(piece->prompt_tokens) + " " +
                           std::to_string(piece->output_tokens) + " " + piece->error;
  QCOMPARE(QString::fromStdString(read), expected);
}

void TestLoad::models_firstIsRead() {
  QCOMPARE(*first_model(R"({"data":[{"id":"a"},{"id":"b"}]})"), std::string("a"));
  for (const char* bad :
       {R"({"data":[]})", R"({"data":[{}]})", R"({"data":[{"id":1}]})", "[]", "x"}) {
    QVERIFY2(!first_model(bad).has_value(), bad);
  }
  const auto named = [](size_t length) {
    return first_model(R"({"data":[{"id":")" + std::string(length, 'm') + R"("}]})");
  };
  QVERIFY(named(1024).has_value());
  QVERIFY(!named(1025).has_value());
}

void TestLoad::tokenCount_isRead() {
  QCOMPARE(token_count(R"({"count":3,"tokens":[1,2,3]})"), 3);
  for (const char* bad : {R"({"count":-3})", R"({"count":"3"})", R"({"tokens":[1]})", "[3]", "x"}) {
    QCOMPARE(token_count(bad), -1);
  }
}

void TestLoad::plan_isTheSameForASeed() {
  TrafficOptions options{.num_requests = 5, .rate = 2.0, .length_spread = 0.5};
  const auto plan = plan_load(options, nullptr);
  const auto again = plan_load(options, nullptr);
  options.seed = 1;
  const auto other = plan_load(options, nullptr);
  for (size_t i = 0; i < plan.size(); ++i) {
    QCOMPARE(plan[i].body, again[i].body);
    QCOMPARE(plan[i].at_s, again[i].at_s);
    QVERIFY(plan[i].body != other[i].body);
  }
}

void TestLoad::plan_sharesItsPrefix() {
  const auto plan =
      plan_load({.num_requests = 3, .prompt_tokens = 30, .shared_prefix = 20}, nullptr);
  std::vector<std::vector<std::string>> words;
  for (const PlannedRequest& request : plan) {
    const QString prompt =
        QString::fromStdString(Json::parse(request.body)["prompt"].get<std::string>());
    std::vector<std::string> list;
    for (const QString& word : prompt.split(' ')) list.push_back(word.toStdString());
    QCOMPARE(list.size(), size_t{30});
    words.push_back(std::move(list));
  }
  for (size_t i = 1; i < words.size(); ++i) {
    QVERIFY(std::equal(words[0].begin(), words[0].begin() + 20, words[i].begin()));
    QVERIFY(!std::equal(words[0].begin() + 20, words[0].end(), words[i].begin() + 20));
  }
}

void TestLoad::plan_leavesRoomForTheOverhead() {
  const auto prompt = [](int tokens, int prefix) {
    const auto plan = plan_load({.num_requests = 1,
                                 .prompt_tokens = tokens,
                                 .shared_prefix = prefix,
                                 .words = {"a"},
                                 .overhead_tokens = 3},
                                nullptr);
    return Json::parse(plan.front().body)["prompt"].get<std::string>();
  };
  QCOMPARE(prompt(5, 0), std::string("a a"));
  QCOMPARE(prompt(7, 5), std::string("a a a a"));
  QCOMPARE(prompt(2, 1), std::string("a"));
}

void TestLoad::plan_lengthsAndTimesHaveTheirMeans() {
  const int count = 4000;
  const auto plan = plan_load({.num_requests = count,
                               .rate = 8.0,
                               .prompt_tokens = 100,
                               .generate_tokens = 50,
                               .length_spread = 0.6},
                              nullptr);
  double prompts = 0.0, answers = 0.0;
  int shortest = 1000;
  for (const PlannedRequest& request : plan) {
    prompts += request.prompt_tokens;
    answers += request.max_tokens;
    shortest = std::min(shortest, request.prompt_tokens);
  }
  // Four standard errors: a log-normal's deviation is mean * sqrt(exp(sigma^2) - 1) = 0.66 mean.
  QVERIFY(std::abs(prompts / count - 100.0) < 4 * 66.0 / std::sqrt(count) + 1);
  QVERIFY(std::abs(answers / count - 50.0) < 4 * 33.0 / std::sqrt(count) + 1);
  QVERIFY(shortest < 40);
  QCOMPARE(plan.front().at_s, 0.0);
  QVERIFY(std::abs(plan.back().at_s - count / 8.0) < 4 * std::sqrt(count) / 8.0);
  const auto fixed = plan_load({.num_requests = 2, .prompt_tokens = 7}, nullptr);
  QCOMPARE(fixed[1].prompt_tokens, 7);
  QCOMPARE(fixed[1].at_s, 0.0);
}

void TestLoad::plan_bodyHasWhatWasAskedFor() {
  const auto body = [](const TrafficOptions& options) {
    return Json::parse(plan_load(options, nullptr).front().body);
  };
  TrafficOptions options{.model = "m", .num_requests = 1, .generate_tokens = 9};
  QCOMPARE(body(options)["max_tokens"], 9);
  QCOMPARE(body(options)["stream_options"]["include_usage"], true);
  QVERIFY(!body(options).contains("ignore_eos"));
  options.chat = true;
  options.streams = false;
  options.ignores_eos = true;
  QCOMPARE(body(options)["messages"][0]["role"], "user");
  QVERIFY(!body(options).contains("stream"));
  QCOMPARE(body(options)["ignore_eos"], true);
  QVERIFY(!body(options).contains("logit_bias"));
  options.forbidden = {2, 6};
  QCOMPARE(body(options)["logit_bias"].dump(), R"({"2":-100,"6":-100})");
}

void TestLoad::serviceLevels_areRead_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("valid");
  QTest::newRow("all") << "ttft:200,tpot:50.5,e2el:1e3" << true;
  QTest::newRow("one") << "tpot:1" << true;
  for (const char* bad : {"ttft", "ttft:", "ttft:x", "ttft:-1", "ttft:0", "ttft:inf", "ttft:nan",
                          "itl:5", "ttft:1;tpot:2", "ttft:1,,tpot:2"}) {
    QTest::newRow(bad) << bad << false;
  }
}

void TestLoad::serviceLevels_areRead() {
  QFETCH(QString, text);
  QFETCH(bool, valid);
  QCOMPARE(parse_service_levels(text.toStdString()).has_value(), valid);
}

namespace {

/// Three requests: 0.5 s and 3 tokens, 1 s and 2 tokens, and one that failed.
std::vector<RequestRecord> three_records() {
  RequestRecord first{.sent_s = 0.0, .ended_s = 0.5, .pieces_s = {0.1, 0.2, 0.5}};
  first.prompt_tokens = 10;
  first.output_tokens = 3;
  RequestRecord second{.sent_s = 1.0, .ended_s = 2.0, .pieces_s = {1.4, 2.0}};
  second.prompt_tokens = 20;
  second.output_tokens = 2;
  RequestRecord failed{.sent_s = 1.0, .ended_s = 4.0, .pieces_s = {}};
  failed.error = "status 429: too many";
  failed.output_tokens = 99;
  return {first, second, failed};
}

bool is_near(const Json& value, double expected) {
  return std::abs(value.get<double>() - expected) < 1e-6 * std::max(1.0, std::abs(expected));
}

}  // namespace

void TestLoad::report_hasVllmsFigures() {
  const Json report = load_report(three_records(), {.model = "m", .rate = 2.0}, {});
  QCOMPARE(report["answered"], 2);
  QCOMPARE(report["failed"], 1);
  QCOMPARE(report["prompt_tokens"], 30);
  QCOMPARE(report["output_tokens"], 5);
  QVERIFY(is_near(report["seconds"], 4.0));
  QVERIFY(is_near(report["requests_per_s"], 0.5));
  QVERIFY(is_near(report["output_tokens_per_s"], 1.25));
  QVERIFY(is_near(report["total_tokens_per_s"], 8.75));
  QVERIFY(is_near(report["ttft_ms"]["mean"], 250.0));
  QVERIFY(is_near(report["ttft_ms"]["p50"], 100.0));
  QVERIFY(is_near(report["ttft_ms"]["p99"], 400.0));
  QVERIFY(is_near(report["tpot_ms"]["mean"], (200.0 + 600.0) / 2));
  QVERIFY(is_near(report["itl_ms"]["mean"], (100.0 + 300.0 + 600.0) / 3));
  QVERIFY(is_near(report["e2el_ms"]["p99"], 1000.0));
  QCOMPARE(report["errors"]["status 429: too many"], 1);
  QVERIFY(!report.contains("goodput"));
  const std::string text = load_text(report);
  QVERIFY(text.find("TTFT") != text.npos && text.find("1 failed: status 429") != text.npos);
}

void TestLoad::report_countsGoodRequests() {
  const auto good = [](const ServiceLevels& levels) {
    return load_report(three_records(), {}, levels)["goodput"]["requests"].get<int>();
  };
  QCOMPARE(good({.ttft_ms = 500.0}), 2);
  QCOMPARE(good({.ttft_ms = 150.0}), 1);
  QCOMPARE(good({.ttft_ms = 50.0}), 0);
  QCOMPARE(good({.tpot_ms = 300.0}), 1);
  QCOMPARE(good({.ttft_ms = 500.0, .e2el_ms = 600.0}), 1);
}

void TestLoad::report_ofNothingIsNull() {
  const Json report = load_report({}, {.streams = false}, {});
  QCOMPARE(report["answered"], 0);
  QVERIFY(report["ttft_ms"].is_null() && report["e2el_ms"].is_null());
  QVERIFY(!load_text(report).empty());
}

QTEST_APPLESS_MAIN(TestLoad)
#include "tst_load.moc"
