#include "app/richtext/math_symbols.h"

#include <QHash>
#include <QSet>

namespace quire {
namespace {

const QHash<QString, QString>& symbols() {
  static const QHash<QString, QString> kSymbols = [] {
    const QString table = QStringLiteral(
        "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ "
        "iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ "
        "varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ "
        "Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω "
        "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ "
        "bigotimes ⨂ bigvee ⋁ bigwedge ⋀ "
        "times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ "
        "odot ⊙ dagger † ddagger ‡ setminus ∖ wedge ∧ vee ∨ land ∧ lor ∨ cap ∩ cup ∪ sqcup ⊔ "
        "sqcap ⊓ uplus ⊎ amalg ⨿ "
        "leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ "
        "prec ≺ succ ≻ preceq ⪯ succeq ⪰ leqslant ⩽ geqslant ⩾ doteq ≐ asymp ≍ "
        "in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ sqsubseteq ⊑ "
        "parallel ∥ perp ⊥ mid ∣ nmid ∤ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ "
        "forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ "
        "to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ "
        "Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ longrightarrow ⟶ "
        "longleftarrow ⟵ Longrightarrow ⟹ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ "
        "searrow ↘ hookrightarrow ↪ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝ "
        "infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ imath ı jmath ȷ angle ∠ "
        "triangle △ square □ Box □ blacksquare ■ diamond ⋄ prime ′ degree ° sqrt √ surd √ "
        "therefore ∴ because ∵ ldots … cdots ⋯ dots … dotsc … dotsb ⋯ vdots ⋮ ddots ⋱ "
        "langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ vert | Vert ‖ lvert | rvert | lVert ‖ "
        "rVert ‖ lbrace { rbrace } lbrack [ rbrack ] backslash \\ colon : "
        "checkmark ✓ copyright © pounds £ euro € S § P ¶ AA Å ae æ oe œ ss ß");
    QHash<QString, QString> map;
    const QStringList words = table.split(u' ', Qt::SkipEmptyParts);
    for (qsizetype i = 0; i + 1 < words.size(); i += 2) map.insert(words[i], words[i + 1]);
    return map;
  }();
  return kSymbols;
}

/// Replaces characters of `from` by those of `to`; empty if `text` has any other character.
QString mapAll(QStringView text, QStringView from, QStringView to) {
  QString out;
  for (const QChar c : text) {
    const qsizetype at = from.indexOf(c);
    if (at < 0) return {};
    out += to[at];
  }
  return out;
}

}  // namespace

QString mathSymbol(const QString& command) {
  return symbols().value(command);
}

bool isMathFunction(const QString& command) {
  static const QSet<QString> kFunctions = {
      "sin",    "cos",  "tan",  "cot", "sec", "csc",    "arcsin", "arccos", "arctan",
      "sinh",   "cosh", "tanh", "log", "ln",  "lg",     "exp",    "lim",    "limsup",
      "liminf", "max",  "min",  "sup", "inf", "argmax", "argmin", "arg",    "det",
      "dim",    "ker",  "hom",  "gcd", "deg", "Pr",     "mod",    "bmod"};
  return kFunctions.contains(command);
}

QChar mathAccent(const QString& command) {
  static const QHash<QString, QChar> kAccents = {
      {"hat", QChar(0x302)},      {"widehat", QChar(0x302)},   {"bar", QChar(0x304)},
      {"overline", QChar(0x305)}, {"vec", QChar(0x20D7)},      {"dot", QChar(0x307)},
      {"ddot", QChar(0x308)},     {"tilde", QChar(0x303)},     {"widetilde", QChar(0x303)},
      {"check", QChar(0x30C)},    {"breve", QChar(0x306)},     {"acute", QChar(0x301)},
      {"grave", QChar(0x300)},    {"underline", QChar(0x332)}, {"mathring", QChar(0x30A)}};
  return kAccents.value(command);
}

QString blackboardLetters(QStringView text) {
  static const QHash<QChar, QString> kLetters = {{u'R', "ℝ"}, {u'N', "ℕ"}, {u'Z', "ℤ"}, {u'Q', "ℚ"},
                                                 {u'C', "ℂ"}, {u'P', "ℙ"}, {u'H', "ℍ"}, {u'E', "𝔼"},
                                                 {u'F', "𝔽"}, {u'K', "𝕂"}, {u'1', "𝟙"}};
  QString out;
  for (const QChar c : text) out += kLetters.value(c, QString(c));
  return out;
}

QString scriptLetters(QStringView text) {
  static const QHash<QChar, QString> kLetters = {
      {u'L', "ℒ"}, {u'H', "ℋ"}, {u'F', "ℱ"}, {u'B', "ℬ"}, {u'E', "ℰ"}, {u'I', "ℐ"}, {u'M', "ℳ"},
      {u'R', "ℛ"}, {u'O', "𝒪"}, {u'N', "𝒩"}, {u'D', "𝒟"}, {u'C', "𝒞"}, {u'P', "𝒫"}};
  QString out;
  for (const QChar c : text) out += kLetters.value(c, QString(c));
  return out;
}

QString superscript(QStringView text) {
  return mapAll(text, u"0123456789+-−=()abcdefghijklmnoprstuvwxyzTβγδθφχ*′∘†⊤",
                u"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵝᵞᵟᶿᵠᵡ*′°†ᵀ");
}

QString subscript(QStringView text) {
  return mapAll(text, u"0123456789+-−=()aehijklmnoprstuvxβγρφχ",
                u"₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ");
}

}  // namespace quire
