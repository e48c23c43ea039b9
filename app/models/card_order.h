#pragma once

#include "app/models/model_list_model.h"

namespace quire {

/// By what the cards of a section are ordered.
enum class CardSort { kLastUsed, kName, kSize };

/// Which cards are shown, and in which order.
struct CardQuery {
  QString search;  ///< Each of its words stands in the name, the facts or the section.
  CardSort sort = CardSort::kLastUsed;
  QStringList opened;  ///< Paths that the user opened by themselves.
};

/// A section's name as it is shown, in the language of the moment.
QString sectionWords(const QString& section);

/// Sections: what the user opened, their folders, the applications, what comes with Quire. Models
/// that cannot be loaded are at the end of theirs.
QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query);

/// Those that are loaded and those that were used last, at most `most`: for a menu.
QList<ModelListModel::Row> recent(const QList<ModelCard*>& cards, int most);

}  // namespace quire
