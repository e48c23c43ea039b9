#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QStringList>

namespace quire {

/// The display state that the rows of one code block or table share: scroll position, wrapping and
/// column widths.
/// Thread: the window's.
class BlockDisplay : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a timeline.")
  Q_PROPERTY(bool wrapped MEMBER m_wrapped NOTIFY wrappedChanged)
  Q_PROPERTY(double scrollX MEMBER m_scrollX NOTIFY scrollXChanged)
  /// The width of the widest row that was shown.
  Q_PROPERTY(double contentWidth READ contentWidth NOTIFY contentWidthChanged)
  Q_PROPERTY(QList<double> columnWidths READ columnWidths NOTIFY columnWidthsChanged)
  Q_PROPERTY(int lineCount READ lineCount NOTIFY lineCountChanged)
  Q_PROPERTY(QString lineCountText READ lineCountText NOTIFY lineCountChanged)

 public:
  using QObject::QObject;

  double contentWidth() const { return m_contentWidth; }
  const QList<double>& columnWidths() const { return m_columnWidths; }
  int lineCount() const { return m_lineCount; }
  QString lineCountText() const;  ///< "812 lines" for long blocks, else empty.
  void setLineCount(int count);
  /// Widens the columns to fit a row of cells (markup). Only cells that may be the widest are
  /// measured.
  void noteCells(const QStringList& cells, bool isHead);
  Q_INVOKABLE void noteWidth(double width);

 signals:
  void wrappedChanged();
  void scrollXChanged();
  void contentWidthChanged();
  void columnWidthsChanged();
  void lineCountChanged();

 private:
  bool m_wrapped = false;
  double m_scrollX = 0.0;
  double m_contentWidth = 0.0;
  QList<double> m_columnWidths;
  QList<int> m_columnWeights;  ///< weightOf() the widest cell of each column.
  int m_lineCount = 0;
};

}  // namespace quire
