#include "app/richtext/formula_item.h"

#include <QQuickWindow>
#include <QRegularExpression>
#include <QSGImageNode>

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

/// The nodes of an item, and what they show.
class FormulasNode : public QSGNode {
 public:
  struct Painted {
    FormulaPtr formula;
    double em = 0.0;
    QRgb color = 0;
    QPointF origin;
    QSize size;
    QSGImageNode* node = nullptr;
  };
  QList<Painted> painted;

  bool shows(const QList<FormulaItem::Placed>& placed, double em, QRgb color) const {
    return std::equal(painted.begin(), painted.end(), placed.begin(), placed.end(),
                      [=](const Painted& is, const FormulaItem::Placed& wanted) {
                        return is.formula == wanted.formula && is.em == em && is.color == color;
                      });
  }
};

FormulasNode::Painted paintNode(QQuickWindow* window, const FormulaPtr& formula, double em,
                                const QColor& color) {
  const FormulaImage image = formulaImage(formula, em, color);
  FormulasNode::Painted painted{formula, em, color.rgba(), image.origin, image.image.size()};
  if (image.image.isNull()) return painted;
  painted.node = window->createImageNode();
  QQuickWindow::CreateTextureOptions options = QQuickWindow::TextureHasAlphaChannel;
  options |= QQuickWindow::TextureCanUseAtlas;
  painted.node->setTexture(window->createTextureFromImage(image.image, options));
  painted.node->setOwnsTexture(true);
  painted.node->setFiltering(QSGTexture::Linear);
  return painted;
}

/// The source up to where a command or a script is not complete yet.
QString completePart(const QString& source) {
  static const QRegularExpression kOpenEnd(QStringLiteral(
      R"((?:\\(?:left|right|begin|end)?\s*|\\(?:begin|end)\{[^}]*|\\[a-zA-Z]+|[\^_]\s*\{?)$)"));
  QString complete = source;
  return complete.remove(kOpenEnd);
}

}  // namespace

FormulaItem::FormulaItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
}

void FormulaItem::setColor(const QColor& color) {
  if (color == m_color) return;
  m_color = color;
  update();
  emit colorChanged();
}

void FormulaItem::show(const QList<Placed>& placed, double em) {
  if (placed == m_placed && em == m_em) return;
  m_placed = placed;
  m_em = em;
  update();
}

QSGNode* FormulaItem::updatePaintNode(QSGNode* node, UpdatePaintNodeData*) {
  auto* root = static_cast<FormulasNode*>(node);
  const double scale = window()->effectiveDevicePixelRatio();
  const double em = m_em * scale;
  // Qt's software renderer loses the place of nodes that are added to one that it knows already.
  if (root && !root->shows(m_placed, em, m_color.rgba())) {
    delete root;
    root = nullptr;
  }
  const bool isNew = !root;
  if (isNew) root = new FormulasNode;
  for (qsizetype i = 0; i < m_placed.size(); ++i) {
    const Placed& wanted = m_placed[i];
    if (isNew) root->painted.append(paintNode(window(), wanted.formula, em, m_color));
    const FormulasNode::Painted& painted = root->painted[i];
    if (!painted.node) continue;
    // In whole pixels, so that the image is copied as it is.
    const double x = std::round(wanted.baseline.x() * scale) - painted.origin.x();
    const double y = std::round(wanted.baseline.y() * scale) - painted.origin.y();
    painted.node->setRect(x / scale, y / scale, painted.size.width() / scale,
                          painted.size.height() / scale);
    if (isNew) root->appendChildNode(painted.node);
  }
  return root;
}

void FormulaItem::itemChange(ItemChange change, const ItemChangeData& data) {
  if (change == ItemDevicePixelRatioHasChanged) update();
  QQuickItem::itemChange(change, data);
}

void FormulaView::setSource(const QString& source) {
  if (source == m_source) return;
  m_source = source;
  typeset();
  emit sourceChanged();
}

void FormulaView::setTextSize(int size) {
  if (size == m_textSize) return;
  m_textSize = size;
  typeset();
  emit sourceChanged();
}

void FormulaView::setStreaming(bool isStreaming) {
  if (isStreaming == m_isStreaming) return;
  m_isStreaming = isStreaming;
  typeset();
  emit sourceChanged();
}

void FormulaView::componentComplete() {
  FormulaItem::componentComplete();
  typeset();
}

void FormulaView::typeset() {
  if (!isComponentComplete()) return;
  m_formula = formulaOf(m_isStreaming ? completePart(m_source) : m_source, true);
  const double em = m_textSize * kFormulaScale;
  if (m_formula) {
    const MathBox& box = m_formula->box;
    const double ascent = std::ceil(box.ascent * em);
    setImplicitSize(std::ceil(box.width * em) + 1, ascent + std::ceil(box.descent * em) + 1);
    show({{m_formula, QPointF(0, ascent)}}, em);
  } else {
    setImplicitSize(0, 0);
    show({}, em);
  }
  emit formulaChanged();
}

}  // namespace quire
