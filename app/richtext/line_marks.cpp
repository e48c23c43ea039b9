#include "app/richtext/line_marks.h"

#include <algorithm>

#include "app/richtext/math_spans.h"

namespace quire {
namespace {

qsizetype countOf(QStringView text, QStringView mark) {
  qsizetype count = 0;
  for (qsizetype at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.size()))
    ++count;
  return count;
}

QStringView lastParagraph(const QString& text) {
  return QStringView(text).mid(std::max<qsizetype>(0, text.lastIndexOf(u"\n\n")));
}

}  // namespace

int indentOf(QStringView line) {
  int columns = 0;
  for (const QChar c : line) {
    if (c != u' ' && c != u'\t') break;
    columns += c == u'\t' ? 4 : 1;
  }
  return columns;
}

QStringView dropIndent(QStringView line, int columns) {
  while (columns > 0 && (line.startsWith(u' ') || line.startsWith(u'\t'))) {
    columns -= line[0] == u'\t' ? 4 : 1;
    line = line.mid(1);
  }
  return line;
}

bool isBeforeContent(QChar c) {
  return c == u' ' || c == u'\t' || c == u'>';
}

QStringView fenceOf(QStringView text) {
  if (!text.startsWith(u"```") && !text.startsWith(u"~~~")) return {};
  qsizetype length = 3;
  while (length < text.size() && text[length] == text[0]) ++length;
  const bool backtickInInfo = text[0] == u'`' && text.mid(length).contains(u'`');
  return backtickInInfo ? QStringView() : text.left(length);
}

bool closesFence(QStringView line, const QString& fence) {
  const QStringView text = line.trimmed();
  return !fence.isEmpty() && text.startsWith(fence) && fenceOf(text) == text;
}

QStringView withoutQuoteMarks(QStringView line) {
  while (line.startsWith(u'>') || line.startsWith(u' ')) line = line.mid(1);
  return line.trimmed();
}

const QRegularExpression& listMarker() {
  static const QRegularExpression kMarker(
      QStringLiteral(R"(^\s*(?:(\d{1,9})([.)])|([-+*]))(\s+|$))"));
  return kMarker;
}

bool beginsWithMarker(QStringView text) {
  return listMarker().match(text.left(64).toString()).hasMatch();
}

bool isHeading(QStringView text) {
  qsizetype level = 0;
  while (level < text.size() && text[level] == u'#') ++level;
  return level >= 1 && level <= 6 && (level == text.size() || text[level].isSpace());
}

bool consistsOf(QStringView text, QChar mark) {
  return std::all_of(text.begin(), text.end(), [mark](QChar c) { return c == mark; });
}

bool isRule(QStringView text) {
  const QString marks = text.toString().remove(u' ').remove(u'\t');
  return marks.size() >= 3 && QStringView(u"-_*").contains(marks[0]) && consistsOf(marks, marks[0]);
}

bool isUnderline(QStringView text) {
  return (text[0] == u'=' || text[0] == u'-') && consistsOf(text, text[0]);
}

/// Linear: a pattern tries a long line's spaces in all ways before it gives up.
bool isTableDelimiter(QStringView text) {
  if (!text.contains(u'-') || !text.contains(u'|')) return false;
  qsizetype at = 0;
  const auto skip = [&](auto&& isSkipped) {
    const qsizetype from = at;
    while (at < text.size() && isSkipped(text[at])) ++at;
    return at - from;
  };
  const auto take = [&](QChar mark) { at += at < text.size() && text[at] == mark ? 1 : 0; };
  const auto isSpace = [](QChar c) { return c == u' ' || (c >= u'\t' && c <= u'\r'); };
  skip([&](QChar c) { return c == u'>' || isSpace(c); });
  take(u'|');
  for (;;) {  // A column, and the bar after it.
    skip(isSpace);
    take(u':');
    if (skip([](QChar c) { return c == u'-'; }) == 0) return false;
    take(u':');
    skip(isSpace);
    if (at == text.size()) return true;
    if (text[at++] != u'|') return false;
    skip(isSpace);
    if (at == text.size()) return true;
  }
}

bool mayBecomeMarker(QStringView line) {
  const QStringView text = line.trimmed();
  if (text.size() > 4) return false;
  return std::all_of(text.begin(), text.end(), [](QChar c) {
    return c.isDigit() || QStringLiteral("-+*_=#>|`~.)$\\[(").contains(c);
  });
}

QString closeOpenMarkup(const QString& open) {
  const qsizetype lastLine = open.lastIndexOf(u'\n') + 1;
  QString shown = mayBecomeMarker(QStringView(open).mid(lastLine)) ? open.left(lastLine) : open;
  const qsizetype line = shown.lastIndexOf(u'\n') + 1;
  if (const qsizetype formula = openMathAt(QStringView(shown).mid(line)); formula >= 0)
    shown.truncate(line + formula);
  if (shown.endsWith(u'\\') && !shown.endsWith(u"\\\\")) shown.chop(1);  // The next sign decides.
  while (!shown.isEmpty() && shown.back().isSpace()) shown.chop(1);
  if (countOf(lastParagraph(shown), u"`") % 2 == 1) return shown + u'`';
  if (countOf(lastParagraph(shown), u"**") % 2 == 0) return shown;
  while (shown.endsWith(u'*') || shown.endsWith(u' ')) shown.chop(1);
  return countOf(lastParagraph(shown), u"**") % 2 == 1 ? shown + QStringLiteral("**") : shown;
}

}  // namespace quire
