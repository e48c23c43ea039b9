#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include "tests/app/cli/cli_process.h"
#include "tests/app/server/http/raw_client.h"

using namespace quire;

namespace {

constexpr int kStartMs = 60'000;

/// quire-cli serve with the bundled model, at a free port.
class Server {
 public:
  explicit Server(const QStringList& more = {}, const QString& key = {}) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CACHE_HOME", m_cache.path());
    environment.insert("QUIRE_API_KEY", key);
    m_process.setProcessEnvironment(environment);
    m_process.start(QUIRE_CLI_PATH, QStringList{"serve", "--port", "0", "--device", "cpu"} + more);
  }
  ~Server() {
    m_process.kill();
    m_process.waitForFinished();
  }

  /// The port of the line that says it is ready; 0: it never came.
  uint16_t port() {
    while (m_process.waitForReadyRead(kStartMs)) {
      m_out += m_process.readAllStandardOutput();
      static const QRegularExpression kLine(R"(http://127\.0\.0\.1:(\d+)\b.*\n)");
      const auto match = kLine.match(QString::fromUtf8(m_out));
      if (match.hasMatch()) return match.captured(1).toUShort();
    }
    return 0;
  }
  void signal(int number) { ::kill(static_cast<pid_t>(m_process.processId()), number); }
  /// The exit code; -1: it went on, or crashed.
  int code() {
    const bool hasEnded = m_process.waitForFinished(10'000);
    return hasEnded && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
  }
  QByteArray out() { return m_out += m_process.readAllStandardOutput(); }
  QByteArray err() { return m_err += m_process.readAllStandardError(); }

 private:
  QTemporaryDir m_cache;
  QProcess m_process;
  QByteArray m_out;
  QByteArray m_err;
};

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
    Server server;
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
    Server server;
    RawClient client(server.port());
    const std::string body = R"({"prompt": "Once", "stream": true, "max_tokens": 1500,
                                 "ignore_eos": true})";
    client.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    QVERIFY(client.receive(RawClient::kLong));
    server.signal(number);
    QCOMPARE(server.code(), 0);
    QVERIFY(client.is_closed_within(RawClient::kLong));
  }

  void key_comesFromTheEnvironment() {
    Server server({}, "sesame-open");
    const uint16_t port = server.port();
    QCOMPARE(get(port, "/v1/models").status, 401);
    QCOMPARE(get(port, "/v1/models", "Authorization: Bearer sesame-open\r\n").status, 200);
    QCOMPARE(get(port, "/v1/models", "Authorization: Bearer sesame-shut\r\n").status, 401);
    server.signal(SIGTERM);
    QCOMPARE(server.code(), 0);
    QVERIFY2(!server.err().contains("sesame") && !server.out().contains("sesame"), server.err());
  }

  void json_isOneLine() {
    Server server({"--json"});
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
