#include <QHash>

#include <algorithm>
#include <utility>

#include "app/richtext/math/math_parser.h"

namespace quire {
namespace {

using Kind = MathNode::Kind;

/// The width of a space command in em; negative values below -1: it is none.
double spaceOf(const QString& name) {
  static const QHash<QString, double> kSpaces = {
      {",", 3.0 / 18},          {"thinspace", 3.0 / 18}, {":", 4.0 / 18},
      {">", 4.0 / 18},          {"medspace", 4.0 / 18},  {";", 5.0 / 18},
      {"thickspace", 5.0 / 18}, {"!", -3.0 / 18},        {"negthinspace", -3.0 / 18},
      {" ", 1.0 / 3},           {"space", 1.0 / 3},      {"nobreakspace", 1.0 / 3},
      {"enspace", 0.5},         {"quad", 1.0},           {"qquad", 2.0}};
  return kSpaces.value(name, -9.0);
}

bool isLevel(const QString& name, MathLevel& level) {
  static const QHash<QString, MathLevel> kLevels = {{"displaystyle", MathLevel::Display},
                                                    {"textstyle", MathLevel::Text},
                                                    {"scriptstyle", MathLevel::Script},
                                                    {"scriptscriptstyle", MathLevel::ScriptScript}};
  const auto found = kLevels.constFind(name);
  if (found == kLevels.cend()) return false;
  level = *found;
  return true;
}

bool isAlphabet(const QString& name, MathAlphabet& alphabet) {
  static const QHash<QString, MathAlphabet> kAlphabets = {{"mathbb", MathAlphabet::Blackboard},
                                                          {"Bbb", MathAlphabet::Blackboard},
                                                          {"mathcal", MathAlphabet::Script},
                                                          {"mathscr", MathAlphabet::Script},
                                                          {"mathfrak", MathAlphabet::Fraktur},
                                                          {"mathbf", MathAlphabet::Bold},
                                                          {"boldsymbol", MathAlphabet::BoldItalic},
                                                          {"bm", MathAlphabet::BoldItalic},
                                                          {"pmb", MathAlphabet::BoldItalic},
                                                          {"mathrm", MathAlphabet::Roman},
                                                          {"mathup", MathAlphabet::Roman},
                                                          {"mathsf", MathAlphabet::Sans},
                                                          {"mathtt", MathAlphabet::Mono},
                                                          {"mathit", MathAlphabet::Italic},
                                                          {"mathnormal", MathAlphabet::Italic},
                                                          {"rm", MathAlphabet::Roman},
                                                          {"bf", MathAlphabet::Bold},
                                                          {"it", MathAlphabet::Italic},
                                                          {"cal", MathAlphabet::Script},
                                                          {"boldmath", MathAlphabet::BoldItalic}};
  const auto found = kAlphabets.constFind(name);
  if (found == kAlphabets.cend()) return false;
  alphabet = *found;
  return true;
}

/// Those that change what follows them in their group.
bool isSwitch(const QString& name) {
  return name == u"rm" || name == u"bf" || name == u"it" || name == u"cal" || name == u"boldmath";
}

}  // namespace

MathParser::Reader MathParser::readerOf(const QString& name) {
  struct Names {
    Reader reader;
    const char* names;
  };
  static const QHash<QString, Reader> kReaders = [] {
    const Names kTable[] = {
        {&MathParser::big,
         "big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm "
         "biggm Biggm"},
        {&MathParser::binomial, "binom dbinom tbinom"},
        {&MathParser::boxed, "boxed fbox framebox"},
        {&MathParser::brace, "overbrace underbrace"},
        {&MathParser::classed,
         "mathop mathbin mathrel mathopen mathclose mathpunct mathinner mathord"},
        {&MathParser::coloured, "textcolor color colorbox"},
        {&MathParser::environment, "begin"},
        {&MathParser::fenced, "left"},
        {&MathParser::fraction, "frac dfrac tfrac cfrac sfrac nicefrac"},
        {&MathParser::horizontalSpace, "hspace kern mkern mskip hskip mspace"},
        {&MathParser::ignored,
         "nonumber notag mathstrut strut protect hfill hfil hline relax right "
         "middle allowbreak nobreak smash cr"},
        {&MathParser::ignoredArgument, "label cline vspace"},
        {&MathParser::line, "overline underline"},
        {&MathParser::modulo, "pmod bmod mod pod"},
        {&MathParser::namedOperator, "operatorname"},
        {&MathParser::negated, "not"},
        {&MathParser::phantom, "phantom hphantom vphantom"},
        {&MathParser::root, "sqrt"},
        {&MathParser::set, "overset underset stackrel"},
        {&MathParser::struck, "cancel bcancel xcancel sout"},
        {&MathParser::substack, "substack"},
        {&MathParser::tag, "tag"},
        {&MathParser::text,
         "text textrm textbf textit textsf texttt textnormal textup mbox hbox "
         "emph textsc"},
        {&MathParser::wideArrow,
         "xrightarrow xleftarrow xRightarrow xLeftarrow xleftrightarrow "
         "xmapsto"},
    };
    QHash<QString, Reader> readers;
    for (const Names& entry : kTable) {
      for (const QString& word : QString::fromLatin1(entry.names).split(u' ', Qt::SkipEmptyParts))
        readers.insert(word, entry.reader);
    }
    return readers;
  }();
  return kReaders.value(name, nullptr);
}

MathNode MathParser::command(const Ends& ends) {
  const QString name = commandName();
  MathLevel level;
  MathAlphabet letters;
  // Outside of a grid a line break shows nothing.
  if (name == u"\\" || name == u"newline") return node(Kind::Row);
  if (isLevel(name, level)) {
    Children rest;
    rest.push_back(row(ends));
    MathNode style = node(Kind::Style, std::move(rest));
    style.level = level;
    return style;
  }
  if (isSwitch(name) && isAlphabet(name, letters)) {
    m_alphabet = letters;  // row() puts the former one back at the end of the group.
    return node(Kind::Row);
  }
  if (isAlphabet(name, letters)) return alphabet(name);
  if (accentOfCommand(name).character != 0) return accent(name);
  if (spaceOf(name) > -2) {
    MathNode space = node(Kind::Space);
    space.amount = spaceOf(name);
    return space;
  }
  if (!operatorName(name).isEmpty()) return namedOperator(name);
  if (const Reader reader = readerOf(name)) return (this->*reader)(name);
  return symbolOrSource(name);
}

MathNode MathParser::symbolOrSource(const QString& name) {
  const MathSymbol symbol = symbolOfCommand(name);
  if (symbol.character != 0) {
    MathNode result = letter(symbol.character);
    result.mathClass = symbol.mathClass;
    result.isLarge = symbol.isLarge;
    result.hasLimits = symbol.hasLimits;
    return result;
  }
  MathNode result = node(Kind::Text);
  const bool isCharacter = name.size() == 1 && !name[0].isLetter();  // \% \$ \& \# \_
  result.text = isCharacter ? name : u'\\' + name;
  return result;
}

/// \over and its like divide the group that they stand in.
std::optional<MathNode> MathParser::infix(const QString& name, Children& before, const Ends& ends) {
  const bool isChoose = name == u"choose";
  if (name != u"over" && name != u"atop" && !isChoose) return std::nullopt;
  Children parts;
  parts.push_back(node(Kind::Row, std::move(before)));
  parts.push_back(row(ends));
  MathNode fraction = node(Kind::Fraction, std::move(parts));
  fraction.hasRule = name == u"over";
  fraction.mathClass = MathClass::Inner;
  if (!isChoose) return fraction;
  Children inside;
  inside.push_back(std::move(fraction));
  MathNode result = node(Kind::Fenced, std::move(inside));
  result.fences = {U'(', U')'};
  return result;
}

bool MathParser::modifiesLast(const QString& name, Children& nodes) {
  if (name != u"limits" && name != u"nolimits") return false;
  if (nodes.empty() || nodes.back().kind == Kind::Scripts) return true;
  MathNode base = std::move(nodes.back());
  nodes.pop_back();
  base.hasLimits = name == u"limits";
  base.forcesLimits = base.hasLimits;
  const bool forces = base.forcesLimits;
  MathNode scripts = withScripts(std::move(base));
  scripts.forcesLimits = forces;
  nodes.push_back(std::move(scripts));
  return true;
}

MathNode MathParser::alphabet(const QString& name) {
  const MathAlphabet before = m_alphabet;
  isAlphabet(name, m_alphabet);
  MathNode result = argument();
  m_alphabet = before;
  return result;
}

MathNode MathParser::big(const QString& name) {
  MathNode result = node(Kind::Delimiter);
  result.amount = name.startsWith(u"bigg")   ? 2.4
                  : name.startsWith(u"Bigg") ? 3.0
                  : name.startsWith(u"Big")  ? 1.8
                                             : 1.2;
  result.mathClass = name.endsWith(u'l')   ? MathClass::Open
                     : name.endsWith(u'r') ? MathClass::Close
                     : name.endsWith(u'm') ? MathClass::Rel
                                           : MathClass::Ord;
  result.symbol = delimiter();
  return result;
}

MathNode MathParser::fraction(const QString& name) {
  Children parts;
  parts.push_back(argument());
  parts.push_back(argument());
  MathNode result = node(Kind::Fraction, std::move(parts));
  result.mathClass = MathClass::Inner;
  const bool isDisplay = name == u"dfrac" || name == u"cfrac";
  if (!isDisplay && name != u"tfrac") return result;
  Children styled;
  styled.push_back(std::move(result));
  MathNode style = node(Kind::Style, std::move(styled));
  style.level = isDisplay ? MathLevel::Display : MathLevel::Text;
  style.mathClass = MathClass::Inner;
  return style;
}

MathNode MathParser::binomial(const QString& name) {
  MathNode inside = fraction(name == u"dbinom" ? QStringLiteral("dfrac") : QStringLiteral("frac"));
  MathNode& stack = inside.kind == Kind::Style ? inside.children[0] : inside;
  stack.hasRule = false;
  Children parts;
  parts.push_back(std::move(inside));
  MathNode result = node(Kind::Fenced, std::move(parts));
  result.fences = {U'(', U')'};
  result.mathClass = MathClass::Ord;
  return result;
}

MathNode MathParser::root(const QString&) {
  MathNode degree = optionalArgument();
  Children parts;
  parts.push_back(argument());
  parts.push_back(std::move(degree));
  return node(Kind::Root, std::move(parts));
}

MathNode MathParser::classed(const QString& name) {
  static const QHash<QString, MathClass> kClasses = {
      {"mathop", MathClass::Op},       {"mathbin", MathClass::Bin},
      {"mathrel", MathClass::Rel},     {"mathopen", MathClass::Open},
      {"mathclose", MathClass::Close}, {"mathpunct", MathClass::Punct},
      {"mathinner", MathClass::Inner}};
  Children inside;
  inside.push_back(argument());
  MathNode result = node(Kind::Row, std::move(inside));
  result.mathClass = kClasses.value(name, MathClass::Ord);
  result.hasLimits = name == u"mathop";
  return result;
}

MathNode MathParser::coloured(const QString& name) {
  rawGroup();  // The colour: formulas are in that of the text around them.
  return name == u"color" ? node(Kind::Row) : argument();
}

MathNode MathParser::ignored(const QString&) {
  return node(Kind::Row);
}

MathNode MathParser::ignoredArgument(const QString&) {
  rawGroup();
  return node(Kind::Row);
}

/// A length such as 1.5em or 18mu, in em.
double MathParser::length() {
  const QString text = peek() == u'{' ? rawGroup().trimmed() : QString();
  QStringView source = text.isEmpty() ? m_source.mid(m_at, 16) : QStringView(text);
  qsizetype end = 0;
  while (end < source.size() && QStringView(u"+-.0123456789").contains(source[end])) ++end;
  bool isNumber = false;
  const double value = source.left(end).toDouble(&isNumber);
  const QStringView unit = source.mid(end, 2);
  if (text.isEmpty() && isNumber) m_at += end + unit.size();
  const double em = unit == u"mu"   ? 1.0 / 18
                    : unit == u"ex" ? 0.43
                    : unit == u"pt" ? 0.1
                    : unit == u"cm" ? 2.8
                    : unit == u"mm" ? 0.28
                                    : 1.0;
  return isNumber ? std::clamp(value * em, -4.0, 20.0) : 0.0;
}

MathNode MathParser::horizontalSpace(const QString&) {
  if (peek() == u'*') ++m_at;
  skipSpaces();
  MathNode space = node(Kind::Space);
  space.amount = length();
  return space;
}

}  // namespace quire
