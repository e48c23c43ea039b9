#include <QtTest>

#include "tests/app/cli/cli_process.h"
#include "tests/app/server/http/raw_client.h"
#include "tests/app/server/serve_process.h"

using namespace quire;

namespace {

RawResponse get(uint16_t port, const std::string& path, const std::string& fields = {}) {
  RawClient client(port);
  client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n");
  return client.read_response();
}

}  // namespace

/// The program `quire-cli serve`.
class TestServe : public QObject {
  Q_OBJECT

 private slots:
  void init() { REQUIRE_BUNDLED_MODEL(); }

  void ready_isOneLineWithTheUrl() {
    ServeProcess server;
    const uint16_t port = server.port();
    QVERIFY2(port > 0, server.err());
    QCOMPARE(server.out().count('\n'), 1);
    QVERIFY2(server.out().contains("serves quire-mini"), server.out());
    QCOMPARE(get(port, "/ready").status, 200);
    QVERIFY(get(port, "/v1/models").body.find("\"quire-mini\"") != std::string::npos);
    QTRY_VERIFY(server.err().contains("GET /v1/models 200"));
  }

  void signal_endsItWhileItStreams_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
  }
  void signal_endsItWhileItStreams() {
    QFETCH(int, number);
    ServeProcess server;
    const uint16_t port = server.port();
    RawClient client(port);
    const std::string body = R"({"prompt": "Once", "stream": true, "max_tokens": 1500,
                                 "ignore_eos": true})";
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    QVERIFY(client.receive(RawClient::kLong));
    RawClient silent(port);  // It neither asks nor leaves.
    server.signal(number);
    QCOMPARE(server.code(), 0);
    QVERIFY(client.is_closed_within(RawClient::kLong));
    QVERIFY2(client.input().find(R"("code":"server_shutting_down")") != std::string::npos,
             client.input().c_str());
    QVERIFY(client.input().ends_with("0\r\n\r\n"));  // The stream's own end: it is not cut.
  }

  void key_comesFromTheEnvironment() {
    ServeProcess server({}, "sesame-open");
    const uint16_t port = server.port();
    QCOMPARE(get(port, "/v1/models").status, 401);
    QCOMPARE(get(port, "/v1/models", "Authorization: Bearer sesame-open\r\n").status, 200);
    QCOMPARE(get(port, "/v1/models", "Authorization: Bearer sesame-shut\r\n").status, 401);
    server.signal(SIGTERM);
    QCOMPARE(server.code(), 0);
    QVERIFY2(!server.err().contains("sesame") && !server.out().contains("sesame"), server.err());
  }

  void json_isOneLine() {
    ServeProcess server({"--json"});
    QVERIFY(server.port() > 0);
    QVERIFY2(server.out().startsWith("{\"url\":"), server.out());
  }

  void modelThatCannotBeLoaded_endsIt() {
    const CliResult result = runCli({"serve", "--port", "0", "--model", "/no/such/model"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("/no/such/model"), result.err);
    QCOMPARE(result.out, QByteArray());
  }

  void otherAddress_needsAKey() {
    const CliResult result = runCli({"serve", "--port", "0", "--host", "0.0.0.0"});
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("key"), result.err);
  }

  void help_saysWhoSeesTheKey() {
    const CliResult result = runCli({"serve", "--help"});
    QCOMPARE(result.code, 0);
    QVERIFY2(result.out.contains("QUIRE_API_KEY"), result.out);
  }
};

QTEST_GUILESS_MAIN(TestServe)
#include "tst_serve.moc"
