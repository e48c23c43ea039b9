#pragma once

#include <QString>
#include <QStringList>

/// What keys and values are kept in, for a choice in words: the types of LoadRequest::cacheType
/// among which someone would choose by their bits.
namespace quire::cache_types {

bool isOffered(const QString& type);  ///< It has words; of the rest nobody asks anything.
QString words(const QString& type);   ///< "8 bit"; empty if it is not offered.

/// Whether devices that keep `kept` keep it; of an empty `kept` nothing is known, and all are kept.
bool isKept(const QString& type, const QStringList& kept);

/// Types and their words, of one length: first "", which is no choice.
struct Choices {
  QStringList types;
  QStringList labels;
};

/// What a device, or all of them, can keep, and what it keeps unless someone chooses; empty: not
/// known yet.
struct Kept {
  QStringList types;
  QString standard;
};

/// The offered ones among those that are kept, the most exact first; of the two with 16 bits that
/// which is chosen, else the device's own. What is `chosen` is among them even if it is not kept,
/// and says so. `nothing` are the words for no choice.
Choices choices(const QString& nothing, const Kept& device, const QString& chosen);

}  // namespace quire::cache_types
