#pragma once

#include <QString>

namespace quire {

/// Words for a setting (CatalogEntry.id) that people search for and that its texts do not have, in
/// English, separated by commas; empty: there are none. To be translated in
/// kSettingSynonymsContext, where a translation has the words of its language, which need not be as
/// many. Thread: any.
QString settingSynonyms(const QString& id);

inline constexpr const char* kSettingSynonymsContext = "quire::SettingSynonyms";

}  // namespace quire
