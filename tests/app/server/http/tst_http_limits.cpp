#include <QElapsedTimer>
#include <QtTest>

#include <atomic>
#include <random>
#include <thread>

#include "tests/app/server/http/raw_client.h"
#include "tests/app/server/http/sample_server.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

/// Sends `bytes` one by one, every few milliseconds, until the server closes the connection;
/// returns after how long it did.
std::chrono::milliseconds drip(RawClient& client, std::string_view bytes,
                               std::chrono::milliseconds pause) {
  QElapsedTimer time;
  time.start();
  for (const char byte : bytes) {
    if (!client.send({&byte, 1}) || client.is_closed_within(pause)) break;
  }
  return std::chrono::milliseconds(time.elapsed());
}

const std::string kRight = get_request("/x", "x-api-key: right\r\n");

/// Counts the wrong keys.
HttpServerOptions options_with_key(std::atomic<int>& num_wrong, std::chrono::milliseconds delay) {
  HttpServerOptions options;
  options.limits.max_connections = 3;
  options.limits.linger_time = 1h;
  options.gate = [&num_wrong, delay](const HttpRequest& request) -> HttpVerdict {
    if (request.method == "OPTIONS") return {.answer = HttpResponse{.status = 204}};
    if (request.field("x-api-key") == "right") return {};
    ++num_wrong;
    return {.answer = error_response(401, "No.", request.path), .delay = delay};
  };
  return options;
}

}  // namespace

class TestHttpLimits : public QObject {
  Q_OBJECT

 private slots:
  void slowHeader_isEnded();
  void slowBody_isEnded();
  void silentConnection_isClosed();
  void idleConnection_isClosed();
  void computing_hasNoLimit();
  void slowReader_isDisconnected();
  void streamThatIsNotRead_isCut();
  void smallPartsThatAreNotRead_takeLittleMemory();
  void drippingReader_isDisconnected();
  void connections_areLimited();
  void connectionsWithoutAKey_keepNobodyOut();
  void freshConnections_areKept();
  void refusedConnections_giveWayAtOnce_data();
  void refusedConnections_giveWayAtOnce();
  void bodies_areLimitedTogether();
  void unreadResponses_shareABudget();
  void declaredGigabyte_isRefusedAtOnce();
  void gigabyteThatIsSent_isRefused();
  void chunksWithoutEnd_areRefused();
  void manyConnections_areServed();
  void clientsThatLeaveAtAnyTime_leaveNothing();
};

void TestHttpLimits::slowHeader_isEnded() {
  HttpServerOptions options;
  options.limits.header_time = 300ms;
  SampleServer server(options);
  RawClient client = server.connect();
  const auto time = drip(client, get_request("/x", "X: " + std::string(500, 'a')), 10ms);
  QVERIFY2(time >= 250ms && time < 4000ms, std::to_string(time.count()).c_str());
  QCOMPARE(client.read_response().status, 408);
  QCOMPARE(server.num_handled(), 0);
}

void TestHttpLimits::slowBody_isEnded() {
  HttpServerOptions options;
  options.limits.body_time = 300ms;
  SampleServer server(options);
  for (const bool in_chunks : {false, true}) {
    RawClient client = server.connect();
    client.send("POST /x HTTP/1.1\r\nHost: a\r\n");
    client.send(in_chunks ? "Transfer-Encoding: chunked\r\n\r\n" : "Content-Length: 500\r\n\r\n");
    std::string body(500, 'a');
    if (in_chunks) {
      body.clear();
      for (int i = 0; i < 100; ++i) body += "1\r\na\r\n";
    }
    const auto time = drip(client, body, 10ms);
    QVERIFY2(time >= 250ms && time < 4000ms, std::to_string(time.count()).c_str());
    QCOMPARE(client.read_response().status, 408);
  }
  QCOMPARE(server.num_handled(), 0);
}

void TestHttpLimits::silentConnection_isClosed() {
  HttpServerOptions options;
  options.limits.header_time = 2000ms;
  SampleServer server(options);
  RawClient client = server.connect();
  QVERIFY(!client.is_closed_within(50ms));
  QVERIFY(client.is_closed_within(RawClient::kLong));
  QCOMPARE(client.input(), std::string());
}

void TestHttpLimits::idleConnection_isClosed() {
  HttpServerOptions options;
  options.limits.idle_time = 3000ms;
  SampleServer server(options);
  RawClient client = server.connect();
  for (int i = 0; i < 3; ++i) {
    client.send(get_request("/x"));
    QCOMPARE(client.read_response().status, 200);
    QVERIFY(!client.is_closed_within(300ms));
  }
  QVERIFY(client.is_closed_within(RawClient::kLong));
  QTRY_COMPARE(server.server().num_connections(), 0);
}

void TestHttpLimits::computing_hasNoLimit() {
  HttpServerOptions options;
  auto& limits = options.limits;
  limits.header_time = limits.body_time = limits.idle_time = limits.write_time = 1s;
  SampleServer server(options);
  RawClient client = server.connect();
  client.send(post_request("/hold", "x"));
  const auto held = server.take_held();
  QVERIFY(!client.is_closed_within(1500ms));
  held->begin({.body = "one"});
  QVERIFY(!client.is_closed_within(1500ms));
  held->write("two");
  held->end();
  QCOMPARE(client.read_response().body, std::string("onetwo"));
}

void TestHttpLimits::slowReader_isDisconnected() {
  HttpServerOptions options;
  options.limits.write_time = 300ms;
  SampleServer server(options);
  RawClient client = server.connect(4096);
  client.send(get_request("/hold"));
  const auto held = server.take_held();
  held->respond({.body = std::string(32 << 20, 'a')});
  const auto records = server.wait_for_records(1);
  QCOMPARE(records.size(), size_t{1});
  QVERIFY(!records[0].is_complete);
  QCOMPARE(records[0].why_cut, std::string("the client did not read it in time"));
  QVERIFY(records[0].ms >= 250.0 && records[0].ms < 5000.0);
  QTRY_COMPARE(server.server().num_connections(), 0);
}

void TestHttpLimits::streamThatIsNotRead_isCut() {
  HttpServerOptions options;
  options.limits.max_queued_bytes = 1 << 20;
  SampleServer server(options);
  RawClient client = server.connect(4096);
  client.send(get_request("/hold"));
  const auto held = server.take_held();
  ClosedFlag flag;
  held->on_closed(flag.function());
  held->begin({});
  size_t written = 0;
  for (; written < (64u << 20) && !held->is_closed(); written += 1 << 16) {
    held->write(std::string(1 << 16, 'a'));
    std::this_thread::sleep_for(1ms);
  }
  QVERIFY(held->is_closed());
  QCOMPARE(server.wait_for_records(1)[0].why_cut, std::string("more than 1048576 bytes unread"));
  QVERIFY(written >= (1u << 20));
  QVERIFY(flag.is_set_within(RawClient::kLong));
  QTRY_COMPARE(server.server().num_connections(), 0);
  // One that reads gets all of it.
  RawClient reader = server.connect();
  reader.send(get_request("/hold"));
  const auto read = server.take_held();
  read->begin({});
  for (size_t i = 1; i <= 64; ++i) {
    read->write(std::string(1 << 16, 'b'));
    while (reader.input().size() < i << 16 && reader.receive(RawClient::kLong)) {
    }
  }
  read->end();
  QCOMPARE(reader.read_response().body.size(), size_t{64} << 16);
}

/// A part of one byte takes more memory than a byte.
void TestHttpLimits::smallPartsThatAreNotRead_takeLittleMemory() {
  HttpServerOptions options;
  options.limits.max_queued_bytes = 1 << 20;
  SampleServer server(options);
  RawClient client = server.connect(4096);
  client.send(get_request("/hold"));
  const auto held = server.take_held();
  held->begin({.body = std::string(16 << 20, 'a')});  // Fills what the system holds.
  int parts = 0;
  for (; parts < 100'000 && !held->is_closed(); ++parts) held->write("b");
  QVERIFY2(parts > 1000 && parts < 20'000, std::to_string(parts).c_str());
}

/// Some progress now and then does not keep a response's memory for ever.
void TestHttpLimits::drippingReader_isDisconnected() {
  HttpServerOptions options;
  options.limits.write_time = 2000ms;
  options.limits.drain_time = 800ms;
  SampleServer server(options);
  RawClient client = server.connect(4096);
  client.send(get_request("/hold"));
  auto held = server.take_held();
  QElapsedTimer time;
  time.start();
  held->respond({.body = std::string(64 << 20, 'a')});
  held.reset();
  while (server.server().num_connections() > 0 && time.elapsed() < 25'000) {
    for (int i = 0; i < 20; ++i) client.receive(0ms);
    std::this_thread::sleep_for(50ms);
  }
  QVERIFY2(time.elapsed() >= 700 && time.elapsed() < 20'000,
           std::to_string(time.elapsed()).c_str());
}

void TestHttpLimits::connections_areLimited() {
  HttpServerOptions options;
  options.limits.max_connections = 2;
  SampleServer server(options);
  RawClient first = server.connect();
  RawClient second = server.connect();
  for (RawClient* one : {&first, &second}) {
    one->send(get_request("/x"));
    QCOMPARE(one->read_response().status, 200);
  }
  QCOMPARE(server.server().num_connections(), 2);
  for (int i = 0; i < 5; ++i) {
    RawClient third = server.connect();
    third.send(get_request("/x"));
    const RawResponse refused = third.read_response();
    QCOMPARE(refused.status, 503);
    QVERIFY(refused.has_field("Retry-After: 1"));
    QVERIFY(third.is_closed_within(RawClient::kLong));
  }
  first.send(get_request("/x"));
  QCOMPARE(first.read_response().status, 200);
  first.close();
  QTRY_COMPARE(server.server().num_connections(), 1);
  RawClient next = server.connect();
  next.send(get_request("/x"));
  QCOMPARE(next.read_response().status, 200);
  second.close();
}

/// The oldest of those that have shown no right to be served makes place for a new one.
void TestHttpLimits::connectionsWithoutAKey_keepNobodyOut() {
  std::atomic<int> num_wrong = 0;
  HttpServerOptions options = options_with_key(num_wrong, 0ms);
  options.limits.fresh_time = 0ms;
  SampleServer server(options);
  std::vector<RawClient> known, silent;
  known.push_back(server.connect());
  known[0].send(kRight);
  QCOMPARE(known[0].read_response().status, 200);
  // A preflight request, which has no key, does not change what is known of its client.
  known[0].send("OPTIONS /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  QCOMPARE(known[0].read_response().status, 204);
  for (int i = 0; i < 2; ++i) silent.push_back(server.connect());
  QTRY_COMPARE(server.server().num_connections(), 3);
  silent[0].send("GET /x HTTP/1.1\r\n");
  for (int i = 0; i < 2; ++i) {
    known.push_back(server.connect());
    known.back().send(kRight);
    QCOMPARE(known.back().read_response().status, 200);
    QVERIFY(silent[static_cast<size_t>(i)].is_closed_within(RawClient::kLong));
    QCOMPARE(server.server().num_connections(), 3);
  }
  // Those with a key are not closed for it.
  RawClient late = server.connect();
  late.send(kRight);
  QCOMPARE(late.read_response().status, 503);
  for (RawClient& one : known) {
    one.send(kRight);
    QCOMPARE(one.read_response().status, 200);
  }
}

/// Of clients that come at once, those that are too many are told so.
void TestHttpLimits::freshConnections_areKept() {
  std::atomic<int> num_wrong = 0;
  HttpServerOptions options = options_with_key(num_wrong, 0ms);
  options.limits.fresh_time = 1h;
  SampleServer server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(server.connect());
  QCOMPARE(clients[3].read_response().status, 503);
  for (size_t i = 0; i < 3; ++i) {
    clients[i].send(kRight);
    QCOMPARE(clients[i].read_response().status, 200);
  }
}

void TestHttpLimits::refusedConnections_giveWayAtOnce_data() {
  QTest::addColumn<bool>("is_held_back");
  QTest::newRow("the client does not close it") << false;
  QTest::newRow("its refusal is held back, beyond the limit") << true;
}

void TestHttpLimits::refusedConnections_giveWayAtOnce() {
  QFETCH(bool, is_held_back);
  std::atomic<int> num_wrong = 0;
  HttpServerOptions options =
      options_with_key(num_wrong, is_held_back ? std::chrono::milliseconds(1h) : 0ms);
  options.limits.fresh_time = 1h;
  options.limits.max_held_back = 0;
  SampleServer server(options);
  std::vector<RawClient> wrong, known;
  for (int i = 0; i < 3; ++i) {
    wrong.push_back(server.connect());
    wrong.back().send(get_request("/x"));
    if (is_held_back) continue;
    QCOMPARE(wrong.back().read_response().status, 401);
    QVERIFY(wrong.back().is_closed_within(RawClient::kLong));
  }
  QTRY_COMPARE(num_wrong.load(), 3);
  QCOMPARE(server.server().num_connections(), 3);
  for (size_t i = 0; i < 3; ++i) {
    known.push_back(server.connect());
    known.back().send(kRight);
    QCOMPARE(known.back().read_response().status, 200);
    QVERIFY(wrong[i].is_closed_within(RawClient::kLong));
  }
  if (!is_held_back) return;
  QVERIFY(!server.wait_for_records(4)[0].is_complete);
  QCOMPARE(server.wait_for_records(4)[0].why_cut, std::string("its place was needed"));
}

/// What clients do not read is limited for all of them together; small responses are always sent.
void TestHttpLimits::unreadResponses_shareABudget() {
  HttpServerOptions options;
  options.limits.max_all_responses_bytes = 12 << 20;
  SampleServer server(options);
  const auto ask = [&](RawClient& client, size_t bytes = 8 << 20) {
    client.send(get_request("/hold"));
    server.take_held()->respond({.body = std::string(bytes, 'a')});
  };
  RawClient first = server.connect(4096);
  ask(first);
  QVERIFY(first.receive(RawClient::kLong));
  RawClient second = server.connect();
  ask(second);
  const RawResponse refused = second.read_response();
  QCOMPARE(refused.status, 503);
  QVERIFY(refused.has_field("Retry-After: 1"));
  second.send(get_request("/x"));
  QCOMPARE(second.read_response().status, 200);
  // What is read, or will never be, counts no longer.
  first.close();
  QTRY_COMPARE(server.server().num_connections(), 1);
  // Nor is one that is larger than the limit refused for ever.
  for (const size_t bytes : {size_t{8} << 20, size_t{13} << 20, size_t{8} << 20}) {
    ask(second, bytes);
    QCOMPARE(second.read_response().body.size(), bytes);
  }
}

void TestHttpLimits::bodies_areLimitedTogether() {
  HttpServerOptions options;
  options.limits.max_all_bodies_bytes = 100'000;
  SampleServer server(options);
  const std::string body(60'000, 'a');
  RawClient first = server.connect();
  first.send(post_request("/hold", body));
  auto held = server.take_held();
  QCOMPARE(held->request().body.size(), body.size());
  RawClient second = server.connect();
  second.send(post_request("/x", body));
  QCOMPARE(second.read_response().status, 503);
  RawClient third = server.connect();
  std::string chunk = "ea60\r\n" + body + "\r\n0\r\n\r\n";
  third.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk);
  QCOMPARE(third.read_response().status, 503);
  held->respond({});
  held.reset();
  RawClient fourth = server.connect();
  fourth.send(post_request("/x", body));
  QCOMPARE(fourth.read_response().status, 200);
}

void TestHttpLimits::declaredGigabyte_isRefusedAtOnce() {
  SampleServer server;
  RawClient client = server.connect();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n");
  QElapsedTimer time;
  time.start();
  QCOMPARE(client.read_response().status, 413);
  QVERIFY(time.elapsed() < 5000);
  QCOMPARE(server.num_handled(), 0);
}

/// A client that reads only after it has sent much more than it may still sees why it was refused.
void TestHttpLimits::gigabyteThatIsSent_isRefused() {
  HttpServerOptions options;
  options.limits.linger_time = 30'000ms;
  SampleServer server(options);
  RawClient client = server.connect();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n");
  const std::string piece(1 << 20, 'a');
  for (int i = 0; i < 64; ++i) QVERIFY(client.send(piece));
  QCOMPARE(client.read_response().status, 413);
}

void TestHttpLimits::chunksWithoutEnd_areRefused() {
  HttpServerOptions options;
  options.limits.max_body_bytes = 1 << 20;
  SampleServer server(options);
  RawClient client = server.connect();
  client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'a') + "\r\n";
  for (int i = 0; i < 20; ++i) client.send(chunk);
  QCOMPARE(client.read_response().status, 413);
  QCOMPARE(server.num_handled(), 0);
}

void TestHttpLimits::manyConnections_areServed() {
  SampleServer server;
  constexpr int kCount = 300;
  std::vector<RawClient> clients;
  for (int i = 0; i < kCount; ++i) {
    clients.push_back(server.connect());
    QVERIFY(clients.back().is_connected());
    clients.back().send(get_request("/hold/" + std::to_string(i)));
  }
  std::vector<std::shared_ptr<HttpExchange>> held;
  for (int i = 0; i < kCount; ++i) held.push_back(server.take_held());
  QCOMPARE(server.server().num_connections(), kCount);
  for (const auto& exchange : held) exchange->respond({.body = exchange->request().path});
  held.clear();
  for (int i = 0; i < kCount; ++i) {
    QCOMPARE(clients[static_cast<size_t>(i)].read_response().body, "/hold/" + std::to_string(i));
  }
  clients.clear();
  QTRY_COMPARE(server.server().num_connections(), 0);
}

void TestHttpLimits::clientsThatLeaveAtAnyTime_leaveNothing() {
  HttpServerOptions options;
  options.limits.max_all_bodies_bytes = 1 << 20;
  SampleServer server(options);
  std::mt19937 random(1);
  const std::string requests[] = {get_request("/x"),
                                  get_request("/stream"),
                                  get_request("/drop"),
                                  get_request("/hold"),
                                  post_request("/x", std::string(5000, 'a')),
                                  post_request("/hold", std::string(5000, 'b')),
                                  "nonsense\r\n"};
  for (int i = 0; i < 500; ++i) {
    RawClient client = server.connect();
    std::string bytes;
    for (size_t count = random() % 4; count > 0; --count) bytes += requests[random() % 7];
    client.send(std::string_view(bytes).substr(0, random() % (bytes.size() + 1)));
    if (random() % 4 == 0) client.receive(1ms);
    if (random() % 4 == 0) client.end_sending();
    if (random() % 2 == 0) client.reset();
  }
  QTRY_COMPARE(server.server().num_connections(), 0);
  for (const auto& held : server.take_all_held()) QVERIFY(held->is_closed());
  // All that the bodies took is there again.
  RawClient client = server.connect();
  client.send(post_request("/x", std::string(1 << 20, 'c')));
  QCOMPARE(client.read_response().status, 200);
}

QTEST_APPLESS_MAIN(TestHttpLimits)
#include "tst_http_limits.moc"
