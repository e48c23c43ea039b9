#include <QElapsedTimer>
#include <QtTest>

#include <thread>

#include "tests/app/server/http/raw_client.h"
#include "tests/app/server/http/sample_server.h"

using namespace quire;
using namespace std::chrono_literals;

class TestHttpServer : public QObject {
  Q_OBJECT

 private slots:
  void requests_areAnsweredOneAfterTheOther();
  void response_isFramed_data();
  void response_isFramed();
  void pipelining_keepsTheOrder();
  void continue_isSaidBeforeTheBody();
  void ambiguousRequest_endsTheConnection_data();
  void ambiguousRequest_endsTheConnection();
  void handlerThatFails_isAnswered();
  void droppedStream_isCut();
  void stream_comesFromAnyThread();
  void disconnect_isNoticed_data();
  void disconnect_isNoticed();
  void onClosed_isCalledOnceAndNotAfterTheEnd();
  void halfClosedClient_getsWhatIsReady();
  void halfRequest_isAnswered();
  void gate_answersBeforeTheBody();
  void refusedConnections_areClosed();
  void responseFields_cannotEndTheHeader();
  void serverEnd_closesEverything();
  void start_saysWhyItCannot();
  void finish_isAnsweredWithoutAnyConnection();
  void localhost_hasAllItsAddresses();
  void bothVersions_areServed();
  void records_tellWhatHappened();
};

void TestHttpServer::requests_areAnsweredOneAfterTheOther() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(post_request("/a%20b?c=d", "hello"));
  const RawResponse first = client.read_response();
  QCOMPARE(first.status, 200);
  QCOMPARE(first.body, std::string("POST /a b?c=d 5"));
  QVERIFY(first.has_field("Content-Length: 15"));
  QVERIFY(first.head.find("\r\nDate: ") != std::string::npos);
  QVERIFY(!first.has_field("Connection: close"));
  client.send(post_request("/e", "", "Transfer-Encoding: x\r\n").substr(0, 20));
  std::this_thread::sleep_for(20ms);  // The request arrives in two pieces.
  client.send(post_request("/e", "", "X: y\r\n").substr(20));
  QCOMPARE(client.read_response().body, std::string("POST /e? 0"));
  QCOMPARE(server.server().num_connections(), 1);
  client.close();
  QTRY_COMPARE(server.server().num_connections(), 0);
}

void TestHttpServer::response_isFramed_data() {
  QTest::addColumn<std::string>("request");
  QTest::addColumn<std::string>("field");  // Of the response.
  QTest::addColumn<std::string>("rest");   // Of the connection, behind the header.
  QTest::addColumn<bool>("closes");
  const auto row = [](const char* name, const std::string& request, const char* field,
                      const char* rest, bool closes) {
    QTest::newRow(name) << request << std::string(field) << std::string(rest) << closes;
  };
  const std::string close = "Connection: close\r\n";
  row("HEAD", "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n", "Content-Length: 10", "", false);
  row("HEAD of a stream", "HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n", "Transfer-Encoding: chunked",
      "", false);
  row("stream", get_request("/stream"), "Transfer-Encoding: chunked",
      "4\r\none,\r\n4\r\ntwo,\r\n5\r\nthree\r\n0\r\n\r\n", false);
  row("close", get_request("/x", close), "Connection: close", "GET /x? 0", true);
  row("stream and close", get_request("/stream", close), "Connection: close",
      "4\r\none,\r\n4\r\ntwo,\r\n5\r\nthree\r\n0\r\n\r\n", true);
  row("HTTP/1.0", "GET /x HTTP/1.0\r\n\r\n", "Connection: close", "GET /x? 0", true);
  row("HTTP/1.0 and more", "GET /x HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
      "Connection: keep-alive", "GET /x? 0", false);
  row("HTTP/1.0 stream", "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "Connection: close", "one,two,three", true);
}

void TestHttpServer::response_isFramed() {
  QFETCH(std::string, request);
  QFETCH(std::string, field);
  QFETCH(std::string, rest);
  QFETCH(bool, closes);
  SampleServer server;
  RawClient client = server.connect();
  client.send(request);
  const RawResponse response = client.read_response(RawClient::kLong, true);
  QCOMPARE(response.status, 200);
  QVERIFY2(response.has_field(field), response.head.c_str());
  while (client.input().size() < rest.size() && client.receive(RawClient::kLong)) {
  }
  QCOMPARE(client.is_closed_within(closes ? 5000ms : 100ms), closes);
  QCOMPARE(client.input(), rest);
}

void TestHttpServer::pipelining_keepsTheOrder() {
  SampleServer server;
  RawClient client = server.connect();
  std::string requests = get_request("/hold");
  constexpr int kCount = 400;  // More than the server reads while it answers.
  for (int i = 0; i < kCount; ++i) {
    const std::string path = "/" + std::to_string(i);
    requests += i % 3 == 0 ? post_request(path, "body") : get_request(path);
  }
  QVERIFY(client.send(requests));
  const auto held = server.take_held();
  QVERIFY(held);
  QCOMPARE(server.num_handled(), 1);
  held->respond({.body = "first"});
  QCOMPARE(client.read_response().body, std::string("first"));
  for (int i = 0; i < kCount; ++i) {
    const std::string end = i % 3 == 0 ? "? 4" : "? 0";
    const std::string method = i % 3 == 0 ? "POST /" : "GET /";
    QCOMPARE(client.read_response().body, method + std::to_string(i) + end);
  }
}

void TestHttpServer::continue_isSaidBeforeTheBody() {
  SampleServer server;
  RawClient client = server.connect();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  QCOMPARE(client.read_response(RawClient::kLong, false, true).status, 100);
  QCOMPARE(server.num_handled(), 0);
  client.send("hello");
  QCOMPARE(client.read_response().body, std::string("POST /x? 5"));
  // Not before a body that is refused.
  client.send(
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
  QCOMPARE(client.read_response(RawClient::kLong, false, true).status, 413);
}

/// None of what follows such a request is taken for another one.
void TestHttpServer::ambiguousRequest_endsTheConnection_data() {
  QTest::addColumn<std::string>("fields");
  QTest::addColumn<int>("status");
  QTest::newRow("two lengths") << std::string("Content-Length: 0\r\nContent-Length: 5\r\n") << 400;
  QTest::newRow("length and chunks")
      << std::string("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") << 400;
  QTest::newRow("unknown encoding") << std::string("Transfer-Encoding: x\r\n") << 501;
  QTest::newRow("folded") << std::string("X: y\r\n Content-Length: 5\r\n") << 400;
  QTest::newRow("line feed") << std::string("X: y\nContent-Length: 5\r\n") << 400;
  QTest::newRow("space") << std::string("Content-Length : 5\r\n") << 400;
}

void TestHttpServer::ambiguousRequest_endsTheConnection() {
  QFETCH(std::string, fields);
  QFETCH(int, status);
  SampleServer server;
  RawClient client = server.connect();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n0\r\n\r\n" +
              get_request("/smuggled"));
  const RawResponse response = client.read_response();
  QCOMPARE(response.status, status);
  QVERIFY(response.has_field("Connection: close"));
  QVERIFY(response.body.starts_with("{\"error\":{\"message\":\""));
  QVERIFY(response.has_field("X-Content-Type-Options: nosniff"));
  QVERIFY(client.is_closed_within(RawClient::kLong));
  QCOMPARE(client.input(), std::string());
  QCOMPARE(server.num_handled(), 0);
}

void TestHttpServer::handlerThatFails_isAnswered() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/throw"));
  QCOMPARE(client.read_response().status, 500);
  client.send(get_request("/drop"));
  const RawResponse dropped = client.read_response();
  QCOMPARE(dropped.status, 503);
  QVERIFY(dropped.has_field("Retry-After: 1"));
  client.send(get_request("/x"));
  QCOMPARE(client.read_response().status, 200);
}

void TestHttpServer::droppedStream_isCut() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/hold"));
  auto held = server.take_held();
  held->begin({.body = "one"});
  QVERIFY(client.receive(RawClient::kLong));
  held.reset();
  const std::string rest = client.read_rest();
  QVERIFY2(rest.ends_with("3\r\none\r\n"), rest.c_str());  // No chunk that says it is the last.
}

void TestHttpServer::stream_comesFromAnyThread() {
  SampleServer server;
  constexpr int kClients = 8;
  constexpr int kParts = 500;
  std::vector<RawClient> clients;
  std::vector<std::thread> threads;
  std::string whole;
  for (int i = 0; i < kParts; ++i) whole += "part " + std::to_string(i) + "\n";
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(server.connect());
    clients.back().send(get_request("/hold"));
    threads.emplace_back([exchange = server.take_held()] {
      exchange->begin({});
      for (int part = 0; part < kParts; ++part) {
        exchange->write("part " + std::to_string(part) + "\n");
      }
      exchange->end();
    });
  }
  for (RawClient& client : clients) QCOMPARE(client.read_response().body, whole);
  for (std::thread& thread : threads) thread.join();
}

void TestHttpServer::disconnect_isNoticed_data() {
  QTest::addColumn<QString>("how");
  QTest::addColumn<bool>("streams");
  for (const char* how : {"close", "reset", "end"}) {
    QTest::addRow("%s", how) << how << false;
    QTest::addRow("%s in a stream", how) << how << true;
  }
}

/// Within 100 ms; a machine that is busy with other things gets several tries.
void TestHttpServer::disconnect_isNoticed() {
  QFETCH(QString, how);
  QFETCH(bool, streams);
  SampleServer server;
  bool was_quick = false;
  for (size_t attempt = 1; attempt <= 5 && !was_quick; ++attempt) {
    RawClient client = server.connect();
    client.send(post_request("/hold", "body"));
    const auto held = server.take_held();
    ClosedFlag flag;
    held->on_closed(flag.function());
    if (streams) {
      held->begin({.body = "one"});
      QVERIFY(client.receive(RawClient::kLong));
    }
    QVERIFY(!flag.is_set_within(50ms));
    QVERIFY(!held->is_closed());
    if (how == "close") client.close();
    if (how == "reset") client.reset();
    if (how == "end") client.end_sending();
    was_quick = flag.is_set_within(100ms);
    QVERIFY(flag.is_set_within(RawClient::kLong));
    QVERIFY(held->is_closed());
    if (streams) held->write("two");
    if (streams) held->end();
    if (!streams) held->respond({});
    const auto records = server.wait_for_records(attempt);
    QCOMPARE(records.size(), attempt);
    QVERIFY(!records.back().is_complete);
    QCOMPARE(records.back().status, streams ? 200 : 0);
    QCOMPARE(flag.calls(), 1);
  }
  QVERIFY(was_quick);
}

void TestHttpServer::onClosed_isCalledOnceAndNotAfterTheEnd() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/hold"));
  const auto held = server.take_held();
  ClosedFlag ended;
  held->on_closed(ended.function());
  held->respond({.body = "x"});
  QCOMPARE(client.read_response().body, std::string("x"));
  client.send(get_request("/hold"));
  const auto next = server.take_held();
  client.close();
  QTRY_VERIFY(next->is_closed());
  ClosedFlag late;
  next->on_closed(late.function());
  QVERIFY(late.is_set_within(RawClient::kLong));
  QVERIFY(!ended.is_set_within(20ms));
  QVERIFY(!held->is_closed());
  QCOMPARE(late.calls(), 1);
}

void TestHttpServer::halfClosedClient_getsWhatIsReady() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/a") + get_request("/stream") + get_request("/b"));
  client.end_sending();
  QCOMPARE(client.read_response().body, std::string("GET /a? 0"));
  QCOMPARE(client.read_response().body, std::string("one,two,three"));
  QCOMPARE(client.read_response().body, std::string("GET /b? 0"));
  QVERIFY(client.is_closed_within(RawClient::kLong));
}

void TestHttpServer::halfRequest_isAnswered() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(post_request("/a", "hello").substr(0, 60));
  client.end_sending();
  QCOMPARE(client.read_response().status, 400);
  QVERIFY(client.is_closed_within(RawClient::kLong));
  QCOMPARE(server.num_handled(), 0);
}

void TestHttpServer::gate_answersBeforeTheBody() {
  HttpServerOptions options;
  options.gate = [](const HttpRequest& request) -> HttpVerdict {
    HttpVerdict verdict{.fields = {{"X-Gate", request.is_loopback ? "near" : "far"}}};
    if (!request.body.empty()) qFatal("the gate sees a body");
    if (request.path != "/open") verdict.answer = error_response(401, "No.", request.path);
    return verdict;
  };
  SampleServer server(options);
  RawClient client = server.connect();
  client.send(
      "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\nExpect: 100-continue\r\n\r\n");
  const RawResponse refused = client.read_response(RawClient::kLong, false, true);
  QCOMPARE(refused.status, 401);
  QVERIFY(refused.has_field("X-Gate: near"));
  QVERIFY(refused.has_field("Connection: close"));
  QVERIFY(client.is_closed_within(RawClient::kLong));
  RawClient other = server.connect();
  other.send(get_request("/open"));
  const RawResponse let_through = other.read_response();
  QCOMPARE(let_through.status, 200);
  QVERIFY(let_through.has_field("X-Gate: near"));
  QCOMPARE(server.num_handled(), 1);
}

/// They would keep a place for the time between two requests. Allowed preflight requests, which
/// have no key, are followed by one that has.
void TestHttpServer::refusedConnections_areClosed() {
  HttpServerOptions options;
  options.gate = [](const HttpRequest& request) -> HttpVerdict {
    if (request.path == "/open") return {};
    if (request.path == "/preflight") return {.answer = HttpResponse{.status = 204}};
    return {.answer = error_response(401, "No.", request.path)};
  };
  SampleServer server(options);
  RawClient client = server.connect();
  for (const char* path : {"/preflight", "/open", "/preflight", "/open"}) {
    client.send(get_request(path));
    const int status = client.read_response().status;
    QVERIFY2(status == 200 || status == 204, path);
  }
  client.send(get_request("/x"));
  const RawResponse refused = client.read_response();
  QCOMPARE(refused.status, 401);
  QVERIFY(refused.has_field("Connection: close"));
  QVERIFY(client.is_closed_within(RawClient::kLong));
}

void TestHttpServer::responseFields_cannotEndTheHeader() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/hold"));
  server.take_held()->respond({.fields = {{"X-A", "b\r\nX-Evil: c"},
                                          {"X-B\r\nX-Worse", "d"},
                                          {"Content-Length", "99"},
                                          {"transfer-encoding", "chunked"}},
                               .body = "x"});
  const RawResponse response = client.read_response();
  QCOMPARE(response.body, std::string("x"));
  QVERIFY(response.has_field("X-A: b  X-Evil: c"));
  QVERIFY(!response.has_field("X-Evil: c"));
  QVERIFY(response.head.find("X-Worse") == std::string::npos);
  QVERIFY(response.has_field("Content-Length: 1"));
}

void TestHttpServer::serverEnd_closesEverything() {
  SampleServer server;
  RawClient idle = server.connect();
  RawClient client = server.connect();
  RawClient streamed = server.connect();
  client.send(get_request("/hold"));
  const auto held = server.take_held();
  streamed.send(get_request("/hold"));
  const auto stream = server.take_held();
  stream->begin({.body = "one"});
  ClosedFlag flag, other;
  held->on_closed(flag.function());
  stream->on_closed(other.function());
  server.stop();
  QCOMPARE(flag.calls(), 1);
  QCOMPARE(other.calls(), 1);
  QVERIFY(client.is_closed_within(RawClient::kLong));
  QVERIFY(idle.is_closed_within(RawClient::kLong));
  held->respond({.body = "late"});
  stream->write("late");
  stream->end();
  held->on_closed(flag.function());
  QCOMPARE(flag.calls(), 1);
}

/// The second time there is nothing left that the server's thread would wait for.
void TestHttpServer::finish_isAnsweredWithoutAnyConnection() {
  const auto server = HttpServer::start({.port = 0}, [](auto) {});
  QVERIFY(server.has_value());
  for (int i = 0; i < 3; ++i) {
    (*server)->finish(std::chrono::seconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void TestHttpServer::start_saysWhyItCannot() {
  const SampleServer server;
  const auto handler = [](std::shared_ptr<HttpExchange>) {};
  const auto taken = HttpServer::start({.port = server.port()}, handler);
  QVERIFY(!taken);
  QCOMPARE(taken.error().code, ErrorCode::kIo);
  QCOMPARE(taken.error().message, "Port " + std::to_string(server.port()) +
                                      " of 127.0.0.1 is in use: choose another port, or close the "
                                      "program that uses it.");
  for (const char* host : {"192.0.2.1", "no such host"}) {
    const auto elsewhere = HttpServer::start({.host = host, .port = 0}, handler);
    QVERIFY(!elsewhere);
    QVERIFY2(elsewhere.error().message.starts_with(host), elsewhere.error().message.c_str());
  }
}

void TestHttpServer::localhost_hasAllItsAddresses() {
  SampleServer server({.host = "localhost"});
  RawClient client = server.connect();
  client.send(get_request("/x"));
  QCOMPARE(client.read_response().status, 200);
}

/// A client of IPv4 reaches a server for both versions, and is known by its own address.
void TestHttpServer::bothVersions_areServed() {
  HttpServerOptions options{.host = "::"};
  options.gate = [](const HttpRequest& request) -> HttpVerdict {
    return {.answer = HttpResponse{.body = request.peer + (request.is_loopback ? " near" : "")}};
  };
  const auto probe = HttpServer::start({.host = "::", .port = 0}, [](auto) {});
  if (!probe) QSKIP("This machine has no IPv6.");
  SampleServer server(options);
  RawClient client = server.connect();
  client.send(get_request("/x"));
  const std::string body = client.read_response().body;
  QVERIFY2(body.starts_with("127.0.0.1:") && body.ends_with(" near"), body.c_str());
}

void TestHttpServer::records_tellWhatHappened() {
  SampleServer server;
  RawClient client = server.connect();
  client.send(get_request("/x?secret=1"));
  QCOMPARE(client.read_response().status, 200);
  client.send(get_request("/stream"));
  QCOMPARE(client.read_response().status, 200);
  client.send("nonsense\r\n\r\n");
  QCOMPARE(client.read_response().status, 400);
  const auto records = server.wait_for_records(3);
  QCOMPARE(records.size(), size_t{3});
  QVERIFY(records[0].peer.starts_with("127.0.0.1:"));
  QCOMPARE(records[0].method, std::string("GET"));
  QCOMPARE(records[0].path, std::string("/x"));
  QCOMPARE(records[0].status, 200);
  QCOMPARE(records[0].response_bytes, uint64_t{17});
  QVERIFY(records[0].is_complete);
  QVERIFY(records[0].ms > 0.0 && records[0].ms < 5000.0);
  QCOMPARE(records[1].response_bytes, uint64_t{13});
  QCOMPARE(records[2].status, 400);
  QCOMPARE(records[2].path, std::string());
}

QTEST_APPLESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
