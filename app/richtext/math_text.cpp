#include "app/richtext/math_text.h"

#include <QSet>

#include <algorithm>

#include "app/richtext/math_box.h"
#include "app/richtext/math_symbols.h"
#include "kernels/base/work_budget.h"

namespace quire {
namespace {

constexpr int kMaxDepth = 24;
constexpr qsizetype kMaxSource = 20000;
constexpr qsizetype kMaxSize = 20000;
/// Characters that are copied for a formula. A matrix of ten by ten takes some 20,000.
constexpr uint64_t kMaxSteps = 2'000'000;
constexpr int kMaxRows = 100;

bool isSingleTerm(QStringView text) {
  return std::all_of(text.begin(), text.end(), [](QChar c) {
    return c.isLetterOrNumber() || c.isMark() || c.isSurrogate() || c == u'.' || c == u'′';
  });
}

QString inBrackets(const QString& text) {
  return isSingleTerm(text) ? text : u'(' + text + u')';
}

/// A recursive-descent parser of formulas.
/// Invariants: m_depth bounds the recursion; m_failed stops parsing. What a command multiplies
/// (accents on each character, matrices, boxes) is measured before it is built.
class MathReader {
 public:
  MathReader(QStringView source, MathStyle style) : m_source(source), m_style(style) {}

  MathBox read() { return sequence(QString()); }
  bool failed() const { return m_failed; }

 private:
  /// Whether a text or box of that size may be built.
  bool mayBuild(qsizetype size) {
    if (size > kMaxSize || !m_budget.spend(static_cast<uint64_t>(size) + 1)) m_failed = true;
    return !m_failed;
  }
  bool atEnd() const { return m_failed || m_at >= m_source.size(); }
  QChar peek() const { return atEnd() ? QChar() : m_source[m_at]; }
  MathBox sequence(const QString& environment);
  MathBox atom();
  MathBox command();
  MathBox named(const QString& name);
  QString symbol(const QString& name);
  MathBox environment(const QString& name);
  QString commandName();
  QString argument();
  QString rawArgument();
  QString fraction();
  QString root();
  QString scripts();
  void rawLength();
  void skipSpaces();
  QString delimiter();

  QStringView m_source;
  MathStyle m_style;
  qsizetype m_at = 0;
  int m_depth = 0;
  WorkBudget m_budget{{.steps = kMaxSteps}};
  bool m_failed = false;
};

void MathReader::skipSpaces() {
  while (!atEnd() && peek().isSpace()) ++m_at;
}

/// Reads up to the end of the open group or environment, without consuming that.
MathBox MathReader::sequence(const QString& environment) {
  MathBox box;
  if (++m_depth > kMaxDepth) m_failed = true;
  while (!atEnd() && peek() != u'}') {
    const QStringView rest = m_source.mid(m_at);
    const bool inGrid = !environment.isEmpty();
    if (rest.startsWith(u"\\end{") || (inGrid && (peek() == u'&' || rest.startsWith(u"\\\\")))) {
      break;
    }
    const MathBox next = atom();
    const bool isSecondSpace = next.lines[0] == u" " && box.lines.last().endsWith(u' ');
    if (isSecondSpace && box.isOneLine()) continue;
    const bool extends = box.isOneLine() && next.isOneLine();
    if (!mayBuild(extends ? next.width() : sizeWith(box, next))) break;
    if (box.width() > kMaxSize) m_failed = true;
    appendBox(box, next);
  }
  --m_depth;
  return box;
}

MathBox MathReader::atom() {
  const QChar c = m_source[m_at];
  if (c == u'\\') return command();
  ++m_at;
  if (c == u'^' || c == u'_') {
    --m_at;
    return MathBox(scripts());
  }
  if (c == u'{') {
    MathBox inside = sequence(QString());
    if (peek() == u'}') ++m_at;
    return inside;
  }
  if (c.isSpace()) {
    skipSpaces();
    return MathBox(QStringLiteral(" "));
  }
  if (c == u'&') return MathBox();
  if (c == u'~') return MathBox(QStringLiteral(" "));
  if (c == u'\'') return MathBox(QStringLiteral("′"));
  if (c == u'-') return MathBox(QStringLiteral("−"));
  return MathBox(QString(c));
}

/// Superscripts and subscripts such as "^2_i", in their order in the source.
QString MathReader::scripts() {
  QString out;
  while (peek() == u'^' || peek() == u'_') {
    const bool up = m_source[m_at++] == u'^';
    QString inside = argument();
    inside.remove(u' ');
    if (inside.isEmpty()) continue;
    const QString small = up ? superscript(inside) : subscript(inside);
    const QString mark = QString(up ? u'^' : u'_');
    const bool single = inside.size() == 1;
    out += !small.isEmpty() ? small : mark + (single ? inside : u'(' + inside + u')');
  }
  return out;
}

/// The argument of a command or script as one line: a group, a command or one character.
QString MathReader::argument() {
  skipSpaces();
  if (atEnd() || peek() == u'}') return {};
  if (++m_depth > kMaxDepth) m_failed = true;
  QString out;
  if (!m_failed) {
    const MathBox box =
        peek() == u'^' || peek() == u'_' ? MathBox(QString(m_source[m_at++])) : atom();
    if (mayBuild(box.size())) out = box.flat().trimmed();
  }
  --m_depth;
  return out;
}

/// The source of a group, for words and names.
QString MathReader::rawArgument() {
  skipSpaces();
  if (peek() != u'{') return argument();
  qsizetype end = ++m_at;
  for (int open = 1; end < m_source.size(); ++end) {
    if (m_source[end] == u'{') ++open;
    if (m_source[end] == u'}' && --open == 0) break;
  }
  const QString text = m_source.mid(m_at, end - m_at).toString();
  m_at = std::min(end + 1, m_source.size());
  return text;
}

QString MathReader::commandName() {
  ++m_at;
  if (atEnd()) return {};
  qsizetype end = m_at;
  const auto isLetter = [](QChar c) { return c.unicode() < 128 && c.isLetter(); };
  while (end < m_source.size() && isLetter(m_source[end])) ++end;
  if (end == m_at) ++end;
  const QString name = m_source.mid(m_at, end - m_at).toString();
  m_at = end;
  return name;
}

QString MathReader::fraction() {
  const QString top = argument();
  const QString bottom = argument();
  const auto isDigit = [](QChar c) { return c.isDigit(); };
  const bool mixed = std::any_of(bottom.begin(), bottom.end(), isDigit) &&
                     !std::all_of(bottom.begin(), bottom.end(), isDigit);
  const bool isPlain = isSingleTerm(bottom) && !mixed;
  return isSingleTerm(top) && isPlain
             ? top + QChar(0x2044) + bottom
             : inBrackets(top) + u'/' + (isPlain ? bottom : u'(' + bottom + u')');
}

QString MathReader::root() {
  QString degree;
  skipSpaces();
  if (peek() == u'[') {
    const qsizetype end = m_source.indexOf(u']', m_at);
    if (end > 0) {
      degree = m_source.mid(m_at + 1, end - m_at - 1).toString();
      m_at = end + 1;
    }
  }
  const QString inside = inBrackets(argument());
  if (degree == u"3") return QStringLiteral("∛") + inside;
  if (degree == u"4") return QStringLiteral("∜") + inside;
  return superscript(degree) + QStringLiteral("√") + inside;
}

/// Skips a dot after \left, \right or \big, which stands for no delimiter.
QString MathReader::delimiter() {
  skipSpaces();
  if (peek() != u'.') return {};
  ++m_at;
  return {};
}

MathBox MathReader::command() {
  const QString name = commandName();
  if (name.isEmpty()) return MathBox(QStringLiteral("\\"));
  if (name == u"begin") return environment(rawArgument());
  if (name == u"\\") {
    return MathBox(m_style == MathStyle::Display ? QStringLiteral("\n") : QStringLiteral("; "));
  }
  return named(name);
}

MathBox MathReader::named(const QString& name) {
  static const QSet<QString> kNothing = {
      "displaystyle", "textstyle", "limits",  "nolimits", "nonumber", "notag", "!",
      "mathstrut",    "boldmath",  "protect", "hline",    "middle",   "/",     "hfill"};
  static const QSet<QString> kSizes = {"left", "right", "big",  "Big",   "bigg",  "Bigg",  "bigl",
                                       "bigr", "Bigl",  "Bigr", "biggl", "biggr", "Biggl", "Biggr"};
  static const QSet<QString> kWords = {"text",   "textrm",     "textbf", "textit", "mathrm",
                                       "mbox",   "mathit",     "mathsf", "mathtt", "operatorname",
                                       "texttt", "textnormal", "hbox"};
  static const QSet<QString> kPlain = {"mathbf",    "boldsymbol", "bm",      "mathnormal", "boxed",
                                       "overbrace", "underbrace", "phantom", "substack",   "color"};
  if (kNothing.contains(name)) return MathBox();
  if (kSizes.contains(name)) return MathBox(delimiter());
  if (kWords.contains(name)) return MathBox(rawArgument().remove(u'$').remove(u'*'));
  if (kPlain.contains(name)) return MathBox(argument());
  if (name == u"frac" || name == u"dfrac" || name == u"tfrac" || name == u"cfrac")
    return MathBox(fraction());
  if (name == u"sqrt") return MathBox(root());
  if (name == u"mathbb") return MathBox(blackboardLetters(rawArgument()));
  if (name == u"mathcal" || name == u"mathscr") return MathBox(scriptLetters(rawArgument()));
  if (name == u"binom" || name == u"dbinom" || name == u"tbinom") {
    const QString top = argument();
    return MathBox(QStringLiteral("C(%1, %2)").arg(top, argument()));
  }
  if (name == u"pmod") return MathBox(QStringLiteral(" (mod %1)").arg(argument()));
  if (name == u"tag") return MathBox(QStringLiteral("  (%1)").arg(rawArgument()));
  if (name == u"not") return MathBox(argument() + QChar(0x338));
  if (name == u"overset" || name == u"stackrel" || name == u"underset") {
    const QString small = argument();
    return MathBox(argument() + (name[0] == u'u' ? u'_' : u'^') + inBrackets(small));
  }
  return MathBox(symbol(name));
}

QString MathReader::symbol(const QString& name) {
  if (const QChar accent = mathAccent(name); !accent.isNull()) {
    const QString base = argument();
    if (base.size() > 2 && !name.endsWith(u"line")) return name + u'(' + base + u')';
    if (!mayBuild(2 * base.size())) return {};
    QString out;
    for (const QChar c : base) {
      out += c;
      if (!c.isHighSurrogate()) out += accent;
    }
    return out;
  }
  if (isMathFunction(name)) {
    const bool spaced = peek().isLetterOrNumber() || peek() == u'\\';
    return name + (spaced ? QStringLiteral(" ") : QString());
  }
  if (name == u"," || name == u";" || name == u":" || name == u" " || name == u">")
    return QStringLiteral(" ");
  if (name == u"quad") return QStringLiteral("  ");
  if (name == u"qquad") return QStringLiteral("    ");
  if (name == u"|") return QStringLiteral("‖");
  if (!name[0].isLetter()) return name;  // \{ \} \% \$ \& \# \_
  const QString sign = mathSymbol(name);
  return sign.isEmpty() ? u'\\' + name : sign;
}

/// Skips the distance between two rows: "[2pt]".
void MathReader::rawLength() {
  const qsizetype end = m_source.left(m_at + 12).indexOf(u']', m_at);
  if (end > 0 && m_source[m_at + 1].isDigit()) m_at = end + 1;
}

MathBox MathReader::environment(const QString& name) {
  QList<QStringList> rows = {{}};
  if (name.startsWith(u"array") || name.startsWith(u"alignat")) rawArgument();
  bool ended = false;
  while (!atEnd() && !ended && rows.size() <= kMaxRows) {
    const qsizetype before = m_at;
    const MathBox cell = sequence(name);
    if (!mayBuild(cell.size())) break;
    rows.last().append(cell.flat().trimmed());
    const QStringView rest = m_source.mid(m_at);
    if (rest.startsWith(u"\\end{")) {
      m_at += 4;
      rawArgument();
      ended = true;
    } else if (rest.startsWith(u"\\\\")) {
      m_at += 2;
      if (peek() == u'[') rawLength();
      rows.append(QStringList());
    } else if (!atEnd()) {
      ++m_at;  // The end of a column, or an unmatched brace.
    }
    if (m_at == before) break;
  }
  const QStringList& last = rows.last();
  if (rows.size() > 1 && last.join(QString()).isEmpty()) rows.removeLast();
  if (!mayBuild(gridSize(rows))) return {};
  return gridBox(rows, name, m_style == MathStyle::Inline);
}

/// Puts spaces around relations.
QString spaced(const QString& line) {
  static const QString kRelations = QStringLiteral("=≤≥≠≈≡∼≃≅∝≪≫∈∉⊂⊆⇒⇔⟹⟺→↦<>");
  QString out;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!kRelations.contains(c)) {
      out += c;
      continue;
    }
    const bool inside = i > 0 && (line[i - 1] == u'(' || line[i - 1] == u'_');
    if (!out.isEmpty() && !out.back().isSpace() && !inside) out += u' ';
    out += c;
    if (i + 1 < line.size() && !line[i + 1].isSpace() && !inside) out += u' ';
  }
  return out;
}

}  // namespace

QString mathText(QStringView source, MathStyle style) {
  if (source.size() > kMaxSource) return source.toString();
  MathReader reader(source, style);
  const MathBox box = reader.read();
  if (reader.failed()) return source.toString();
  QStringList lines;
  for (const QString& line : box.lines) {
    const QString shown = box.isOneLine() ? spaced(line) : line;
    lines.append(shown);
  }
  while (lines.size() > 1 && lines.last().trimmed().isEmpty()) lines.removeLast();
  const QString text = lines.join(u'\n');
  return lines.size() == 1 ? text.trimmed() : text;
}

}  // namespace quire
