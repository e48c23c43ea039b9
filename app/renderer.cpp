#include "app/renderer.h"

#include <QDir>
#include <QQuickWindow>

namespace quire {

bool hasGraphicsProcessor(const QString& devices) {
  const QDir folder(devices);
  const QDir direct(folder.filePath(QStringLiteral("dri")));
  if (!direct.entryList({QStringLiteral("renderD*")}, QDir::Files | QDir::System).isEmpty()) {
    return true;
  }
  return folder.exists(QStringLiteral("nvidiactl")) || folder.exists(QStringLiteral("dxg"));
}

void chooseRenderer() {
#ifdef Q_OS_LINUX
  const bool isChosen =
      qEnvironmentVariableIsSet("QT_QUICK_BACKEND") || qEnvironmentVariableIsSet("QSG_RHI_BACKEND");
  if (isChosen || hasGraphicsProcessor(QStringLiteral("/dev"))) return;
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
#endif
}

}  // namespace quire
