#pragma once

#include <QChar>
#include <QList>
#include <QStringView>

namespace quire {

/// How wide the white space at the beginning of a line is; a tab counts four.
int indentOf(QStringView line);
/// The line without up to `columns` of its leading white space.
QStringView dropIndent(QStringView line, int columns);
bool isBlank(QStringView line);
/// Whether this is a line across the page: three or more of one of - _ *.
bool isRule(QStringView line);

/// What begins a list item: its kind and how far its text stands from the line's beginning.
struct ListMarker {
  bool ordered = false;
  QChar mark;           ///< The bullet, or what ends the number.
  unsigned number = 1;  ///< Of an ordered item.
  int length = 0;       ///< Columns up to the item's text.
};

/// Reads a list marker at the beginning of `text`, which has no leading white space.
bool readListMarker(QStringView text, ListMarker& marker);

/// A quote or a list item that is open.
struct Container {
  bool isQuote = false;
  ListMarker list;  ///< Of an item; `length` counts from where its own container's text begins.
};

/// The quotes and list items that a line of Markdown stands in (CommonMark, "Phase 1").
///
/// Invariants: there are at most kMaxDepth, however deep the source claims to be.
class ContainerStack {
 public:
  static constexpr int kMaxDepth = 24;

  /// How many of the open ones go on with this line; `rest` is left as what stands inside them.
  int match(QStringView& rest) const;
  /// Opens what begins in `rest`, after closing all but the first `kept`. True if any item began.
  bool openNew(QStringView& rest, int kept, bool inParagraph);
  /// Whether openNew would open something.
  static bool beginsContainer(QStringView rest, bool inParagraph);
  void truncate(int count) { m_open.resize(count); }

  int size() const { return static_cast<int>(m_open.size()); }
  bool hasQuotesFrom(int index) const;
  int quoteDepth() const;
  int listDepth() const;
  const Container& last() const { return m_open.last(); }

 private:
  QList<Container> m_open;
};

}  // namespace quire
