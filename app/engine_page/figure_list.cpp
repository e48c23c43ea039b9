#include "app/engine_page/figure_list.h"

#include <utility>

namespace quire {

FigureList::FigureList(std::function<QList<Figure>()> make, QObject* parent)
    : QAbstractListModel(parent),
      m_make(std::move(make)),
      m_count(static_cast<int>(m_make().size())) {}

int FigureList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_count;
}

QVariant FigureList::data(const QModelIndex& index, int role) const {
  const Figure figure = m_make().value(index.row());
  switch (role) {
    case kLabel:
      return figure.label;
    case kValue:
      return figure.value;
    case kHint:
      return figure.hint;
    default:
      return {};
  }
}

QHash<int, QByteArray> FigureList::roleNames() const {
  return {{kLabel, "label"}, {kValue, "value"}, {kHint, "hint"}};
}

void FigureList::refresh() {
  emit dataChanged(index(0), index(m_count - 1));
}

}  // namespace quire
