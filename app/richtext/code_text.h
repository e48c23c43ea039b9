#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QObject>
#include <QPointer>
#include <QQmlParserStatus>
#include <QQuickTextDocument>
#include <QString>

namespace quire {

class CodeHighlighter;

/// How many columns a text takes where code is shown: a wide letter (Unicode UAX #11) takes two.
qsizetype columnsOf(QStringView text);

/// Shows code in the document of a text item, with syntax highlighting. As with MarkupText, growing
/// code is only appended to. Wide letters, such as Hangul, take two columns.
/// Thread: the window's.
class CodeText : public QObject, public QQmlParserStatus {
  Q_OBJECT
  Q_INTERFACES(QQmlParserStatus)
  QML_ELEMENT
  Q_PROPERTY(QQuickTextDocument* document READ document WRITE setDocument NOTIFY changed)
  Q_PROPERTY(QString code READ code WRITE setCode NOTIFY changed)
  Q_PROPERTY(QString language MEMBER m_language NOTIFY styleChanged)
  /// The lexer's state at the beginning, for a later part of a block (see CodeState).
  Q_PROPERTY(int startState MEMBER m_startState NOTIFY styleChanged)
  Q_PROPERTY(QColor keywordColor MEMBER m_keywordColor NOTIFY styleChanged)
  Q_PROPERTY(QColor callColor MEMBER m_callColor NOTIFY styleChanged)
  Q_PROPERTY(QColor literalColor MEMBER m_literalColor NOTIFY styleChanged)
  Q_PROPERTY(QColor commentColor MEMBER m_commentColor NOTIFY styleChanged)
  Q_PROPERTY(double lineHeight MEMBER m_lineHeight NOTIFY styleChanged)  ///< Pixels.

 public:
  explicit CodeText(QObject* parent = nullptr);
  void classBegin() override { m_isReady = false; }  ///< Waits for all properties.
  void componentComplete() override;

  QQuickTextDocument* document() const { return m_document; }
  void setDocument(QQuickTextDocument* document);
  QString code() const { return m_code; }
  void setCode(const QString& code);

 signals:
  void changed();
  void styleChanged();

 private:
  void begin();
  void update();
  void restyle();

  QPointer<QQuickTextDocument> m_document;
  QPointer<CodeHighlighter> m_highlighter;
  QString m_code;
  QString m_shown;
  QString m_language;
  int m_startState = 0;
  QColor m_keywordColor;
  QColor m_callColor;
  QColor m_literalColor;
  QColor m_commentColor;
  double m_lineHeight = 0.0;
  bool m_isReady = true;
};

}  // namespace quire
