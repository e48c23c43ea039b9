#include "app/richtext/markup_text.h"

#include <QAbstractTextDocumentLayout>
#include <QClipboard>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QTextBlock>
#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/richtext/math_spans.h"
#include "app/richtext/message_copy.h"
#include "app/richtext/text_direction.h"

namespace quire {
namespace {

QString unescape(QStringView text) {
  QString plain = text.toString();
  plain.replace(QLatin1String("&lt;"), QLatin1String("<"))
      .replace(QLatin1String("&gt;"), QLatin1String(">"))
      .replace(QLatin1String("&quot;"), QLatin1String("\""))
      .replace(QLatin1String("&amp;"), QLatin1String("&"));
  return plain;
}

/// Applies one tag, such as "b", "/b" or a href="...", to the style of the following text.
void applyTag(QStringView tag, MarkupRun& style) {
  const bool opens = !tag.startsWith(u'/');
  const QStringView name = opens ? tag : tag.mid(1);
  if (name == u"b") style.bold = opens;
  if (name == u"i") style.italic = opens;
  if (name == u"s") style.struck = opens;
  if (name == u"code") style.code = opens;
  if (name == u"math") style.math = opens;
  if (name == u"a") style.link.clear();
  if (name.startsWith(u"a href=\"")) style.link = unescape(name.mid(8).chopped(1));
}

void appendRun(QList<MarkupRun>& runs, MarkupRun style, const QString& text) {
  if (text.isEmpty()) return;
  style.text = text;
  runs.append(style);
}

constexpr int kFormulaObject = QTextFormat::UserObject + 1;
constexpr int kSizeProperty = QTextFormat::UserProperty + 1;
constexpr int kFormulaProperty = QTextFormat::UserProperty + 2;  ///< Of all formulas.

/// The size of a formula that needs a higher line; FormulaLayer paints it.
class FormulaSpace : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)

 public:
  using QObject::QObject;
  QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
    return format.property(kSizeProperty).toSizeF();
  }
  void drawObject(QPainter*, const QRectF&, QTextDocument*, int, const QTextFormat&) override {}
};

/// Signs that must not begin a line.
qsizetype closingSigns(const QString& text) {
  qsizetype count = 0;
  while (count < text.size() && QStringView(u".,;:!?)]}").contains(text[count])) ++count;
  return count;
}

/// A line end begins a paragraph, so that each line has its own direction.
void insertLines(QTextCursor& cursor, QStringView text, const QTextCharFormat& format) {
  for (qsizetype at = 0; at < text.size();) {
    const qsizetype end = text.indexOf(QChar(QChar::LineSeparator), at);
    const QStringView line = text.mid(at, end < 0 ? -1 : end - at);
    if (!line.isEmpty()) cursor.insertText(line.toString(), format);
    if (end < 0) break;
    cursor.insertBlock(cursor.blockFormat(), format);
    at = end + 1;
  }
}

/// At the given side, whatever the direction of the text is.
QTextBlockFormat paragraphFormat(bool isRightToLeft, bool standsAtRight) {
  QTextBlockFormat format;
  format.setLayoutDirection(isRightToLeft ? Qt::RightToLeft : Qt::LeftToRight);
  format.setAlignment((standsAtRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignAbsolute);
  return format;
}

bool hasHangul(const QString& text) {
  return std::any_of(text.begin(), text.end(),
                     [](QChar c) { return c.script() == QChar::Script_Hangul; });
}

}  // namespace

QList<MarkupRun> parseMarkup(QStringView markup) {
  QList<MarkupRun> runs;
  MarkupRun style;
  qsizetype at = 0;
  while (at < markup.size()) {
    const qsizetype tag = markup.indexOf(u'<', at);
    const qsizetype end = tag < 0 ? -1 : markup.indexOf(u'>', tag);
    appendRun(runs, style, unescape(markup.mid(at, tag < 0 ? -1 : tag - at)));
    if (end < 0) break;
    const QStringView name = markup.mid(tag + 1, end - tag - 1);
    if (name == u"br/") {
      appendRun(runs, style, QString(QChar(QChar::LineSeparator)));
    } else {
      applyTag(name, style);
    }
    at = end + 1;
  }
  return runs;
}

QString searchedText(const QTextDocument& document) {
  QString text = document.toPlainText();
  const auto isFormula = [](const QTextFormat& format) {
    return format.hasProperty(kFormulaProperty);
  };
  const QList<QTextFormat> formats = document.allFormats();
  if (std::none_of(formats.cbegin(), formats.cend(), isFormula)) return text;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    for (auto it = block.begin(); !it.atEnd(); ++it) {
      const QTextFragment part = it.fragment();
      if (!isFormula(part.charFormat())) continue;
      text.replace(part.position(), part.length(),
                   QString(part.length(), QChar::ObjectReplacementCharacter));
    }
  }
  return text;
}

MarkupText::MarkupText(QObject* parent) : QObject(parent) {
  connect(this, &MarkupText::styleChanged, this, &MarkupText::rebuild);
  connect(this, &MarkupText::directionChanged, this, &MarkupText::applyDirections);
}

QTextDocument* MarkupText::textDocument() const {
  return m_document && m_isReady ? m_document->textDocument() : nullptr;
}

void MarkupText::setDocument(QQuickTextDocument* document) {
  if (document == m_document) return;
  m_document = document;
  if (QTextDocument* text = textDocument()) text->setUndoRedoEnabled(false);
  rebuild();
  emit changed();
}

void MarkupText::componentComplete() {
  m_isReady = true;
  if (m_document) m_document->textDocument()->setUndoRedoEnabled(false);
  rebuild();
}

void MarkupText::setMarkup(const QString& markup) {
  if (markup == m_markup) return;
  m_markup = markup;
  update();
  emit changed();
}

QTextCharFormat MarkupText::formatOf(const MarkupRun& run) const {
  QTextCharFormat format;
  if (run.bold) format.setFontWeight(QFont::DemiBold);
  if (run.italic && hasHangul(run.text)) {
    format.setFontWeight(QFont::DemiBold);  // Slanted Hangul is hard to read.
  } else if (run.italic) {
    format.setFontItalic(true);
  }
  if (run.struck) format.setFontStrikeOut(true);
  if (run.code) {
    format.setFontFamilies({m_codeFamily});
    if (m_codeSize > 0) format.setProperty(QTextFormat::FontPixelSize, m_codeSize);
    format.setBackground(m_codeBackground);
  }
  if (!run.link.isEmpty()) {
    format.setAnchor(true);
    format.setAnchorHref(run.link);
    format.setForeground(m_linkColor);
    format.setFontUnderline(true);
  }
  return format;
}

/// What is to be shown. A formula beyond the limits is shown as its source. Signs after a formula
/// that the lines are broken around belong to it.
QList<MarkupText::Piece> MarkupText::pieces() const {
  QList<Piece> pieces;
  QList<MarkupRun> runs = parseMarkup(m_markup);
  for (qsizetype i = 0; i < runs.size(); ++i) {
    Piece piece{runs[i]};
    if (piece.run.text.isEmpty()) continue;
    if (piece.run.math) piece.formula = formulaOf(withoutMathDelimiters(piece.run.text), false);
    piece.isTall = piece.formula && isTall(*piece.formula);
    if (piece.isTall && i + 1 < runs.size() && !runs[i + 1].math) {
      const qsizetype numSigns = closingSigns(runs[i + 1].text);
      const QString signs = runs[i + 1].text.left(numSigns);
      FormulaPtr formula;
      if (numSigns > 0)
        formula = formulaOf(u'{' + withoutMathDelimiters(piece.run.text) + u'}' + signs, false);
      if (formula) {
        piece.formula = formula;
        piece.run.text += signs;
        runs[i + 1].text.remove(0, numSigns);
      }
    }
    pieces.append(piece);
  }
  return pieces;
}

/// Whether it would touch the lines above and below.
bool MarkupText::isTall(const Formula& formula) const {
  const double ascent = formula.box.ascent * formulaEm();
  const double descent = formula.box.descent * formulaEm();
  return m_lineHeight > 0.0 && (ascent > 0.75 * m_lineHeight || descent > 0.35 * m_lineHeight);
}

/// The format of the blank character that a formula is in the document. It is a space that breaks
/// no line, so that a comma after it stays at it; of tall ones an object, which makes its line
/// higher.
QTextCharFormat MarkupText::spaceFor(const Piece& piece) const {
  QTextCharFormat format = formatOf(piece.run);
  format.setProperty(kFormulaProperty, true);
  const MathBox& box = piece.formula->box;
  const double width = box.width * formulaEm();
  if (!piece.isTall) {
    QFont font = textDocument()->defaultFont();
    if (piece.run.bold) font.setWeight(QFont::DemiBold);
    font.setItalic(format.fontItalic());
    const double own = QFontMetricsF(font).horizontalAdvance(QChar(QChar::Nbsp));
    format.setFontLetterSpacingType(QFont::AbsoluteSpacing);
    format.setFontLetterSpacing(width - own);
    return format;
  }
  // Qt centres such an object about half the height of an x.
  const double middle = QFontMetrics(format.font()).xHeight() / 2.0;
  const double above = 2 * box.ascent * formulaEm() - middle;
  const double below = 2 * box.descent * formulaEm() + middle;
  format.setObjectType(kFormulaObject);
  format.setVerticalAlignment(QTextCharFormat::AlignMiddle);
  format.setProperty(kSizeProperty, QSizeF(width, std::ceil(std::max(above, below)) + 2));
  return format;
}

void MarkupText::insert(QTextCursor& cursor, const Piece& piece, qsizetype from) const {
  if (!piece.formula) {
    insertLines(cursor, QStringView(piece.run.text).mid(from), formatOf(piece.run));
  } else {
    const QChar blank(piece.isTall ? QChar::ObjectReplacementCharacter : QChar::Nbsp);
    cursor.insertText(QString(blank), spaceFor(piece));
  }
}

void MarkupText::noteFormulas() {
  const bool hadFormulas = !m_formulas.isEmpty();
  m_formulas.clear();
  qsizetype position = 0;
  for (const Piece& piece : m_shown) {
    if (piece.formula) m_formulas.append({static_cast<int>(position), piece.formula});
    position += piece.length();
  }
  if (hadFormulas || !m_formulas.isEmpty()) emit formulasChanged();
}

void MarkupText::setLineHeight(QTextCursor& cursor, bool mayGrow) {
  m_linesMayGrow = mayGrow;
  if (m_lineHeight <= 0.0) return;
  QTextBlockFormat block;
  block.setLineHeight(m_lineHeight,
                      mayGrow ? QTextBlockFormat::MinimumHeight : QTextBlockFormat::FixedHeight);
  QTextCursor all(cursor.document());
  all.select(QTextCursor::Document);
  all.mergeBlockFormat(block);
}

/// Whether each line runs from right to left.
QList<bool> MarkupText::directions() const {
  struct Line {
    TextDirection ofText = TextDirection::None;
    TextDirection ofCode = TextDirection::None;
  };
  QList<Line> lines(1);
  for (const Piece& piece : m_shown) {
    if (piece.formula) continue;
    const QStringView text = piece.run.text;
    for (qsizetype at = 0; at <= text.size();) {
      const qsizetype end = text.indexOf(QChar(QChar::LineSeparator), at);
      TextDirection& line = piece.run.code ? lines.last().ofCode : lines.last().ofText;
      if (line == TextDirection::None) line = directionOf(text.mid(at, end < 0 ? -1 : end - at));
      if (end < 0) break;
      lines.append(Line());
      at = end + 1;
    }
  }
  QList<bool> found;
  for (const Line& line : std::as_const(lines)) {
    const TextDirection direction = line.ofText != TextDirection::None ? line.ofText : line.ofCode;
    const bool before = found.isEmpty() ? m_isRightToLeft : found.last();
    found.append(direction == TextDirection::None ? before
                                                  : direction == TextDirection::RightToLeft);
  }
  return found;
}

/// Gives the paragraphs their directions and sides. Texts from left to right, nearly all, have them
/// already.
void MarkupText::applyDirections() {
  QTextDocument* text = textDocument();
  if (!text) return;
  const QList<bool> wanted = directions();
  const bool ends = wanted.last();
  if (m_isRightToLeft || wanted.contains(true)) m_hasDirections = true;
  if (m_hasDirections) {
    QTextBlock block = text->begin();
    for (const bool isRightToLeft : wanted) {
      if (!block.isValid()) break;
      const QTextBlockFormat format =
          paragraphFormat(isRightToLeft, m_alignsTogether ? m_isRightToLeft : isRightToLeft);
      const QTextBlockFormat shown = block.blockFormat();
      if (shown.layoutDirection() != format.layoutDirection() ||
          shown.alignment() != format.alignment())
        QTextCursor(block).mergeBlockFormat(format);
      block = block.next();
    }
  }
  if (std::exchange(m_endsRightToLeft, ends) != ends) emit changed();
}

/// Keeps the equal pieces, and the beginning of the first run that has only grown.
void MarkupText::update() {
  QTextDocument* text = textDocument();
  if (!text) return;
  const QList<Piece> wantedPieces = pieces();
  auto [shown, wanted] =
      std::mismatch(m_shown.cbegin(), m_shown.cend(), wantedPieces.cbegin(), wantedPieces.cend());
  qsizetype kept = 0;
  for (auto piece = m_shown.cbegin(); piece != shown; ++piece) kept += piece->length();
  qsizetype grown = 0;
  if (shown != m_shown.cend() && wanted != wantedPieces.cend()) {
    Piece before = *shown;
    before.run.text = wanted->run.text;
    const bool isSame = !wanted->formula && before == *wanted;
    if (isSame && wanted->run.text.startsWith(shown->run.text)) grown = shown->run.text.size();
  }
  const bool mayGrow = std::any_of(wantedPieces.cbegin(), wantedPieces.cend(),
                                   [](const Piece& piece) { return piece.isTall; });
  QTextCursor cursor(text);
  cursor.beginEditBlock();
  cursor.setPosition(static_cast<int>(kept + grown));
  cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
  cursor.removeSelectedText();
  if (mayGrow != m_linesMayGrow) setLineHeight(cursor, mayGrow);
  for (; wanted != wantedPieces.cend(); ++wanted, grown = 0) insert(cursor, *wanted, grown);
  cursor.endEditBlock();
  m_shown = wantedPieces;
  applyDirections();
  noteFormulas();
}

void MarkupText::rebuild() {
  QTextDocument* text = textDocument();
  if (!text) return;
  m_shown.clear();
  if (!text->documentLayout()->handlerForObject(kFormulaObject))
    text->documentLayout()->registerHandler(kFormulaObject, new FormulaSpace(text));
  QTextCursor cursor(text);
  cursor.beginEditBlock();
  cursor.select(QTextCursor::Document);
  cursor.removeSelectedText();
  QTextBlockFormat block;
  block.setAlignment(Qt::AlignLeft);  // Where the paragraph begins.
  m_hasDirections = false;
  cursor.setBlockFormat(block);
  setLineHeight(cursor, false);
  cursor.endEditBlock();
  update();
}

QString MarkupText::plainText() const {
  QString text;
  for (const MarkupRun& run : parseMarkup(m_markup)) text += run.text;
  return text.replace(QChar(QChar::LineSeparator), u'\n');
}

qsizetype MarkupText::sourcePosition(qsizetype position) const {
  qsizetype source = 0;
  for (const Piece& piece : m_shown) {
    if (position < piece.length()) return source + (piece.formula ? 0 : position);
    position -= piece.length();
    source += piece.run.text.size();
  }
  return source;
}

qsizetype MarkupText::documentPosition(qsizetype source) const {
  qsizetype position = 0;
  for (const Piece& piece : m_shown) {
    if (source < piece.run.text.size()) return position + (piece.formula ? 0 : source);
    source -= piece.run.text.size();
    position += piece.length();
  }
  return position;
}

void MarkupText::copy(int begin, int end) const {
  QString text;
  qsizetype at = 0;
  for (const Piece& piece : m_shown) {
    const qsizetype from = std::clamp<qsizetype>(begin - at, 0, piece.length());
    const qsizetype to = std::clamp<qsizetype>(end - at, 0, piece.length());
    if (from < to) text += piece.formula ? piece.run.text : piece.run.text.mid(from, to - from);
    at += piece.length();
  }
  text.replace(QChar(QChar::LineSeparator), u'\n');
  QGuiApplication::clipboard()->setText(withoutControls(std::move(text)));
}

}  // namespace quire

#include "markup_text.moc"
