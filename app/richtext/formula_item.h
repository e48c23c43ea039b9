#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QList>
#include <QQuickItem>

#include "app/richtext/math/formula.h"

namespace quire {

/// Paints formulas in the pixels of the screen, whatever its scale.
/// Thread: the window's. The images are painted in updatePolish(), at most once a frame;
/// updatePaintNode() runs in the renderer's thread while the window's waits, and only makes
/// textures of them.
class FormulaItem : public QQuickItem {
  Q_OBJECT
  QML_ANONYMOUS
  Q_PROPERTY(QColor color READ color WRITE setColor NOTIFY colorChanged)

 public:
  struct Placed {
    FormulaPtr formula;
    QPointF baseline;  ///< Its left end, in the item.

    bool operator==(const Placed&) const = default;
  };
  /// A formula as it is painted for the screen.
  struct Painted {
    FormulaPtr formula;
    double em = 0.0;  ///< Device pixels.
    QRgb color = 0;
    FormulaImage image;
  };

  explicit FormulaItem(QQuickItem* parent = nullptr);

  QColor color() const { return m_color; }
  void setColor(const QColor& color);
  const QList<Placed>& placed() const { return m_placed; }
  /// The image of each placed formula; empty before the first polish in a window.
  const QList<Painted>& painted() const { return m_painted; }

 signals:
  void colorChanged();

 protected:
  /// Shows these formulas and no others from the next polish on; `em` is their size in logical
  /// pixels.
  void show(const QList<Placed>& placed, double em);
  void setCaching(FormulaCaching caching) { m_caching = caching; }
  void updatePolish() override;
  QSGNode* updatePaintNode(QSGNode* node, UpdatePaintNodeData*) override;
  void itemChange(ItemChange change, const ItemChangeData& data) override;

 private:
  QColor m_color;
  QList<Placed> m_placed;
  double m_em = 0.0;
  double m_scale = 1.0;  ///< Device pixels of a logical one.
  FormulaCaching m_caching = FormulaCaching::Keep;
  QList<Painted> m_painted;
  quint64 m_numPaintings = 0;  ///< How often m_painted has changed.
};

/// One displayed formula. While it streams, it is typeset at most once a frame.
class FormulaView : public quire::FormulaItem {
  Q_OBJECT
  QML_ELEMENT
  /// LaTeX without delimiters.
  Q_PROPERTY(QString source READ source WRITE setSource NOTIFY sourceChanged)
  /// Of the text around it.
  Q_PROPERTY(int textSize READ textSize WRITE setTextSize NOTIFY sourceChanged)
  /// While more of the source arrives, a command that is not complete is not shown.
  Q_PROPERTY(bool streaming READ isStreaming WRITE setStreaming NOTIFY sourceChanged)
  /// False if the formula is beyond the limits: its source has to be shown.
  Q_PROPERTY(bool isTypeset READ isTypeset NOTIFY formulaChanged)

 public:
  using FormulaItem::FormulaItem;

  QString source() const { return m_source; }
  void setSource(const QString& source);
  int textSize() const { return m_textSize; }
  void setTextSize(int size);
  bool isStreaming() const { return m_isStreaming; }
  void setStreaming(bool isStreaming);
  bool isTypeset() const { return m_formula || !isComponentComplete(); }

 signals:
  void sourceChanged();
  void formulaChanged();

 protected:
  void componentComplete() override;
  void updatePolish() override;

 private:
  void onChanged();
  void typeset();

  QString m_source;
  int m_textSize = 14;
  bool m_isStreaming = false;
  bool m_isStale = false;  ///< m_formula is of an earlier source.
  FormulaPtr m_formula;
};

}  // namespace quire
