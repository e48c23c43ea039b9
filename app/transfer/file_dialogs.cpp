#include "app/transfer/file_dialogs.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLibraryInfo>

#include <algorithm>

namespace quire {
namespace {

bool hasModule() {
  QStringList places = {QLibraryInfo::path(QLibraryInfo::QmlImportsPath)};
  for (const char* const name : {"QML_IMPORT_PATH", "QML2_IMPORT_PATH"}) {
    places += qEnvironmentVariable(name).split(QDir::listSeparator(), Qt::SkipEmptyParts);
  }
  return std::any_of(places.cbegin(), places.cend(), [](const QString& place) {
    return QFile::exists(place + QStringLiteral("/Qt/labs/folderlistmodel/qmldir"));
  });
}

}  // namespace

QString fileDialogFault() {
  static const bool isThere = hasModule();
  if (isThere) return {};
  return QCoreApplication::translate("quire::FileDialogs",
                                     "Files cannot be chosen here: install the package "
                                     "qml6-module-qt-labs-folderlistmodel and start Quire again.");
}

}  // namespace quire
