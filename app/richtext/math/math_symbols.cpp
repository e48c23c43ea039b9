#include "app/richtext/math/math_symbols.h"

#include <QHash>
#include <QSet>

namespace quire {
namespace {

/// Commands and their characters, by class.
struct SymbolGroup {
  MathSymbol properties;
  const char* pairs;
};

const SymbolGroup kGroups[] = {
    {{.mathClass = MathClass::Ord},
     "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ "
     "iota ι kappa κ varkappa ϰ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ "
     "sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω digamma ϝ Gamma Γ "
     "Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω forall ∀ exists ∃ "
     "nexists ∄ neg ¬ lnot ¬ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ infty ∞ partial ∂ nabla ∇ "
     "hbar ℏ hslash ℏ ell ℓ Re ℜ Im ℑ aleph ℵ beth ℶ gimel ℷ wp ℘ mho ℧ imath 𝚤 jmath 𝚥 angle ∠ "
     "measuredangle ∡ triangle △ triangledown ▽ blacktriangle ▲ square □ Box □ blacksquare ■ "
     "lozenge ◊ blacklozenge ⧫ bigstar ★ prime ′ backprime ‵ degree ° surd √ vdots ⋮ "
     "backslash \\ checkmark ✓ copyright © pounds £ euro € yen ¥ S § P ¶ AA Å ae æ oe œ ss ß "
     "sharp ♯ flat ♭ natural ♮ clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ eth ð "
     "vert | Vert ‖ | ‖ complement ∁ QED ∎ dag † ddag ‡"},
    {{.mathClass = MathClass::Op, .isLarge = true, .hasLimits = true},
     "sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ bigvee ⋁ "
     "bigwedge ⋀ biguplus ⨄ bigsqcup ⨆"},
    {{.mathClass = MathClass::Op, .isLarge = true},
     "int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯ oiiint ∰ smallint ∫"},
    {{.mathClass = MathClass::Bin},
     "+ + - − times × cdot ⋅ div ÷ pm ± mp ∓ ast ∗ * ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ "
     "otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡ setminus ∖ smallsetminus ∖ wedge ∧ vee ∨ "
     "land ∧ lor ∨ cap ∩ cup ∪ sqcup ⊔ sqcap ⊓ uplus ⊎ amalg ⨿ wr ≀ diamond ⋄ bigcirc ◯ "
     "bigtriangleup △ bigtriangledown ▽ triangleleft ◁ triangleright ▷ ltimes ⋉ rtimes ⋊ "
     "boxplus ⊞ boxtimes ⊠ boxminus ⊟ boxdot ⊡ circledast ⊛ circledcirc ⊚ barwedge ⊼ "
     "veebar ⊻ intercal ⊺ cdotp ·"},
    {{.mathClass = MathClass::Rel},
     "= = < < lt < > > gt > colon : : : coloneqq ≔ eqqcolon ≕ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ "
     "approx ≈ approxeq ≊ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ varpropto ∝ ll ≪ gg ≫ lll ⋘ "
     "ggg ⋙ prec ≺ succ ≻ preceq ⪯ succeq ⪰ leqslant ⩽ geqslant ⩾ leqq ≦ geqq ≧ lesssim ≲ "
     "gtrsim ≳ doteq ≐ asymp ≍ in ∈ notin ∉ ni ∋ owns ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ "
     "subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ nsupseteq ⊉ sqsubset ⊏ sqsupset ⊐ sqsubseteq ⊑ "
     "sqsupseteq ⊒ parallel ∥ nparallel ∦ perp ⊥ mid ∣ nmid ∤ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ "
     "Vdash ⊩ nvdash ⊬ nleq ≰ ngeq ≱ nless ≮ ngtr ≯ ncong ≇ nsim ≁ bowtie ⋈ Join ⋈ smile ⌣ "
     "frown ⌢ triangleq ≜ trianglelefteq ⊴ trianglerighteq ⊵ lhd ⊲ rhd ⊳ unlhd ⊴ unrhd ⊵ "
     "therefore ∴ because ∵ between ≬ pitchfork ⋔ backsim ∽ eqsim ≂ circeq ≗ "
     "to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ "
     "Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ longrightarrow ⟶ "
     "longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ "
     "Longleftrightarrow ⟺ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ "
     "Updownarrow ⇕ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩ "
     "rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼ leftharpoondown ↽ "
     "rightleftharpoons ⇌ leftrightharpoons ⇋ leadsto ⇝ rightsquigarrow ⇝ nrightarrow ↛ "
     "nleftarrow ↚ nRightarrow ⇏ nLeftarrow ⇍ nLeftrightarrow ⇎ twoheadrightarrow ↠ "
     "rightrightarrows ⇉ leftleftarrows ⇇ rightleftarrows ⇄ leftrightarrows ⇆ "
     "circlearrowleft ↺ circlearrowright ↻ upharpoonright ↾ restriction ↾ multimap ⊸"},
    {{.mathClass = MathClass::Open},
     "( ( [ [ { { lbrace { lbrack [ langle ⟨ lfloor ⌊ lceil ⌈ lvert | lVert ‖ lgroup ⟮ "
     "lmoustache ⎰ llbracket ⟦ lparen ( ulcorner ⌜ llcorner ⌞"},
    {{.mathClass = MathClass::Close},
     ") ) ] ] } } rbrace } rbrack ] rangle ⟩ rfloor ⌋ rceil ⌉ rvert | rVert ‖ rgroup ⟯ "
     "rmoustache ⎱ rrbracket ⟧ rparen ) urcorner ⌝ lrcorner ⌟ ! ! ? ?"},
    {{.mathClass = MathClass::Punct}, ", , ; ;"},
    {{.mathClass = MathClass::Inner},
     "ldots … dots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ dotsi ⋯ ddots ⋱ iddots ⋰ mathellipsis "
     "…"},
};

char32_t first(const QString& text) {
  const QList<uint> points = text.toUcs4();
  return points.isEmpty() ? 0 : points[0];
}

struct SymbolMaps {
  QHash<QString, MathSymbol> byCommand;
  QHash<char32_t, MathSymbol> byCharacter;
};

const SymbolMaps& maps() {
  static const SymbolMaps kMaps = [] {
    SymbolMaps maps;
    for (const SymbolGroup& group : kGroups) {
      const QStringList words = QString::fromUtf8(group.pairs).split(u' ', Qt::SkipEmptyParts);
      for (qsizetype i = 0; i + 1 < words.size(); i += 2) {
        MathSymbol symbol = group.properties;
        symbol.character = first(words[i + 1]);
        maps.byCommand.insert(words[i], symbol);
        if (!maps.byCharacter.contains(symbol.character))
          maps.byCharacter.insert(symbol.character, symbol);
      }
    }
    return maps;
  }();
  return kMaps;
}

constexpr char32_t kNoExceptions[] = {0};
/// The letters that had a place in Unicode before the mathematical alphabets: pairs, then 0.
constexpr char32_t kScriptExceptions[] = {U'B', 0x212C, U'E', 0x2130, U'F', 0x2131, U'H', 0x210B,
                                          U'I', 0x2110, U'L', 0x2112, U'M', 0x2133, U'R', 0x211B,
                                          U'e', 0x212F, U'g', 0x210A, U'o', 0x2134, 0};
constexpr char32_t kFrakturExceptions[] = {U'C', 0x212D, U'H', 0x210C, U'I', 0x2111,
                                           U'R', 0x211C, U'Z', 0x2128, 0};
constexpr char32_t kBlackboardExceptions[] = {U'C',   0x2102, U'H',   0x210D, U'N',
                                              0x2115, U'P',   0x2119, U'Q',   0x211A,
                                              U'R',   0x211D, U'Z',   0x2124, 0};
constexpr char32_t kItalicExceptions[] = {U'h', 0x210E, 0};

/// Where the letters of an alphabet begin; 0: it has none of that kind.
struct AlphabetStart {
  char32_t latin = 0;  ///< Of A; a follows 26 later.
  char32_t digits = 0;
  char32_t greekCapitals = 0;
  char32_t greekSmall = 0;
  const char32_t* exceptions = kNoExceptions;
};

AlphabetStart startOf(MathAlphabet alphabet) {
  switch (alphabet) {
    case MathAlphabet::Italic:  // Capital Greek letters are upright in TeX.
      return {0x1D434, 0, 0, 0x1D6FC, kItalicExceptions};
    case MathAlphabet::Bold:
      return {0x1D400, 0x1D7CE, 0x1D6A8, 0x1D6C2};
    case MathAlphabet::BoldItalic:
      return {0x1D468, 0x1D7CE, 0x1D71C, 0x1D736};
    case MathAlphabet::Script:
      return {0x1D49C, 0, 0, 0, kScriptExceptions};
    case MathAlphabet::Fraktur:
      return {0x1D504, 0, 0, 0, kFrakturExceptions};
    case MathAlphabet::Blackboard:
      return {0x1D538, 0x1D7D8, 0, 0, kBlackboardExceptions};
    case MathAlphabet::Sans:
      return {0x1D5A0, 0x1D7E2};
    case MathAlphabet::Mono:
      return {0x1D670, 0x1D7F6};
    case MathAlphabet::Roman:
      break;
  }
  return {};
}

}  // namespace

MathSymbol symbolOfCommand(const QString& command) {
  return maps().byCommand.value(command);
}

MathSymbol symbolOfCharacter(char32_t character) {
  if (character == U'-' || character == U'*') return symbolOfCommand(QChar(ushort(character)));
  const auto found = maps().byCharacter.constFind(character);
  return found == maps().byCharacter.cend() ? MathSymbol{.character = character} : *found;
}

QString operatorName(const QString& command) {
  static const QSet<QString> kNames = {
      "sin",  "cos",  "tan",  "cot",    "sec",    "csc",  "arcsin", "arccos", "arctan", "sinh",
      "cosh", "tanh", "coth", "log",    "ln",     "lg",   "exp",    "lim",    "max",    "min",
      "sup",  "inf",  "arg",  "argmax", "argmin", "det",  "dim",    "ker",    "hom",    "gcd",
      "deg",  "Pr",   "lcm",  "tr",     "sgn",    "rank", "diag",   "softmax"};
  if (command == u"limsup") return QStringLiteral("lim sup");
  if (command == u"liminf") return QStringLiteral("lim inf");
  if (command == u"injlim") return QStringLiteral("inj lim");
  if (command == u"projlim") return QStringLiteral("proj lim");
  return kNames.contains(command) ? command : QString();
}

bool operatorHasLimits(const QString& command) {
  static const QSet<QString> kNames = {"lim",    "limsup", "liminf", "max",    "min",
                                       "sup",    "inf",    "det",    "gcd",    "Pr",
                                       "argmax", "argmin", "injlim", "projlim"};
  return kNames.contains(command);
}

MathAccent accentOfCommand(const QString& command) {
  static const QHash<QString, MathAccent> kAccents = {{"hat", {0x302}},
                                                      {"check", {0x30C}},
                                                      {"tilde", {0x303}},
                                                      {"acute", {0x301}},
                                                      {"grave", {0x300}},
                                                      {"dot", {0x307}},
                                                      {"ddot", {0x308}},
                                                      {"dddot", {0x20DB}},
                                                      {"breve", {0x306}},
                                                      {"bar", {0x304}},
                                                      {"vec", {0x20D7}},
                                                      {"mathring", {0x30A}},
                                                      {"widehat", {0x302, true}},
                                                      {"widetilde", {0x303, true}},
                                                      {"widecheck", {0x30C, true}},
                                                      {"overrightarrow", {0x20D7, true}},
                                                      {"overleftarrow", {0x20D6, true}},
                                                      {"overleftrightarrow", {0x20E1, true}},
                                                      {"underrightarrow", {0x20EF, true, true}},
                                                      {"underleftarrow", {0x20EE, true, true}}};
  return kAccents.value(command);
}

char32_t letterIn(MathAlphabet alphabet, char32_t letter) {
  const AlphabetStart start = startOf(alphabet);
  for (const char32_t* pair = start.exceptions; *pair != 0; pair += 2) {
    if (*pair == letter) return pair[1];
  }
  const auto shifted = [letter](char32_t base, char32_t from) {
    return base == 0 ? letter : base + (letter - from);
  };
  if (letter >= U'A' && letter <= U'Z') return shifted(start.latin, U'A');
  if (letter >= U'a' && letter <= U'z')
    return start.latin ? start.latin + 26 + (letter - U'a') : letter;
  if (letter >= U'0' && letter <= U'9') return shifted(start.digits, U'0');
  if (letter >= U'Α' && letter <= U'Ω') return shifted(start.greekCapitals, U'Α');
  if (letter >= U'α' && letter <= U'ω') return shifted(start.greekSmall, U'α');
  // The variants of small letters follow omega in this order.
  constexpr char32_t kVariants[] = {0x2202, 0x3F5, 0x3D1, 0x3F0, 0x3D5, 0x3F1, 0x3D6};
  for (char32_t i = 0; i < std::size(kVariants); ++i) {
    if (kVariants[i] == letter) return start.greekSmall ? start.greekSmall + 25 + i : letter;
  }
  return letter;
}

}  // namespace quire
