#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "app/models/scan/found_model.h"

namespace quire {

/// A draft model that is offered for another model.
struct DraftChoice {
  QString path;
  QString name;

  bool operator==(const DraftChoice&) const = default;
};

/// Finds the draft models for each model: those with the same tokens (ModelFacts::vocabulary) and
/// at most a quarter of its parameters, so that a guess costs little.
class DraftChoices {
 public:
  DraftChoices() = default;
  explicit DraftChoices(const QList<const FoundModel*>& models);

  /// The draft models for `model`, the smallest first, at most kMost.
  QList<DraftChoice> of(const FoundModel& model) const;

  static constexpr int kMost = 20;

 private:
  struct Draft {
    qint64 parameters = 0;
    DraftChoice choice;  ///< With the name from its file, which may hold control characters.
  };
  QHash<QString, QList<Draft>> m_families;  ///< By vocabulary, ascending by parameters.
};

}  // namespace quire
