#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "app/models/scan/found_model.h"

namespace quire {

/// A model that can guess for another.
struct DraftChoice {
  QString path;
  QString name;

  bool operator==(const DraftChoice&) const = default;
};

/// The models that can guess for others, by what they are: each has the tokens of the model that it
/// guesses for and at most a quarter of its parameters, so that a guess costs little.
class DraftChoices {
 public:
  DraftChoices() = default;
  explicit DraftChoices(const QList<const FoundModel*>& models);

  /// The smallest first, and not more than kMost.
  QList<DraftChoice> of(const FoundModel& model) const;

  static constexpr int kMost = 20;

 private:
  struct Draft {
    qint64 parameters = 0;
    DraftChoice choice;  ///< With its name as it is.
  };
  QHash<QString, QList<Draft>> m_families;  ///< By vocabulary, ascending by parameters.
};

}  // namespace quire
