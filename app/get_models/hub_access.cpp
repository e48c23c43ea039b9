#include "app/get_models/hub_access.h"

#include <QRegularExpression>

namespace quire {

bool namesModel(const QString& text) {
  static const QRegularExpression kName(QStringLiteral("\\A\\S*[/:]\\S*\\z"));
  return kName.match(text).hasMatch();
}

}  // namespace quire
