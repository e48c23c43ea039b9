#pragma once

#include <QPointer>

#include "app/richtext/formula_item.h"
#include "app/richtext/markup_text.h"

namespace quire {

/// The formulas in a text: lies over the text item, and paints them in the spaces that MarkupText
/// leaves for them.
/// Thread: the window's.
class FormulaLayer : public quire::FormulaItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(quire::MarkupText* markup READ markup WRITE setMarkup NOTIFY markupChanged)

 public:
  using FormulaItem::FormulaItem;

  MarkupText* markup() const { return m_markup; }
  void setMarkup(MarkupText* markup);

 signals:
  void markupChanged();

 protected:
  void updatePolish() override;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  void follow();
  /// The formulas of the text at the places that its layout has for them.
  QList<Placed> laidOut() const;

  QPointer<MarkupText> m_markup;
  QPointer<QObject> m_followed;  ///< The layout of the text's document.
};

}  // namespace quire
