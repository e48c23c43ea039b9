#include <QProcess>
#include <QTest>

#include "tests/app/server/clients/client_environment.h"

using namespace quire;

/// Real clients from PyPI against the API, with a model that answers from a script.
class TestDialectClients : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void client_passes_data();
  void client_passes();

 private:
  QProcess m_server;
  ClientEnvironment m_clients;
  QString m_url;
};

void TestDialectClients::initTestCase() {
  if (!ClientEnvironment::isWanted()) {
    QSKIP("downloads packages from PyPI; set QUIRE_LONG_TESTS to run it");
  }
  const QString failure = m_clients.install({"anthropic", "ollama", "openai", "langchain-openai"});
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
  m_server.start(SCRIPTED_SERVER, {});
  QVERIFY(m_server.waitForReadyRead(10'000));
  const int port = m_server.readLine().trimmed().toInt();
  QVERIFY(port > 0);
  m_url = QStringLiteral("http://127.0.0.1:%1").arg(port);
}

void TestDialectClients::cleanupTestCase() {
  m_server.closeWriteChannel();
  m_server.waitForFinished(10'000);
}

void TestDialectClients::client_passes_data() {
  QTest::addColumn<QString>("script");
  for (const char* script :
       {"client_anthropic.py", "client_ollama.py", "client_responses.py", "client_langchain.py"}) {
    QTest::newRow(script) << QString(script);
  }
}

void TestDialectClients::client_passes() {
  QFETCH(QString, script);
  const QString failure = m_clients.run(script, m_url);
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
}

QTEST_GUILESS_MAIN(TestDialectClients)
#include "tst_dialect_clients.moc"
