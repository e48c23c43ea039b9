#include <QElapsedTimer>
#include <QtTest>

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
  void bodies_areLimitedTogether();
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
  limits.header_time = limits.body_time = limits.idle_time = limits.write_time = 100ms;
  SampleServer server(options);
  RawClient client = server.connect();
  client.send(post_request("/hold", "x"));
  const auto held = server.take_held();
  QVERIFY(!client.is_closed_within(300ms));
  held->begin({.body = "one"});
  QVERIFY(!client.is_closed_within(300ms));
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
  while (server.server().num_connections() > 0 && time.elapsed() < 5000) {
    for (int i = 0; i < 20; ++i) client.receive(0ms);
    std::this_thread::sleep_for(50ms);
  }
  QVERIFY2(time.elapsed() >= 700 && time.elapsed() < 4500, std::to_string(time.elapsed()).c_str());
}

void TestHttpLimits::connections_areLimited() {
  HttpServerOptions options;
  options.limits.max_connections = 2;
  SampleServer server(options);
  RawClient first = server.connect();
  RawClient second = server.connect();
  QTRY_COMPARE(server.server().num_connections(), 2);
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
