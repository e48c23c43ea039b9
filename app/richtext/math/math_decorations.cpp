#include <QHash>

#include <utility>

#include "app/richtext/math/math_parser.h"

namespace quire {
namespace {

using Kind = MathNode::Kind;

}  // namespace

MathNode MathParser::accent(const QString& name) {
  const MathAccent accent = accentOfCommand(name);
  Children base;
  base.push_back(argument());
  MathNode result = node(Kind::Accent, std::move(base));
  result.symbol = accent.character;
  result.isWide = accent.isWide;
  result.isBelow = accent.isBelow;
  return result;
}

MathNode MathParser::boxed(const QString& name) {
  Children inside;
  inside.push_back(name == u"boxed" ? argument() : text(name));
  return node(Kind::Boxed, std::move(inside));
}

MathNode MathParser::brace(const QString& name) {
  Children base;
  base.push_back(argument());
  MathNode result = node(Kind::Brace, std::move(base));
  result.isBelow = name == u"underbrace";
  result.hasLimits = true;
  result.mathClass = MathClass::Op;
  return result;
}

MathNode MathParser::line(const QString& name) {
  Children base;
  base.push_back(argument());
  MathNode result = node(Kind::Line, std::move(base));
  result.isBelow = name == u"underline";
  return result;
}

/// A character with a stroke through it, where Unicode has one.
MathNode MathParser::negated(const QString&) {
  MathNode base = argument();
  MathNode& symbol = base.kind == Kind::Row && base.children.size() == 1 ? base.children[0] : base;
  if (symbol.kind == Kind::Symbol) {
    const QString whole = (QString::fromUcs4(&symbol.symbol, 1) + QChar(0x338))
                              .normalized(QString::NormalizationForm_C);
    const QList<uint> points = whole.toUcs4();
    if (points.size() == 1) {
      symbol.symbol = points[0];
      return base;
    }
  }
  const MathClass mathClass = base.mathClass;
  Children inside;
  inside.push_back(std::move(base));
  MathNode result = node(Kind::Struck, std::move(inside));
  result.mathClass = mathClass;
  return result;
}

MathNode MathParser::phantom(const QString& name) {
  Children inside;
  inside.push_back(argument());
  MathNode result = node(Kind::Phantom, std::move(inside));
  result.isWide = name == u"hphantom";
  result.isBelow = name == u"vphantom";
  return result;
}

MathNode MathParser::set(const QString& name) {
  MathNode label = argument();
  Children parts;
  parts.push_back(argument());
  const bool isBelow = name == u"underset";
  parts.push_back(isBelow ? std::move(label) : node(Kind::Row));
  parts.push_back(isBelow ? node(Kind::Row) : std::move(label));
  const MathClass mathClass = parts[0].kind == Kind::Row && parts[0].children.size() == 1
                                  ? parts[0].children[0].mathClass
                                  : parts[0].mathClass;
  MathNode result = node(Kind::Scripts, std::move(parts));
  result.mathClass = name == u"stackrel" ? MathClass::Rel : mathClass;
  result.hasLimits = true;
  result.forcesLimits = true;
  return result;
}

MathNode MathParser::struck(const QString&) {
  Children inside;
  inside.push_back(argument());
  return node(Kind::Struck, std::move(inside));
}

MathNode MathParser::wideArrow(const QString& name) {
  static const QHash<QString, char32_t> kArrows = {{"xrightarrow", U'→'},     {"xleftarrow", U'←'},
                                                   {"xRightarrow", U'⇒'},     {"xLeftarrow", U'⇐'},
                                                   {"xleftrightarrow", U'↔'}, {"xmapsto", U'↦'}};
  MathNode below = optionalArgument();
  Children labels;
  labels.push_back(argument());
  labels.push_back(std::move(below));
  MathNode result = node(Kind::Arrow, std::move(labels));
  result.symbol = kArrows.value(name);
  result.mathClass = MathClass::Rel;
  return result;
}

}  // namespace quire
