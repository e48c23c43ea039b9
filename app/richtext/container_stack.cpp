#include "app/richtext/container_stack.h"

#include <algorithm>

namespace quire {
namespace {

constexpr int kTab = 4;

bool isWhite(QChar c) {
  return c == u' ' || c == u'\t';
}

bool takeQuoteMark(QStringView& rest) {
  if (indentOf(rest) > 3) return false;
  const QStringView text = dropIndent(rest, 3);
  if (!text.startsWith(u'>')) return false;
  rest = dropIndent(text.mid(1), 1);
  return true;
}

/// A list item may interrupt a paragraph only if it is not empty and, if numbered, begins with 1.
bool mayInterrupt(const ListMarker& marker, QStringView text) {
  if (marker.ordered && marker.number != 1) return false;
  return !isBlank(text.mid(text.indexOf(marker.mark) + 1));
}

bool readItem(QStringView rest, bool inParagraph, ListMarker& marker) {
  const int indent = indentOf(rest);
  const QStringView text = dropIndent(rest, indent);
  if (inParagraph && indent > 3) return false;
  if (isRule(text) || !readListMarker(text, marker)) return false;
  if (inParagraph && !mayInterrupt(marker, text)) return false;
  marker.length += indent;
  return true;
}

}  // namespace

int indentOf(QStringView line) {
  int columns = 0;
  for (const QChar c : line) {
    if (!isWhite(c)) break;
    columns += c == u'\t' ? kTab : 1;
  }
  return columns;
}

QStringView dropIndent(QStringView line, int columns) {
  qsizetype at = 0;
  while (columns > 0 && at < line.size() && isWhite(line[at])) {
    columns -= line[at] == u'\t' ? kTab : 1;
    ++at;
  }
  return line.mid(at);
}

bool isBlank(QStringView line) {
  return std::all_of(line.begin(), line.end(), [](QChar c) { return c.isSpace(); });
}

bool isRule(QStringView line) {
  QChar mark;
  int count = 0;
  for (const QChar c : line) {
    if (c.isSpace()) continue;
    if (mark.isNull()) mark = c;
    if (c != mark) return false;
    ++count;
  }
  return count >= 3 && (mark == u'-' || mark == u'_' || mark == u'*');
}

bool readListMarker(QStringView text, ListMarker& marker) {
  constexpr int kMaxDigits = 9;
  qsizetype at = 0;
  unsigned number = 0;
  while (at < text.size() && at < kMaxDigits && text[at] >= u'0' && text[at] <= u'9') {
    number = number * 10 + static_cast<unsigned>(text[at].unicode() - u'0');
    ++at;
  }
  if (at == text.size()) return false;
  const QChar mark = text[at];
  const bool ordered = at > 0 && (mark == u'.' || mark == u')');
  const bool bullet = at == 0 && (mark == u'-' || mark == u'*' || mark == u'+');
  if (!ordered && !bullet) return false;
  const QStringView after = text.mid(at + 1);
  if (!after.isEmpty() && !isWhite(after[0])) return false;
  const int space = indentOf(after);
  const bool wide = space > 4 || isBlank(after);
  marker = {ordered, mark, ordered ? number : 1, static_cast<int>(at) + 1 + (wide ? 1 : space)};
  return true;
}

int ContainerStack::match(QStringView& rest) const {
  int matched = 0;
  for (const Container& container : m_open) {
    if (container.isQuote) {
      if (!takeQuoteMark(rest)) break;
    } else if (!isBlank(rest)) {
      if (indentOf(rest) < container.list.length) break;
      rest = dropIndent(rest, container.list.length);
    }
    ++matched;
  }
  return matched;
}

bool ContainerStack::beginsContainer(QStringView rest, bool inParagraph) {
  ListMarker marker;
  return takeQuoteMark(rest) || readItem(rest, inParagraph, marker);
}

bool ContainerStack::openNew(QStringView& rest, int kept, bool inParagraph) {
  const Container before = kept < size() ? m_open[kept] : Container{.isQuote = true, .list = {}};
  truncate(kept);
  bool began = false;
  while (size() < kMaxDepth) {
    ListMarker marker;
    if (takeQuoteMark(rest)) {
      m_open.append(Container{.isQuote = true, .list = {}});
    } else if (readItem(rest, inParagraph && size() == kept, marker)) {
      const bool continues = size() == kept && !before.isQuote &&
                             before.list.ordered == marker.ordered &&
                             before.list.mark == marker.mark;
      if (continues) marker.number = before.list.number + 1;
      m_open.append(Container{.isQuote = false, .list = marker});
      const QStringView text = dropIndent(rest, indentOf(rest));
      const qsizetype begin = text.indexOf(marker.mark) + 1;
      const QStringView body = text.mid(begin);
      rest = dropIndent(body, marker.length - static_cast<int>(rest.size() - body.size()));
      began = true;
    } else {
      break;
    }
  }
  return began;
}

bool ContainerStack::hasQuotesFrom(int index) const {
  return std::any_of(m_open.begin() + index, m_open.end(),
                     [](const Container& container) { return container.isQuote; });
}

int ContainerStack::quoteDepth() const {
  return static_cast<int>(
      std::count_if(m_open.begin(), m_open.end(), [](const Container& c) { return c.isQuote; }));
}

int ContainerStack::listDepth() const {
  return size() - quoteDepth();
}

}  // namespace quire
