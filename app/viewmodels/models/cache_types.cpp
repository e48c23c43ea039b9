#include "app/viewmodels/models/cache_types.h"

#include <QCoreApplication>

namespace quire::cache_types {
namespace {

/// The most exact first. Of two with as many bits, the one that keeps more of them for digits.
constexpr const char* kOffered[] = {"f32", "f16", "i8"};

QString tr(const char* text) {
  return QCoreApplication::translate("quire::cache_types", text);
}

}  // namespace

bool isOffered(const QString& type) {
  return !words(type).isEmpty();
}

QString words(const QString& type) {
  if (type == QLatin1String("f32")) return tr("32 bit");
  if (type == QLatin1String("f16")) return tr("16 bit");
  if (type == QLatin1String("i8")) return tr("8 bit");
  return {};
}

bool isKept(const QString& type, const QStringList& kept) {
  return kept.isEmpty() || kept.contains(type);
}

Choices choices(const QString& nothing, const QStringList& kept, const QString& chosen) {
  Choices all = {{QString()}, {nothing}};
  for (const char* const each : kOffered) {
    const QString type = QString::fromLatin1(each);
    const bool isHere = isKept(type, kept);
    if (!isHere && type != chosen) continue;
    all.types.append(type);
    all.labels.append(isHere ? words(type) : tr("%1, not on this device").arg(words(type)));
  }
  return all;
}

}  // namespace quire::cache_types
