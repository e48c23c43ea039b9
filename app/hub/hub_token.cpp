#include "app/hub/hub_token.h"

#include <QFile>
#include <QFileInfo>
#include <QString>

#include "engine/io/private_file.h"

namespace quire {
namespace {

QByteArray firstLine(const QString& path) {
  QFile file(path);
  // Reading a pipe or a device might never end.
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return {};
  return file.read(1000).split('\n').constFirst().trimmed();
}

}  // namespace

QByteArray storedToken() {
  const QByteArray token = qgetenv("HF_TOKEN").trimmed();
  if (!token.isEmpty()) return token;
  const QString named = qEnvironmentVariable("HF_TOKEN_PATH");
  if (!named.isEmpty()) return firstLine(named);
  const QString home = qEnvironmentVariable("HF_HOME");
  if (!home.isEmpty()) return firstLine(home + QStringLiteral("/token"));
  const auto cache = base_folder("XDG_CACHE_HOME", ".cache");
  if (cache.empty()) return {};
  return firstLine(QString::fromStdString((cache / "huggingface" / "token").string()));
}

}  // namespace quire
