#pragma once

#include <QString>
#include <QStringList>

/// What keys and values are kept in, for a choice in words: the types of LoadRequest::cacheType
/// among which somebody would choose by their bits.
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

/// The offered ones among those that are `kept`, the most exact first. What is `chosen` is among
/// them even if it is not kept, and says so. `nothing` are the words for no choice.
Choices choices(const QString& nothing, const QStringList& kept, const QString& chosen);

}  // namespace quire::cache_types
