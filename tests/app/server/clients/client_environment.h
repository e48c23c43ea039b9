#pragma once

#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

namespace quire {

/// Runs a program; returns what it said if it failed.
inline QString failureOf(const QString& program, const QStringList& arguments) {
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

/// An environment of Python with packages from PyPI, which is made for QUIRE_LONG_TESTS only.
/// QUIRE_CLIENTS_PYTHON may name the Python of one that has the packages.
class ClientEnvironment {
 public:
  static bool isWanted() {
    return qEnvironmentVariableIsSet("QUIRE_CLIENTS_PYTHON") ||
           qEnvironmentVariableIsSet("QUIRE_LONG_TESTS");
  }

  /// Returns why it cannot be made; empty: it is there.
  QString install(const QStringList& packages) {
    m_python = qEnvironmentVariable("QUIRE_CLIENTS_PYTHON");
    if (!m_python.isEmpty()) return {};
    const QString failure = failureOf("python3", {"-m", "venv", m_folder.filePath("venv")});
    if (!failure.isEmpty()) return failure;
    m_python = m_folder.filePath("venv/bin/python");
    return failureOf(m_python, QStringList{"-m", "pip", "install", "-q"} + packages);
  }

  /// Runs a script of this folder against a server; returns what it said if it failed.
  QString run(const QString& script, const QString& url) const {
    return failureOf(m_python,
                     {QStringLiteral(QUIRE_SOURCE_DIR "/tests/app/server/clients/") + script, url});
  }

 private:
  QTemporaryDir m_folder;
  QString m_python;
};

}  // namespace quire
