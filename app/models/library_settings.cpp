#include "app/models/library_settings.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace quire {

QStringList LibrarySettings::list(const QString& key) const {
  QStringList values;
  const QByteArray stored = m_session.setting(key).toUtf8();
  for (const QJsonValue& value : QJsonDocument::fromJson(stored).array()) {
    if (value.isString() && !values.contains(value.toString())) values.append(value.toString());
  }
  return values;
}

void LibrarySettings::put(const QString& key, const QStringList& values) {
  const QJsonDocument document(QJsonArray::fromStringList(values));
  m_session.putSetting(key, QString::fromUtf8(document.toJson(QJsonDocument::Compact)));
}

int LibrarySettings::sortChoice() const {
  return m_session.setting(kSortKey).toInt();
}

void LibrarySettings::setLastModel(const QString& path) {
  if (m_session.setting(kLastModelKey) != path) m_session.putSetting(kLastModelKey, path);
}

}  // namespace quire
