#pragma once

#include <QString>
#include <QStringList>

/// The precisions of the KV cache among which the user can choose, by LoadRequest::cacheType.
namespace quire::cache_types {

bool isOffered(const QString& type);   ///< Whether it has a label.
QString labelOf(const QString& type);  ///< "8 bit"; empty if it is not offered.

/// Whether devices that support the types `supported` support `type`. An empty `supported` means
/// that nothing is known yet, and gives true.
bool isSupported(const QString& type, const QStringList& supported);

/// Types and their labels, of equal length. The first type is "", which means no choice.
struct Choices {
  QStringList types;
  QStringList labels;
};

/// What a device, or all of them, can use, and what it uses by default; empty while not known.
struct Support {
  QStringList types;
  QString standard;
};

/// The supported types, the most exact first. Of the two types with 16 bits the list has the
/// chosen one, else the device's own. It has `chosen` even if that is not supported, with a label
/// that says so. `noChoice` is the label of "".
Choices choices(const QString& noChoice, const Support& device, const QString& chosen);

}  // namespace quire::cache_types
