#include <utility>

#include "app/richtext/math/math_parser.h"

namespace quire {
namespace {

using Kind = MathNode::Kind;

/// The words of \text as they are read: without the commands that only protect a character.
QString plainWords(const QString& source) {
  QString words;
  for (qsizetype i = 0; i < source.size(); ++i) {
    const QChar c = source[i];
    if (c == u'\\' && i + 1 < source.size() && !source[i + 1].isLetter()) {
      words += source[++i];
    } else if (c != u'{' && c != u'}') {
      words += c == u'~' || c == u'\n' ? QChar(u' ') : c;
    }
  }
  return words;
}

}  // namespace

MathNode MathParser::namedOperator(const QString& name) {
  MathNode result = node(Kind::Text);
  result.mathClass = MathClass::Op;
  result.text = operatorName(name);
  result.hasLimits = operatorHasLimits(name);
  if (name != u"operatorname") return result;
  if (peek() == u'*') {
    ++m_at;
    result.hasLimits = true;
  }
  QString words = rawGroup();
  words.replace(QLatin1String("\\,"), QLatin1String(" "));
  words.remove(QLatin1String("\\mathrm")).remove(QLatin1String("\\!"));
  result.text = plainWords(words);
  return result;
}

MathNode MathParser::modulo(const QString& name) {
  Children parts;
  MathNode space = node(Kind::Space);
  space.amount = name == u"bmod" ? 0.0 : 0.6;
  parts.push_back(std::move(space));
  MathNode word = node(Kind::Text);
  word.text = name == u"pmod"  ? QStringLiteral("(mod ")
              : name == u"pod" ? QStringLiteral("(")
                               : QStringLiteral("mod");
  if (name == u"bmod") {
    word.mathClass = MathClass::Bin;
    return word;
  }
  if (name == u"mod") word.text += u' ';
  parts.push_back(std::move(word));
  parts.push_back(argument());
  if (name != u"mod") parts.push_back(letter(U')'));
  return node(Kind::Row, std::move(parts));
}

MathNode MathParser::tag(const QString&) {
  Children parts;
  MathNode space = node(Kind::Space);
  space.amount = 2.0;
  parts.push_back(std::move(space));
  MathNode words = node(Kind::Text);
  words.text = u'(' + plainWords(rawGroup()) + u')';
  parts.push_back(std::move(words));
  return node(Kind::Row, std::move(parts));
}

/// Words, with formulas between dollars.
MathNode MathParser::text(const QString& name) {
  const QString source = rawGroup();
  Children parts;
  if (++m_depth > kMaxDepth) m_failed = true;
  bool isFormula = false;
  for (const QString& piece : source.split(u'$')) {
    if (isFormula && !m_failed) {
      const QStringView outside = std::exchange(m_source, QStringView(piece));
      const qsizetype at = std::exchange(m_at, 0);
      parts.push_back(row({}));
      m_source = outside;
      m_at = at;
    } else if (!piece.isEmpty()) {
      MathNode words = node(Kind::Text);
      words.text = plainWords(piece);
      words.isBold = name == u"textbf";
      parts.push_back(std::move(words));
    }
    isFormula = !isFormula;
  }
  --m_depth;
  if (parts.size() == 1) return std::move(parts[0]);
  return node(Kind::Row, std::move(parts));
}

}  // namespace quire
