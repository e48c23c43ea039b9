#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

/// Real clients from PyPI against the API, with a model that answers from a script.
class TestDialectClients : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void cleanupTestCase();
  void client_passes_data();
  void client_passes();

 private:
  QTemporaryDir m_folder;
  QProcess m_server;
  QString m_python;  ///< Of an environment with the clients.
  QString m_url;
};

namespace {

const QString kClients = QStringLiteral(QUIRE_SOURCE_DIR "/tests/app/server/clients/");

/// Runs a program; returns what it said if it failed.
QString failureOf(const QString& program, const QStringList& arguments) {
  constexpr int kMaxMs = 10 * 60 * 1000;
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  const bool hasEnded = process.waitForFinished(kMaxMs);
  const QString said = QString::fromUtf8(process.readAll());
  const bool isGood =
      hasEnded && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
  return isGood ? QString() : program + " failed: " + said + process.errorString();
}

}  // namespace

/// QUIRE_CLIENTS_PYTHON may name the Python of an environment that has the packages.
void TestDialectClients::initTestCase() {
  m_python = qEnvironmentVariable("QUIRE_CLIENTS_PYTHON");
  if (m_python.isEmpty()) {
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) {
      QSKIP("downloads packages from PyPI; set QUIRE_LONG_TESTS to run it");
    }
    const QString made = failureOf("python3", {"-m", "venv", m_folder.filePath("venv")});
    QVERIFY2(made.isEmpty(), qPrintable(made));
    m_python = m_folder.filePath("venv/bin/python");
    const QString installed = failureOf(m_python, {"-m", "pip", "install", "-q", "anthropic",
                                                   "ollama", "openai", "langchain-openai"});
    QVERIFY2(installed.isEmpty(), qPrintable(installed));
  }
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
  const QString failure = failureOf(m_python, {kClients + script, m_url});
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
}

QTEST_GUILESS_MAIN(TestDialectClients)
#include "tst_dialect_clients.moc"
