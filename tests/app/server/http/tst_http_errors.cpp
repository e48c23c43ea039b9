#include <chrono>

#include "app/server/http/held_connections.h"

#include "tests/app/server/http/sample_server.h"

using namespace quire;

/// What is answered to requests that no handler sees.
class TestHttpErrors : public QObject {
  Q_OBJECT

 private slots:
  void refusal_mayBeHeldBack();
  void heldBack_keepNobodyOut();
  void error_hasTheShapeOfThePathsApi_data();
  void error_hasTheShapeOfThePathsApi();
};

void TestHttpErrors::refusal_mayBeHeldBack() {
  constexpr std::chrono::milliseconds kDelay{300};
  HttpServerOptions options;
  options.gate = [&](const HttpRequest& request) -> HttpVerdict {
    return {.answer = error_response(401, "No.", request.path), .delay = kDelay};
  };
  SampleServer server(options);
  const auto begun = std::chrono::steady_clock::now();
  RawClient client = server.connect();
  client.send(get_request("/x") + get_request("/y"));
  QCOMPARE(client.read_response().status, 401);
  QVERIFY(std::chrono::steady_clock::now() - begun >= kDelay);
  QVERIFY(client.is_closed_within(RawClient::kLong));  // "/y" is not even looked at.
  // A client that leaves meanwhile is not waited for.
  RawClient gone = server.connect();
  gone.send(get_request("/z"));
  gone.close();
  QCOMPARE(server.wait_for_records(2).size(), size_t{2});
}

/// Many wrong keys take no place of other connections, and only few of them may be tried at once.
void TestHttpErrors::heldBack_keepNobodyOut() {
  HttpServerOptions options;
  options.limits.max_connections = HeldConnections::kMostOfAddress + 1;
  options.limits.linger_time = std::chrono::hours(1);
  options.gate = [&](const HttpRequest& request) -> HttpVerdict {
    if (request.field("x-api-key") == "right") return {};
    return {.answer = error_response(401, "No.", request.path), .delay = std::chrono::seconds(5)};
  };
  SampleServer server(options);
  const std::string right = get_request("/x", "x-api-key: right\r\n");
  RawClient known = server.connect();
  known.send(right);
  QCOMPARE(known.read_response().status, 200);
  std::vector<RawClient> wrong;
  for (int i = 0; i < HeldConnections::kMostOfAddress; ++i) {
    wrong.push_back(server.connect());
  }
  QTRY_COMPARE(server.server().num_connections(), options.limits.max_connections);
  for (const RawClient& one : wrong) one.send(get_request("/x"));
  QTRY_COMPARE(server.server().num_connections(), 1);
  // The next is answered at once, whatever its key is; who has had a right one goes on.
  RawClient next = server.connect();
  next.send(right);
  const RawResponse refused = next.read_response();
  QCOMPARE(refused.status, 429);
  QVERIFY(refused.has_field("Retry-After: 1"));
  next.close();
  known.send(right);
  QCOMPARE(known.read_response().status, 200);
  // After the delay the address is served again, although nobody closes a connection.
  QCOMPARE(wrong[0].read_response(std::chrono::seconds(10)).status, 401);
  RawClient later = server.connect();
  later.send(right);
  QCOMPARE(later.read_response().status, 200);
}

void TestHttpErrors::error_hasTheShapeOfThePathsApi_data() {
  QTest::addColumn<std::string>("request");
  QTest::addColumn<int>("status");
  QTest::addColumn<std::string>("begin");
  const std::string anthropic = R"({"type":"error","error":{"type":")";
  const auto post = [](const std::string& path, const std::string& fields) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
  };
  const std::string large = "Content-Length: 99999999999\r\n";
  QTest::newRow("413 of OpenAI") << post("/v1/completions", large) << 413
                                 << std::string(R"({"error":{"message":"The request's body has )");
  QTest::newRow("413 of Anthropic")
      << post("/v1/messages", large) << 413 << anthropic + R"(request_too_large","message":")";
  QTest::newRow("413 of Ollama") << post("/api/chat", large) << 413
                                 << std::string(R"({"error":"The request's body has )");
  QTest::newRow("431 of Anthropic")
      << post("/v1/messages", "X: " + std::string(20'000, 'x') + "\r\n") << 431
      << anthropic + R"(invalid_request_error","message":")";
  QTest::newRow("400 of Ollama") << post("/api/chat", "Content-Length: x\r\n") << 400
                                 << std::string(R"({"error":")");
  QTest::newRow("500 of OpenAI") << get_request("/throw") << 500
                                 << std::string(R"({"error":{"message":")");
}

void TestHttpErrors::error_hasTheShapeOfThePathsApi() {
  QFETCH(std::string, request);
  QFETCH(std::string, begin);
  SampleServer server;
  RawClient client = server.connect();
  client.send(request);
  const RawResponse response = client.read_response();
  QTEST(response.status, "status");
  QVERIFY2(response.body.starts_with(begin), response.body.c_str());
  QVERIFY(response.has_field("Content-Type: application/json"));
}

QTEST_APPLESS_MAIN(TestHttpErrors)
#include "tst_http_errors.moc"
