#include "tests/app/cli/cli_process.h"

#include <QJsonDocument>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <filesystem>

#include "app/bundled_model.h"

namespace quire {

QList<QJsonObject> CliResult::jsonLines() const {
  QList<QJsonObject> objects;
  for (const QByteArray& line : out.split('\n')) {
    if (!line.isEmpty()) objects << QJsonDocument::fromJson(line).object();
  }
  return objects;
}

CliResult runCli(const QStringList& arguments, const QByteArray& input, const QString& cache) {
  constexpr int kTimeoutMs = 120'000;
  // What a test tries out is not to be remembered, nor believed of an earlier run.
  const QTemporaryDir ownCache;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_CACHE_HOME", cache.isEmpty() ? ownCache.path() : cache);
  QProcess process;
  process.setProcessEnvironment(environment);
  process.start(QUIRE_CLI_PATH, arguments);
  if (!process.waitForStarted()) return {};
  process.write(input);
  process.closeWriteChannel();
  if (!process.waitForFinished(kTimeoutMs) || process.exitStatus() != QProcess::NormalExit) {
    process.kill();
    process.waitForFinished();
    return {-1, process.readAllStandardOutput(), process.readAllStandardError()};
  }
  return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

bool hasBundledModel() {
  return std::filesystem::exists(bundled_model_path() / "config.json");
}

QString bundledModel() {
  return QString::fromStdString(bundled_model_path().string());
}

}  // namespace quire
