#include "app/models/cache_types.h"

#include <QCoreApplication>

namespace quire::cache_types {
namespace {

constexpr QLatin1String kF16("f16");
constexpr QLatin1String kBf16("bf16");

struct CacheTypesTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::CacheTypesTexts)
};

}  // namespace

bool isOffered(const QString& type) {
  return !labelOf(type).isEmpty();
}

QString labelOf(const QString& type) {
  if (type == QLatin1String("f32")) return CacheTypesTexts::tr("32 bit");
  if (type == kF16 || type == kBf16) return CacheTypesTexts::tr("16 bit");
  if (type == QLatin1String("i8")) return CacheTypesTexts::tr("8 bit");
  return {};
}

bool isSupported(const QString& type, const QStringList& supported) {
  return supported.isEmpty() || supported.contains(type);
}

Choices choices(const QString& noChoice, const Support& device, const QString& chosen) {
  const bool isBf16 = chosen == kBf16 || (device.standard == kBf16 && chosen != kF16);
  Choices all = {{QString()}, {noChoice}};
  for (const QString& type :
       {QStringLiteral("f32"), QString(isBf16 ? kBf16 : kF16), QStringLiteral("i8")}) {
    const bool isHere = isSupported(type, device.types);
    if (!isHere && type != chosen) continue;
    all.types.append(type);
    all.labels.append(isHere ? labelOf(type)
                             : CacheTypesTexts::tr("%1, not on this device").arg(labelOf(type)));
  }
  return all;
}

}  // namespace quire::cache_types
