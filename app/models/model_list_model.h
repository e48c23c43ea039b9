#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/models/model_card.h"
#include "app/role_list_model.h"

namespace quire {

/// Cards in the order given to it.
/// Thread: the window's.
class ModelListModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the library.")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(bool hasSeveral READ hasSeveral NOTIFY countChanged)

 public:
  enum Role { kCard = Qt::UserRole + 1, kSection };
  struct Row {
    ModelCard* card = nullptr;
    QString section;  ///< The rows of a section are adjacent.

    bool operator==(const Row&) const = default;
  };

  explicit ModelListModel(QObject* parent = nullptr);

  int numRows() const override { return count(); }

  int count() const { return static_cast<int>(m_rows.size()); }
  bool hasSeveral() const { return count() > 1; }
  ModelCard* cardAt(int row) const { return m_rows.value(row).card; }
  /// Inserts, removes and moves single rows, so that the view keeps its position.
  void setRows(const QList<Row>& rows);

 signals:
  void countChanged();

 private:
  void replaceRows(const QList<Row>& rows);
  void moveRows(const QList<Row>& rows);

  QList<Row> m_rows;
};

/// The order of the cards within a section.
enum class CardSort { kLastUsed, kName, kSize };

/// Which cards are shown, and in which order.
struct CardQuery {
  QString search;  ///< Every word of it occurs in the name, the facts or the section.
  CardSort sort = CardSort::kLastUsed;
  QStringList opened;  ///< Paths of models that the user opened directly.
};

/// The name of a section in the current language.
QString sectionLabel(const QString& section);

/// The matching cards by section: loaded models, models that the user opened, the user's folders,
/// other applications, models that come with Quire, and those that cannot be loaded.
QList<ModelListModel::Row> ordered(const QList<ModelCard*>& cards, const CardQuery& query);

/// At most `most` cards to choose from: the loaded ones first, then the most recently used. With
/// words to search for, those that match; otherwise only those that were used.
QList<ModelListModel::Row> recent(const QList<ModelCard*>& cards, int most,
                                  const QString& search = {});

}  // namespace quire
