#include "app/viewmodels/text/code_highlighter.h"

#include <QRegularExpression>
#include <QSet>

namespace quire {
namespace {

constexpr int kInBlockComment = 1;

const QSet<QString>& keywords() {
  static const QSet<QString> kWords = {
      "and",      "as",        "async",    "await",    "auto",     "bool",      "break",
      "case",     "catch",     "char",     "class",    "const",    "constexpr", "continue",
      "def",      "default",   "del",      "delete",   "do",       "double",    "elif",
      "else",     "enum",      "except",   "export",   "extends",  "False",     "false",
      "final",    "finally",   "float",    "fn",       "for",      "from",      "func",
      "function", "global",    "if",       "impl",     "import",   "in",        "include",
      "int",      "interface", "is",       "lambda",   "let",      "long",      "match",
      "mut",      "namespace", "new",      "None",     "nonlocal", "not",       "null",
      "nullptr",  "or",        "override", "package",  "pass",     "private",   "protected",
      "pub",      "public",    "raise",    "return",   "self",     "static",    "string",
      "struct",   "super",     "switch",   "template", "this",     "throw",     "trait",
      "True",     "true",      "try",      "type",     "typename", "unsigned",  "use",
      "using",    "var",       "virtual",  "void",     "where",    "while",     "with",
      "yield",    "SELECT",    "FROM",     "WHERE",    "INSERT",   "INTO",      "VALUES",
      "UPDATE",   "SET",       "JOIN",     "ORDER",    "GROUP",    "BY",        "then",
      "fi",       "done",      "echo",     "local"};
  return kWords;
}

}  // namespace

void CodeHighlighter::setStyle(const QString& language, const CodeColors& colors) {
  static const QSet<QString> kPlain = {"text",    "txt",      "plain", "output",
                                       "console", "markdown", "md"};
  static const QSet<QString> kHash = {"python", "py",       "sh",    "bash",      "shell", "ruby",
                                      "rb",     "yaml",     "yml",   "toml",      "perl",  "r",
                                      "make",   "makefile", "cmake", "dockerfile"};
  const QString name = language.toLower();
  m_isPlain = kPlain.contains(name);
  m_hashComments = kHash.contains(name);
  m_slashComments = !m_hashComments && !name.isEmpty();
  m_colors = colors;
  rehighlight();
}

/// Colours a comment that began on a line before; where the code goes on, or -1 if it does not.
qsizetype CodeHighlighter::colorBlockComment(const QString& line) {
  if (previousBlockState() != kInBlockComment) return 0;
  const qsizetype end = line.indexOf(QLatin1String("*/"));
  const qsizetype length = end < 0 ? line.size() : end + 2;
  setFormat(0, static_cast<int>(length), m_colors.comment);
  return end < 0 ? -1 : length;
}

qsizetype CodeHighlighter::commentStart(const QString& line) const {
  QChar quote;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!quote.isNull()) {
      if (c == u'\\') ++i;
      if (c == quote) quote = QChar();
    } else if (c == u'"' || c == u'\'') {
      quote = c;
    } else if (m_hashComments && c == u'#') {
      return i;
    } else if (m_slashComments && c == u'/' && i + 1 < line.size() &&
               (line[i + 1] == u'/' || line[i + 1] == u'*')) {
      return i;
    }
  }
  return -1;
}

void CodeHighlighter::highlightBlock(const QString& line) {
  static const QRegularExpression kTokens(QStringLiteral(
      R"(("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\b(\d[\w.]*)\b|\b([A-Za-z_]\w*)\b(\s*\()?)"));
  setCurrentBlockState(0);
  if (m_isPlain) return;
  const qsizetype from = colorBlockComment(line);
  if (from < 0) {
    setCurrentBlockState(kInBlockComment);
    return;
  }
  const qsizetype comment = commentStart(line.mid(from));
  const QString code = comment < 0 ? line : line.left(from + comment);
  for (auto it = kTokens.globalMatch(code, from); it.hasNext();) {
    const QRegularExpressionMatch match = it.next();
    const auto color = [&](int group, const QColor& value) {
      setFormat(static_cast<int>(match.capturedStart(group)),
                static_cast<int>(match.capturedLength(group)), value);
    };
    if (match.hasCaptured(1)) color(1, m_colors.literal);
    if (match.hasCaptured(2)) color(2, m_colors.literal);
    if (!match.hasCaptured(3)) continue;
    if (keywords().contains(match.captured(3))) {
      color(3, m_colors.keyword);
    } else if (match.hasCaptured(4)) {
      color(3, m_colors.call);
    }
  }
  if (comment < 0) return;
  setFormat(static_cast<int>(code.size()), static_cast<int>(line.size() - code.size()),
            m_colors.comment);
  const QStringView rest = QStringView(line).mid(code.size());
  if (rest.startsWith(u"/*") && !rest.mid(2).contains(u"*/")) setCurrentBlockState(kInBlockComment);
}

}  // namespace quire
