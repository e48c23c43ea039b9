#include "app/richtext/code_text.h"

#include <QFontMetricsF>
#include <QSyntaxHighlighter>
#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

#include "app/richtext/code_lexer.h"

namespace quire {
namespace {

/// Whether a letter takes two columns (Unicode UAX #11, "Wide").
bool isWide(QChar c) {
  const char16_t u = c.unicode();
  return (u >= 0x1100 && u <= 0x115f) || (u >= 0x2e80 && u <= 0xa4cf) ||
         (u >= 0xac00 && u <= 0xd7a3) || (u >= 0xf900 && u <= 0xfaff) ||
         (u >= 0xfe30 && u <= 0xfe6f) || (u >= 0xff00 && u <= 0xff60) ||
         (u >= 0xffe0 && u <= 0xffe6);
}

}  // namespace

qsizetype columnsOf(QStringView text) {
  return text.size() + std::count_if(text.begin(), text.end(), isWide);
}

class CodeHighlighter : public QSyntaxHighlighter {
 public:
  struct Style {
    const CodeLanguage* language = &codeLanguage(QString());
    CodeState startState = 0;
    QColor keyword, call, literal, comment;

    bool operator==(const Style&) const = default;
  };

  using QSyntaxHighlighter::QSyntaxHighlighter;

  void setStyle(const Style& style) {
    if (style == m_style) return;
    m_style = style;
    rehighlight();
  }

 protected:
  void highlightBlock(const QString& line) override;

 private:
  void spaceWideLetters(const QString& line);

  Style m_style;
};

void CodeHighlighter::highlightBlock(const QString& line) {
  const bool isFirst = !currentBlock().previous().isValid();
  CodeState state = isFirst ? m_style.startState : std::max(0, previousBlockState());
  for (const CodeSpan& span : lexCode(line, *m_style.language, state)) {
    const QColor& color = span.token == CodeToken::Keyword   ? m_style.keyword
                          : span.token == CodeToken::Call    ? m_style.call
                          : span.token == CodeToken::Literal ? m_style.literal
                                                             : m_style.comment;
    setFormat(static_cast<int>(span.begin), static_cast<int>(span.length), color);
  }
  spaceWideLetters(line);
  setCurrentBlockState(state);
}

void CodeHighlighter::spaceWideLetters(const QString& line) {
  if (std::none_of(line.begin(), line.end(), isWide)) return;
  const QFontMetricsF metrics(document()->defaultFont());
  const qreal width = 2 * metrics.horizontalAdvance(u'0');
  for (int i = 0; i < line.size(); ++i) {
    if (!isWide(line[i])) continue;
    QTextCharFormat spaced = format(i);
    spaced.setFontLetterSpacingType(QFont::AbsoluteSpacing);
    spaced.setFontLetterSpacing(width - metrics.horizontalAdvance(line[i]));
    setFormat(i, 1, spaced);
  }
}

CodeText::CodeText(QObject* parent) : QObject(parent) {
  connect(this, &CodeText::styleChanged, this, &CodeText::restyle);
}

void CodeText::componentComplete() {
  m_isReady = true;
  begin();
}

void CodeText::setDocument(QQuickTextDocument* document) {
  if (document == m_document) return;
  m_document = document;
  delete m_highlighter;
  begin();
  emit changed();
}

void CodeText::begin() {
  if (!m_document || !m_isReady) return;
  m_document->textDocument()->setUndoRedoEnabled(false);
  m_highlighter = new CodeHighlighter(m_document->textDocument());
  m_shown.clear();
  restyle();
  update();
}

void CodeText::setCode(const QString& code) {
  if (code == m_code) return;
  m_code = code;
  update();
  emit changed();
}

void CodeText::restyle() {
  if (!m_highlighter) return;
  QTextCursor cursor(m_document->textDocument());
  cursor.select(QTextCursor::Document);
  QTextBlockFormat format;
  // Whatever its comments and strings are written in.
  format.setLayoutDirection(Qt::LeftToRight);
  format.setAlignment(Qt::AlignLeft | Qt::AlignAbsolute);
  if (m_lineHeight > 0.0) format.setLineHeight(m_lineHeight, QTextBlockFormat::FixedHeight);
  cursor.setBlockFormat(format);
  m_highlighter->setStyle({&codeLanguage(m_language), m_startState, m_keywordColor, m_callColor,
                           m_literalColor, m_commentColor});
}

/// Appends to code that has only grown, so that the selection and the layout are kept.
void CodeText::update() {
  if (!m_highlighter) return;
  const bool grows = m_code.startsWith(m_shown);
  QTextCursor cursor(m_document->textDocument());
  cursor.beginEditBlock();
  if (grows) {
    cursor.movePosition(QTextCursor::End);
  } else {
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
  }
  // New lines inherit the format of the block.
  cursor.insertText(grows ? m_code.mid(m_shown.size()) : m_code);
  cursor.endEditBlock();
  m_shown = m_code;
}

}  // namespace quire
