#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QObject>
#include <QPointer>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QString>

#include "app/richtext/math/formula.h"

class QTextCharFormat;
class QTextCursor;
class QTextDocument;

namespace quire {

/// A run of text with one format, parsed from Quire's markup (see MarkdownBlock::markup).
struct MarkupRun {
  QString text;
  bool bold = false;
  bool italic = false;
  bool struck = false;
  bool code = false;
  bool math = false;  ///< `text` is the source of a formula, with its delimiters.
  QString link;

  bool operator==(const MarkupRun&) const = default;
};
QList<MarkupRun> parseMarkup(QStringView markup);
/// The text of a document for a search: as it is shown, each formula one object character. Its
/// characters have the positions of the document's.
QString searchedText(const QTextDocument& document);

/// Shows markup in the document of a text item, each line as a paragraph with a direction of its
/// own. When the markup grows, only the new text is
/// inserted, so that a selection survives streaming and only the new text is laid out. Emphasised
/// Hangul is set in a heavier weight instead of italics. Formulas are single blank characters as
/// wide as they are, over which FormulaLayer paints. Thread: the window's.
class MarkupText : public QObject, public QQmlParserStatus {
  Q_OBJECT
  Q_INTERFACES(QQmlParserStatus)
  QML_ELEMENT
  Q_PROPERTY(QQuickTextDocument* document READ document WRITE setDocument NOTIFY changed)
  Q_PROPERTY(QString markup READ markup WRITE setMarkup NOTIFY changed)
  Q_PROPERTY(QString codeFamily MEMBER m_codeFamily NOTIFY styleChanged)
  /// In pixels; 0: the size of the surrounding text.
  Q_PROPERTY(int codeSize MEMBER m_codeSize NOTIFY styleChanged)
  Q_PROPERTY(QColor codeBackground MEMBER m_codeBackground NOTIFY styleChanged)
  Q_PROPERTY(QColor linkColor MEMBER m_linkColor NOTIFY styleChanged)
  Q_PROPERTY(double lineHeight MEMBER m_lineHeight NOTIFY styleChanged)  ///< Pixels.
  Q_PROPERTY(int textSize MEMBER m_textSize NOTIFY styleChanged)         ///< In pixels.
  /// The text with the sources of its formulas.
  Q_PROPERTY(QString plainText READ plainText NOTIFY changed)
  /// What the text is a part of runs from right to left; so do paragraphs without letters.
  Q_PROPERTY(bool isRightToLeft MEMBER m_isRightToLeft NOTIFY directionChanged)
  /// All paragraphs stand at the side where the whole begins, instead of each where it begins.
  Q_PROPERTY(bool alignsTogether MEMBER m_alignsTogether NOTIFY directionChanged)
  /// The last paragraph runs from right to left.
  Q_PROPERTY(bool endsRightToLeft READ endsRightToLeft NOTIFY changed)

 public:
  explicit MarkupText(QObject* parent = nullptr);
  void classBegin() override { m_isReady = false; }  ///< Waits for all properties.
  void componentComplete() override;

  QQuickTextDocument* document() const { return m_document; }
  void setDocument(QQuickTextDocument* document);
  QString markup() const { return m_markup; }
  void setMarkup(const QString& markup);
  QTextDocument* textDocument() const;
  QString plainText() const;
  /// The position in plainText() of a position of the document, where a formula is one character.
  qsizetype sourcePosition(qsizetype position) const;
  /// The position in the document of one in plainText(); one within a formula is that before it.
  qsizetype documentPosition(qsizetype source) const;
  bool endsRightToLeft() const { return m_endsRightToLeft; }
  /// Copies the selected characters, with the sources of the formulas among them.
  Q_INVOKABLE void copy(int begin, int end) const;

  struct InlineFormula {
    int position = 0;  ///< In the document.
    FormulaPtr formula;
  };
  const QList<InlineFormula>& formulas() const { return m_formulas; }
  /// The size of formulas in pixels.
  double formulaEm() const { return m_textSize * kFormulaScale; }

 signals:
  void changed();
  void formulasChanged();
  void styleChanged();
  void directionChanged();

 private:
  /// A run, and its formula if it is one.
  struct Piece {
    MarkupRun run;
    FormulaPtr formula;
    bool isTall = false;  ///< The formula needs a higher line.

    qsizetype length() const { return formula ? 1 : run.text.size(); }
    bool operator==(const Piece&) const = default;
  };

  QList<Piece> pieces() const;
  bool isTall(const Formula& formula) const;
  QTextCharFormat formatOf(const MarkupRun& run) const;
  QTextCharFormat spaceFor(const Piece& piece) const;
  void insert(QTextCursor& cursor, const Piece& piece, qsizetype from) const;
  void noteFormulas();
  void setLineHeight(QTextCursor& cursor, bool mayGrow);
  QList<bool> directions() const;
  void applyDirections();
  void update();
  void rebuild();

  QPointer<QQuickTextDocument> m_document;
  QString m_markup;
  QList<Piece> m_shown;
  QList<InlineFormula> m_formulas;
  bool m_linesMayGrow = false;
  int m_textSize = 14;
  QString m_codeFamily;
  int m_codeSize = 0;
  QColor m_codeBackground;
  QColor m_linkColor;
  double m_lineHeight = 0.0;
  bool m_isReady = true;
  bool m_isRightToLeft = false;
  bool m_alignsTogether = false;
  bool m_hasDirections = false;  ///< The paragraphs have directions of their own.
  bool m_endsRightToLeft = false;
};

}  // namespace quire
