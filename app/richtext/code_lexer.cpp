#include "app/richtext/code_lexer.h"

#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace quire {
namespace {

constexpr CodeState kInComment = 1;
constexpr CodeState kFirstQuote = 2;
constexpr qsizetype kMaxLine = 20000;  ///< Longer lines are not coloured.

QStringList strings(const QJsonValue& value) {
  return value.toVariant().toStringList();
}

CodeLanguage readLanguage(const QJsonObject& json) {
  const QStringList keywords =
      json[QLatin1String("keywords")].toString().split(u' ', Qt::SkipEmptyParts);
  const QStringList comment = strings(json[QLatin1String("comment")]);
  CodeLanguage language;
  language.keywords = QSet<QString>(keywords.begin(), keywords.end());
  language.lineComments = strings(json[QLatin1String("lineComments")]);
  language.commentBegin = comment.value(0);
  language.commentEnd = comment.value(1);
  language.quotes = json[QLatin1String("quotes")].toString(language.quotes);
  language.longQuotes = strings(json[QLatin1String("longQuotes")]);
  language.ignoresCase = json[QLatin1String("ignoresCase")].toBool();
  language.hasTags = json[QLatin1String("hasTags")].toBool();
  language.isPlain = json[QLatin1String("isPlain")].toBool();
  language.wordLetters = json[QLatin1String("wordLetters")].toString();
  return language;
}

/// The languages by each of their names; the generic language has the name "".
QHash<QString, CodeLanguage> readLanguages() {
  QFile file(QStringLiteral(":/quire/highlighting/languages.json"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QHash<QString, CodeLanguage> all;
  const QJsonArray languages = QJsonDocument::fromJson(file.readAll()).array();
  for (const QJsonValue& json : languages) {
    const CodeLanguage language = readLanguage(json.toObject());
    for (const QString& name : json[QLatin1String("names")].toString().split(u' '))
      all.insert(name, language);
  }
  return all;
}

class Lexer {
 public:
  Lexer(QStringView line, const CodeLanguage& language, CodeState& state)
      : m_line(line), m_language(language), m_state(state) {}

  QList<CodeSpan> run();

 private:
  bool continueOpen();
  bool takeComment();
  bool takeString();
  bool takeNumber();
  bool takeWord();
  void mark(qsizetype end, CodeToken token);
  bool isWord(QChar c) const;

  QStringView m_line;
  const CodeLanguage& m_language;
  CodeState& m_state;
  qsizetype m_at = 0;
  QList<CodeSpan> m_spans;
};

bool Lexer::isWord(QChar c) const {
  return c.isLetterOrNumber() || c == u'_' || m_language.wordLetters.contains(c);
}

/// Adds a span up to `end` and continues there.
void Lexer::mark(qsizetype end, CodeToken token) {
  m_spans.append({m_at, end - m_at, token});
  m_at = end;
}

/// Continues a comment or string that began on an earlier line.
bool Lexer::continueOpen() {
  if (m_state == 0) return false;
  const bool isComment = m_state == kInComment;
  const QString closer =
      isComment ? m_language.commentEnd : m_language.longQuotes.value(m_state - kFirstQuote);
  const qsizetype end = closer.isEmpty() ? m_at : m_line.indexOf(closer, m_at);
  if (end >= 0) m_state = 0;
  mark(end < 0 ? m_line.size() : end + closer.size(),
       isComment ? CodeToken::Comment : CodeToken::Literal);
  return true;
}

bool Lexer::takeComment() {
  const QStringView rest = m_line.mid(m_at);
  const QString& begin = m_language.commentBegin;
  if (!begin.isEmpty() && rest.startsWith(begin)) {
    const qsizetype end = m_line.indexOf(m_language.commentEnd, m_at + begin.size());
    if (end < 0) m_state = kInComment;
    mark(end < 0 ? m_line.size() : end + m_language.commentEnd.size(), CodeToken::Comment);
    return true;
  }
  for (const QString& comment : m_language.lineComments) {
    if (!rest.startsWith(comment)) continue;
    const bool inWord = comment[0] == u'#' && m_at > 0 && !m_line[m_at - 1].isSpace();
    if (inWord) continue;  // Not a comment: $#, a colour, an anchor.
    mark(m_line.size(), CodeToken::Comment);
    return true;
  }
  return false;
}

bool Lexer::takeString() {
  const QStringView rest = m_line.mid(m_at);
  for (qsizetype i = 0; i < m_language.longQuotes.size(); ++i) {
    const QString& quote = m_language.longQuotes[i];
    if (!rest.startsWith(quote)) continue;
    const qsizetype end = m_line.indexOf(quote, m_at + quote.size());
    if (end < 0) m_state = kFirstQuote + static_cast<int>(i);
    mark(end < 0 ? m_line.size() : end + quote.size(), CodeToken::Literal);
    return true;
  }
  const QChar quote = m_line[m_at];
  if (!m_language.quotes.contains(quote)) return false;
  qsizetype end = m_at + 1;
  while (end < m_line.size() && m_line[end] != quote) end += m_line[end] == u'\\' ? 2 : 1;
  mark(std::min(end + 1, m_line.size()), CodeToken::Literal);
  return true;
}

bool Lexer::takeNumber() {
  if (!m_line[m_at].isDigit()) return false;
  qsizetype end = m_at;
  while (end < m_line.size() && (m_line[end].isLetterOrNumber() || m_line[end] == u'.')) ++end;
  mark(end, CodeToken::Literal);
  return true;
}

bool Lexer::takeWord() {
  if (!isWord(m_line[m_at])) return false;
  qsizetype end = m_at;
  while (end < m_line.size() && isWord(m_line[end])) ++end;
  QString word = m_line.mid(m_at, end - m_at).toString();
  const bool isTag = m_language.hasTags && m_at > 0 &&
                     (m_line[m_at - 1] == u'<' ||
                      (m_line[m_at - 1] == u'/' && m_at > 1 && m_line[m_at - 2] == u'<'));
  if (m_language.ignoresCase) word = word.toLower();
  const qsizetype next = end + (end < m_line.size() && m_line[end] == u' ' ? 1 : 0);
  if (isTag || m_language.keywords.contains(word)) {
    mark(end, CodeToken::Keyword);
  } else if (next < m_line.size() && m_line[next] == u'(') {
    mark(end, CodeToken::Call);
  } else if (m_language.hasTags && end < m_line.size() && m_line[end] == u'=') {
    mark(end, CodeToken::Call);  // An attribute.
  } else {
    m_at = end;
  }
  return true;
}

QList<CodeSpan> Lexer::run() {
  if (m_line.size() > kMaxLine || m_language.isPlain) return {};
  continueOpen();
  while (m_at < m_line.size()) {
    if (m_line[m_at].isSpace()) {
      ++m_at;
      continue;
    }
    if (!takeComment() && !takeString() && !takeNumber() && !takeWord()) ++m_at;
  }
  return m_spans;
}

}  // namespace

QString codeLanguageName(QStringView info) {
  constexpr qsizetype kMaxName = 40;
  const QStringView text = info.trimmed();
  const auto* const end =
      std::find_if(text.begin(), text.end(), [](QChar c) { return c.isSpace() || c == u'{'; });
  return text.first(std::min<qsizetype>(end - text.begin(), kMaxName)).toString();
}

const CodeLanguage& codeLanguage(const QString& name) {
  static const QHash<QString, CodeLanguage> kLanguages = readLanguages();
  static const CodeLanguage kOther = kLanguages.value(QString());
  const auto found = kLanguages.constFind(name.toLower());
  return found == kLanguages.cend() ? kOther : *found;
}

QList<CodeSpan> lexCode(QStringView line, const CodeLanguage& language, CodeState& state) {
  return Lexer(line, language, state).run();
}

}  // namespace quire
