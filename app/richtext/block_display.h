#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>
#include <QObject>
#include <QStringList>

namespace quire {

/// What the rows of one block of code or of one table have in common: how they are scrolled and
/// wrapped, and how wide their columns are. Thread: the window's.
class BlockDisplay : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a timeline.")
  Q_PROPERTY(bool wrapped MEMBER m_wrapped NOTIFY wrappedChanged)
  Q_PROPERTY(double scrollX MEMBER m_scrollX NOTIFY scrollXChanged)
  /// Of the widest row that has been shown.
  Q_PROPERTY(double contentWidth READ contentWidth NOTIFY contentWidthChanged)
  Q_PROPERTY(QList<double> columnWidths READ columnWidths NOTIFY columnWidthsChanged)
  Q_PROPERTY(int lineCount READ lineCount NOTIFY lineCountChanged)
  Q_PROPERTY(QString lineCountText READ lineCountText NOTIFY lineCountChanged)

 public:
  using QObject::QObject;

  double contentWidth() const { return m_contentWidth; }
  const QList<double>& columnWidths() const { return m_columnWidths; }
  int lineCount() const { return m_lineCount; }
  QString lineCountText() const;  ///< "812 lines" for long blocks; else empty.
  void setLineCount(int count);
  /// A line of the table has these cells (markup): columns become at least as wide. Cells are
  /// measured only when they may be the widest.
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
  QList<int> m_columnWeights;  ///< Of the cell that was measured: its letters, wide ones twice.
  int m_lineCount = 0;
};

}  // namespace quire
