#include "app/richtext/math_spans.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>

#include "app/richtext/markdown_block.h"

namespace quire {
namespace {

constexpr QChar kPlaceholder(0xFDD0);  ///< A noncharacter, which no text contains.
constexpr char16_t kFirstIndex = 0xE000;
constexpr qsizetype kMaxSpans = 4000;
constexpr qsizetype kMaxInline = 1000;
constexpr qsizetype kMaxClosed = 3 * kMaxInline;  ///< Characters of a formula before its closer.
constexpr qsizetype kMaxOpen = 80;  ///< Characters of a formula that openMathAt() finds.

qsizetype runLength(QStringView text, qsizetype at) {
  qsizetype end = at;
  while (end < text.size() && text[end] == text[at]) ++end;
  return end - at;
}

/// The end of the code span that begins at `at`, or of its backticks if it is not closed.
qsizetype endOfCode(QStringView text, qsizetype at) {
  const qsizetype length = runLength(text, at);
  for (qsizetype i = at + length; i < text.size();) {
    if (text[i] != u'`') {
      ++i;
      continue;
    }
    const qsizetype run = runLength(text, i);
    i += run;
    if (run == length) return i;
  }
  return at + length;
}

/// "5, or 5" between two dollars is money; "5x^2" and "x" are not.
bool looksLikeMoney(QStringView inside) {
  if (!inside[0].isDigit()) return false;
  return std::none_of(inside.begin(), inside.end(),
                      [](QChar c) { return QStringView(u"\\^_=+*/<>{}").contains(c); }) &&
         inside.contains(u' ');
}

/// Only ASCII counts: other scripts write words directly after a formula, such as Korean particles.
bool isAsciiLetterOrDigit(QChar c) {
  return c.unicode() < 128 && c.isLetterOrNumber();
}

/// Whether the dollar sign at `at` may begin a formula; it may be the last character yet.
bool mayOpenAtDollar(QStringView text, qsizetype at) {
  if (at > 0 && (isAsciiLetterOrDigit(text[at - 1]) || text[at - 1] == u'$')) return false;
  return at + 1 >= text.size() || !text[at + 1].isSpace();
}

qsizetype dollarEnd(QStringView text, qsizetype at) {
  if (!mayOpenAtDollar(text, at) || at + 1 >= text.size()) return -1;
  const qsizetype last = std::min(text.size(), at + kMaxInline);
  for (qsizetype i = at + 1; i < last; ++i) {
    if (text[i] == u'\n' || text[i] == u'`') return -1;
    if (text[i] == u'\\') ++i;
    if (i >= last || text[i] != u'$' || text[i - 1] == u'\\') continue;
    const bool closes =
        !text[i - 1].isSpace() && (i + 1 == text.size() || !isAsciiLetterOrDigit(text[i + 1]));
    if (!closes || looksLikeMoney(text.mid(at + 1, i - at - 1))) return -1;
    return i + 1;
  }
  return -1;
}

/// Whether the text ends within a formula that begins at `at`, because the answer was cut off.
bool isCutOff(QStringView text, qsizetype at, qsizetype delimiter) {
  const QStringView rest = text.mid(at + delimiter);
  const bool isOne = rest.size() <= kMaxInline && !rest.contains(u'\n') && !rest.contains(u'`');
  const bool isCommand = rest.size() > 1 && rest[0] == u'\\' && rest[1].isLetter();
  return isOne && (delimiter == 1 ? isCommand && !rest.contains(u'$') : looksLikeTex(rest));
}

/// Searches a text from its beginning to its end and remembers what was found: many openers of
/// formulas without a closer would else search the same characters again and again.
class ForwardSearch {
 public:
  explicit ForwardSearch(QStringView text) : m_text(text) {}

  QStringView text() const { return m_text; }
  /// Where `wanted` is first, from `from` on; the end of the text if it is nowhere. A later call
  /// for the same begins at the same place or behind it.
  qsizetype next(const QString& wanted, qsizetype from) {
    const auto known = m_next.constFind(wanted);
    if (known != m_next.cend() && *known >= from) return *known;
    const qsizetype found = m_text.indexOf(wanted, from);
    return *m_next.insert(wanted, found < 0 ? m_text.size() : found);
  }
  /// Whether a bar stands before `at` in its line. A later call asks for the same place or one
  /// behind it.
  bool isAfterBar(qsizetype at) {
    for (; m_read < at; ++m_read) {
      if (m_text[m_read] == u'\n') m_hasBar = false;
      if (m_text[m_read] == u'|') m_hasBar = true;
    }
    return m_hasBar;
  }

 private:
  QStringView m_text;
  QHash<QString, qsizetype> m_next;
  qsizetype m_read = 0;
  bool m_hasBar = false;  ///< In the line of m_read, before it.
};

/// A formula over several lines must not contain a blank line or begin in a table.
bool mayCrossLines(ForwardSearch& search, qsizetype from, qsizetype end) {
  if (search.next(QStringLiteral("\n"), from) >= end) return true;
  return search.next(QStringLiteral("\n\n"), from) + 1 >= end && !search.isAfterBar(from);
}

/// The closing delimiter of the formula that may begin at `at`; empty if none can begin there.
QString mathCloser(QStringView text, qsizetype at) {
  const QStringView rest = text.mid(at);
  if (rest.startsWith(u"\\(")) return QStringLiteral("\\)");
  const QString closer = displayMathCloser(rest);
  if (!closer.isEmpty() || !rest.startsWith(u'$')) return closer;
  return mayOpenAtDollar(text, at) ? QStringLiteral("$") : QString();
}

/// Where the closer of a formula that begins at `at` is, or -1 if it is not near.
qsizetype findCloser(ForwardSearch& search, const QString& closer, qsizetype at) {
  const qsizetype found = search.next(closer, at + 2);
  const bool isNear = found + closer.size() <= std::min(search.text().size(), at + kMaxClosed);
  return isNear ? found : -1;
}

/// The end of the closed formula that begins at `at`, or -1 if none does.
qsizetype endOfClosedMath(ForwardSearch& search, qsizetype at) {
  const QString closer = mathCloser(search.text(), at);
  if (closer.isEmpty()) return -1;
  if (closer == u"$") return dollarEnd(search.text(), at);
  const qsizetype end = findCloser(search, closer, at);
  if (end < 0 || !mayCrossLines(search, at + 2, end)) return -1;
  const bool isFormula = !search.text().mid(at + 2, end - at - 2).trimmed().isEmpty();
  return isFormula ? end + closer.size() : -1;
}

/// Whether a formula that begins at `at` may be closed by what follows the text.
bool isOpenMath(QStringView text, qsizetype at) {
  const QString closer = mathCloser(text, at);
  if (closer.isEmpty() || text.size() - at > kMaxOpen) return false;
  const QStringView inside = text.mid(at + std::min<qsizetype>(2, closer.size()));
  if (inside.contains(u'`')) return false;
  if (closer == u"$" && !inside.isEmpty() && inside[0].isDigit()) return false;  // Money.
  for (qsizetype i = 0; i < inside.size(); ++i) {
    if (inside.mid(i).startsWith(closer)) return false;
    if (inside[i] == u'\\') ++i;
  }
  return true;
}

/// The end of the formula that begins at `at`, or -1 if none does.
qsizetype endOfMath(ForwardSearch& search, qsizetype at) {
  const QStringView text = search.text();
  const qsizetype end = endOfClosedMath(search, at);
  if (end >= 0) return end;
  const bool isDollar = text[at] == u'$' && !text.mid(at).startsWith(u"$$");
  const QString closer = mathCloser(text, at);
  if (!isDollar && (closer.isEmpty() || findCloser(search, closer, at) >= 0)) return -1;
  return isCutOff(text, at, isDollar ? 1 : 2) ? text.size() : -1;
}

}  // namespace

QString MathSpans::extract(QStringView text) {
  // One of the text itself, within code too, would be taken for a formula.
  const QString own = withoutPlaceholders(text.toString());
  const QStringView source(own);
  ForwardSearch search(source);
  QString out;
  out.reserve(source.size());
  for (qsizetype at = 0; at < source.size();) {
    const QChar c = source[at];
    qsizetype end = at + 1;
    if (c == u'`') {
      end = endOfCode(source, at);
    } else if (c == u'$' || c == u'\\') {
      const qsizetype math = m_sources.size() < kMaxSpans ? endOfMath(search, at) : -1;
      if (math > 0) {
        out += kPlaceholder;
        out += QChar(static_cast<char16_t>(kFirstIndex + m_sources.size()));
        m_sources.append(source.mid(at, math - at).toString());
        at = math;
        continue;
      }
      if (c == u'\\') end = std::min(at + 2, source.size());
    }
    out += source.mid(at, end - at);
    at = end;
  }
  return out;
}

QString MathSpans::withoutPlaceholders(QString text) {
  return text.replace(kPlaceholder, QChar(QChar::ReplacementCharacter));
}

QString MathSpans::restore(const QString& markup) const {
  if (m_sources.isEmpty() || !markup.contains(kPlaceholder)) return markup;
  QString out;
  bool inTag = false;
  for (qsizetype i = 0; i < markup.size(); ++i) {
    const QChar c = markup[i];
    if (c == u'<') inTag = true;
    if (c == u'>') inTag = false;
    const qsizetype index = i + 1 < markup.size() ? markup[i + 1].unicode() - kFirstIndex : -1;
    if (c != kPlaceholder || index < 0 || index >= m_sources.size()) {
      out += c;
      continue;
    }
    ++i;
    const QString& source = m_sources[index];
    out += inTag ? escapeMarkup(source) : mathMarkup(source);
  }
  return out;
}

QString MathSpans::sourceOf(const QString& text) const {
  if (m_sources.isEmpty() || !text.contains(kPlaceholder)) return text;
  QString out;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const qsizetype index =
        text[i] == kPlaceholder && i + 1 < text.size() ? text[i + 1].unicode() - kFirstIndex : -1;
    if (index >= 0 && index < m_sources.size()) {
      out += m_sources[index];
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

QString MathSpans::displayFormula(QStringView line) const {
  const QStringView text = line.trimmed();
  if (!text.startsWith(kPlaceholder) || text.size() < 2 || text.size() > 3) return {};
  if (text.size() == 3 && !QStringView(u".,;").contains(text[2])) return {};
  const qsizetype index = text[1].unicode() - kFirstIndex;
  if (index < 0 || index >= m_sources.size()) return {};
  static const QRegularExpression kLineStart(QStringLiteral(R"(\n[ \t>]+)"));
  QString source = m_sources[index] + text.mid(2).toString();
  return displayMathCloser(source).isEmpty() ? QString()
                                             : source.replace(kLineStart, QStringLiteral("\n"));
}

QString mathMarkup(const QString& source) {
  return QStringLiteral("<math>%1</math>").arg(escapeMarkup(QString(source).replace(u'\n', u' ')));
}

bool looksLikeTex(QStringView text) {
  for (qsizetype i = 0; i + 1 < text.size(); ++i) {
    const QChar c = text[i];
    if (c == u'^' || c == u'_' || (c == u'\\' && text[i + 1].isLetter())) return true;
  }
  return false;
}

qsizetype openMathAt(QStringView line) {
  ForwardSearch search(line);
  for (qsizetype at = 0; at < line.size();) {
    const QChar c = line[at];
    if (c == u'`') {
      const qsizetype end = endOfCode(line, at);
      if (end == at + runLength(line, at)) return -1;  // The line ends in code.
      at = end;
    } else if (c == u'$' || c == u'\\') {
      const qsizetype end = endOfClosedMath(search, at);
      if (end < 0 && isOpenMath(line, at)) return at;
      at = end >= 0 ? end : at + (c == u'\\' ? 2 : 1);
    } else {
      ++at;
    }
  }
  return -1;
}

QString displayMathCloser(QStringView text) {
  if (text.startsWith(u"$$")) return QStringLiteral("$$");
  if (text.startsWith(u"\\[")) return QStringLiteral("\\]");
  static const QRegularExpression kBegin(QStringLiteral(
      R"(^\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|[bBpvV]?matrix|cases)\*?)\})"));
  if (!text.startsWith(u"\\begin{")) return {};
  const QRegularExpressionMatch match = kBegin.match(text.left(40).toString());
  return match.hasMatch() ? QStringLiteral("\\end{%1}").arg(match.captured(1)) : QString();
}

bool isWholeDisplayMath(QStringView text, const QString& closer) {
  QStringView formula = text.trimmed();
  while (!formula.isEmpty() && QStringView(u".,;").contains(formula.back())) formula.chop(1);
  return formula.endsWith(closer) && formula.size() > (closer == u"$$" ? 4 : 3);
}

QString withoutMathDelimiters(const QString& source) {
  const QString text = source.trimmed();
  for (const QStringView marks :
       {QStringView(u"$$$$"), QStringView(u"\\[\\]"), QStringView(u"\\(\\)"), QStringView(u"$$")}) {
    const qsizetype half = marks.size() / 2;
    if (!text.startsWith(marks.left(half))) continue;
    const QString inside = text.mid(half);
    const qsizetype end = inside.lastIndexOf(marks.mid(half));
    if (end < 0) return inside.trimmed();
    return inside.left(end).trimmed() + inside.mid(end + half);  // Keep a full stop after it.
  }
  return text;
}

}  // namespace quire
