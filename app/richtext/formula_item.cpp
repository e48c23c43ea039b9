#include "app/richtext/formula_item.h"

#include <QQuickWindow>
#include <QRegularExpression>
#include <QSGImageNode>

#include <algorithm>
#include <cmath>

namespace quire {
namespace {

/// The nodes of an item.
class FormulasNode : public QSGNode {
 public:
  quint64 painting = 0;        ///< FormulaItem::m_numPaintings of the images.
  QList<QSGImageNode*> nodes;  ///< One for each formula; null for an empty image.
};

QSGImageNode* nodeOf(QQuickWindow* window, const QImage& image) {
  if (image.isNull()) return nullptr;
  QSGImageNode* node = window->createImageNode();
  QQuickWindow::CreateTextureOptions options = QQuickWindow::TextureHasAlphaChannel;
  options |= QQuickWindow::TextureCanUseAtlas;
  node->setTexture(window->createTextureFromImage(image, options));
  node->setOwnsTexture(true);
  node->setFiltering(QSGTexture::Linear);
  return node;
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
  polish();
  emit colorChanged();
}

void FormulaItem::show(const QList<Placed>& placed, double em) {
  if (placed == m_placed && em == m_em) return;
  m_placed = placed;
  m_em = em;
  update();
}

void FormulaItem::updatePolish() {
  if (!window()) return;
  m_scale = window()->effectiveDevicePixelRatio();
  const double em = m_em * m_scale;
  const QRgb color = m_color.rgba();
  const bool isPainted =
      std::equal(m_painted.begin(), m_painted.end(), m_placed.begin(), m_placed.end(),
                 [=](const Painted& is, const Placed& wanted) {
                   return is.formula == wanted.formula && is.em == em && is.color == color;
                 });
  if (isPainted) return;
  m_painted.clear();
  for (const Placed& wanted : m_placed) {
    m_painted.append(
        {wanted.formula, em, color, formulaImage(wanted.formula, em, m_color, m_caching)});
  }
  ++m_numPaintings;
  update();
}

QSGNode* FormulaItem::updatePaintNode(QSGNode* node, UpdatePaintNodeData*) {
  auto* root = static_cast<FormulasNode*>(node);
  // Qt's software renderer loses the place of nodes that are added to one that it knows already.
  if (root && root->painting != m_numPaintings) {
    delete root;
    root = nullptr;
  }
  const bool isNew = !root;
  if (isNew) {
    root = new FormulasNode;
    root->painting = m_numPaintings;
  }
  // Formulas that were placed after the polish of this frame are painted in that of the next.
  const qsizetype count = std::min(m_placed.size(), m_painted.size());
  for (qsizetype i = 0; i < count; ++i) {
    const FormulaImage& painted = m_painted[i].image;
    if (isNew) root->nodes.append(nodeOf(window(), painted.image));
    QSGImageNode* image = root->nodes.value(i);
    if (!image) continue;
    // In whole pixels, so that the image is copied as it is.
    const QPointF baseline = m_placed[i].baseline * m_scale;
    const double x = std::round(baseline.x()) - painted.origin.x();
    const double y = std::round(baseline.y()) - painted.origin.y();
    const QSizeF size = QSizeF(painted.image.size()) * painted.pixel;
    image->setRect(QRectF(QPointF(x, y) / m_scale, size / m_scale));
    if (isNew) root->appendChildNode(image);
  }
  return root;
}

void FormulaItem::itemChange(ItemChange change, const ItemChangeData& data) {
  if (change == ItemDevicePixelRatioHasChanged || (change == ItemSceneChange && data.window))
    polish();
  QQuickItem::itemChange(change, data);
}

void FormulaView::setSource(const QString& source) {
  if (source == m_source) return;
  m_source = source;
  onChanged();
  emit sourceChanged();
}

void FormulaView::setTextSize(int size) {
  if (size == m_textSize) return;
  m_textSize = size;
  onChanged();
  emit sourceChanged();
}

void FormulaView::setStreaming(bool isStreaming) {
  if (isStreaming == m_isStreaming) return;
  m_isStreaming = isStreaming;
  onChanged();
  emit sourceChanged();
}

void FormulaView::componentComplete() {
  FormulaItem::componentComplete();
  typeset();
  polish();
}

/// The chunks of a streaming answer are typeset together in the next frame. Other formulas have
/// their size at once, which the places of all below them follow.
void FormulaView::onChanged() {
  m_isStale = true;
  if (!m_isStreaming) typeset();
  polish();
}

void FormulaView::updatePolish() {
  if (m_isStale) typeset();
  FormulaItem::updatePolish();
}

void FormulaView::typeset() {
  if (!isComponentComplete()) return;
  m_isStale = false;
  const FormulaCaching caching = m_isStreaming ? FormulaCaching::Skip : FormulaCaching::Keep;
  m_formula = formulaOf(m_isStreaming ? completePart(m_source) : m_source, true, caching);
  setCaching(caching);
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
