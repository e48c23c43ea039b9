#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/cli/cli_process.h"
#include "tests/app/server/clients/client_environment.h"

using namespace quire;

/// Real clients from PyPI against quire-cli serve with the bundled model, or against the server at
/// QUIRE_CLIENTS_URL, which serves it as well: what another one cannot do fails.
class TestServeClients : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void client_passes_data();
  void client_passes();

 private:
  QTemporaryDir m_folder;
  QProcess m_server;
  ClientEnvironment m_clients;
  QString m_url;
};

void TestServeClients::initTestCase() {
  REQUIRE_BUNDLED_MODEL();
  if (!ClientEnvironment::isWanted()) {
    QSKIP("downloads packages from PyPI; set QUIRE_LONG_TESTS to run it");
  }
  const QString failure = m_clients.install({"openai", "aiohttp"});
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
  m_url = qEnvironmentVariable("QUIRE_CLIENTS_URL");
  if (!m_url.isEmpty()) return;
  m_server.setStandardErrorFile(m_folder.filePath("log"));
  m_server.start(QUIRE_CLI_PATH, {"serve", "--port", "0", "--device", "cpu"});
  QVERIFY(m_server.waitForReadyRead(60'000));
  m_url = QString::fromUtf8(m_server.readLine()).section(' ', 0, 0);
  QVERIFY2(m_url.startsWith("http://"), qPrintable(m_url));
}

void TestServeClients::cleanupTestCase() {
  if (m_server.state() == QProcess::NotRunning) return;
  m_server.terminate();
  QVERIFY(m_server.waitForFinished(10'000));
  QCOMPARE(m_server.exitCode(), 0);
}

void TestServeClients::client_passes_data() {
  QTest::addColumn<QString>("script");
  for (const char* script : {"client_openai.py", "client_features.py", "client_tools.py",
                             "client_aiohttp.py", "client_script.py", "client_hostile.py"}) {
    QTest::newRow(script) << QString(script);
  }
}

void TestServeClients::client_passes() {
  QFETCH(QString, script);
  const QString failure = m_clients.run(script, m_url);
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
}

QTEST_GUILESS_MAIN(TestServeClients)
#include "tst_serve_clients.moc"
