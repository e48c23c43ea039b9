#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/cli/cli_process.h"

/// Real clients from PyPI against quire-cli serve with the bundled model.
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
void TestServeClients::initTestCase() {
  REQUIRE_BUNDLED_MODEL();
  m_python = qEnvironmentVariable("QUIRE_CLIENTS_PYTHON");
  if (m_python.isEmpty()) {
    if (!qEnvironmentVariableIsSet("QUIRE_LONG_TESTS")) {
      QSKIP("downloads packages from PyPI; set QUIRE_LONG_TESTS to run it");
    }
    const QString made = failureOf("python3", {"-m", "venv", m_folder.filePath("venv")});
    QVERIFY2(made.isEmpty(), qPrintable(made));
    m_python = m_folder.filePath("venv/bin/python");
    const QString installed =
        failureOf(m_python, {"-m", "pip", "install", "-q", "openai", "aiohttp"});
    QVERIFY2(installed.isEmpty(), qPrintable(installed));
  }
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
  for (const char* script : {"client_openai.py", "client_tools.py", "client_aiohttp.py",
                             "client_script.py", "client_hostile.py"}) {
    QTest::newRow(script) << QString(script);
  }
}

void TestServeClients::client_passes() {
  QFETCH(QString, script);
  const QString failure = failureOf(m_python, {kClients + script, m_url});
  QVERIFY2(failure.isEmpty(), qPrintable(failure));
}

QTEST_GUILESS_MAIN(TestServeClients)
#include "tst_serve_clients.moc"
