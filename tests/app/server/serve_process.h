#pragma once

#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <csignal>

#include "tests/app/cli/cli_process.h"

namespace quire {

/// quire-cli serve with the bundled model, at `port` (0: a free one).
class ServeProcess {
 public:
  explicit ServeProcess(const QStringList& more = {}, const QString& key = {}, int port = 0) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_CACHE_HOME", m_cache.path());
    environment.remove("QUIRE_API_KEY");
    if (!key.isEmpty()) environment.insert("QUIRE_API_KEY", key);
    m_process.setProcessEnvironment(environment);
    m_process.start(
        QUIRE_CLI_PATH,
        QStringList{"serve", "--port", QString::number(port), "--device", "cpu"} + more);
  }
  ~ServeProcess() {
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
  /// `number` is one of <csignal>, such as SIGTERM.
  void signal(int number) { ::kill(static_cast<pid_t>(m_process.processId()), number); }
  /// The exit code; -1: it went on, or crashed.
  int code() {
    const bool hasEnded = m_process.waitForFinished(10'000);
    return hasEnded && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
  }
  QByteArray out() { return m_out += m_process.readAllStandardOutput(); }
  QByteArray err() { return m_err += m_process.readAllStandardError(); }

 private:
  static constexpr int kStartMs = 60'000;

  QTemporaryDir m_cache;
  QProcess m_process;
  QByteArray m_out;
  QByteArray m_err;
};

}  // namespace quire
