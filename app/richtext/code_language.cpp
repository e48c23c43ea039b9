#include "app/richtext/code_language.h"

#include <QHash>

#include <algorithm>

namespace quire {
namespace {

QSet<QString> words(const char* list) {
  const QStringList all = QString::fromUtf8(list).split(u' ', Qt::SkipEmptyParts);
  return QSet<QString>(all.begin(), all.end());
}

CodeLanguage cLike(const char* keywords) {
  CodeLanguage language;
  language.keywords = words(keywords);
  language.lineComments = {QStringLiteral("//")};
  language.commentBegin = QStringLiteral("/*");
  language.commentEnd = QStringLiteral("*/");
  return language;
}

CodeLanguage hashed(const char* keywords) {
  CodeLanguage language;
  language.keywords = words(keywords);
  language.lineComments = {QStringLiteral("#")};
  return language;
}

const char* const kC =
    "auto bool break case char const continue default do double else enum extern false float for "
    "goto if inline int int8_t int16_t int32_t int64_t long NULL register restrict return short "
    "signed size_t sizeof static struct switch true typedef uint8_t uint16_t uint32_t uint64_t "
    "union unsigned void volatile while include define ifdef ifndef endif pragma undef elif ";
const char* const kCpp =
    "alignas and asm catch class co_await co_return co_yield concept consteval constexpr constinit "
    "const_cast decltype delete dynamic_cast explicit export final friend import module mutable "
    "namespace new noexcept not nullptr operator or override private protected public "
    "reinterpret_cast requires static_assert static_cast template this thread_local throw try "
    "typeid typename using virtual wchar_t std string vector ";
const char* const kJava =
    "abstract assert boolean break byte case catch char class const continue default do double "
    "else enum extends false final finally float for if implements import instanceof int interface "
    "long native new null package permits private protected public record return sealed short "
    "static strictfp super switch synchronized this throw throws transient true try var void "
    "volatile while yield String";
const char* const kJs =
    "any as async await boolean break case catch class const constructor continue debugger declare "
    "default delete do else enum export extends false finally for from function get if implements "
    "import in infer instanceof interface is keyof let namespace never new null number of package "
    "private protected public readonly return set static string super switch symbol this throw "
    "true try type typeof undefined unknown var void while with yield";
const char* const kCSharp =
    "abstract as async await base bool break byte case catch char checked class const continue "
    "decimal default delegate do double else enum event explicit extern false finally fixed float "
    "for foreach get if implicit in init int interface internal is lock long namespace new null "
    "object operator out override params private protected public readonly record ref required "
    "return sbyte sealed set short sizeof static string struct switch this throw true try typeof "
    "uint ulong unsafe ushort using var virtual void volatile when where while with yield";
const char* const kGo =
    "any append bool break byte case chan complex64 complex128 const continue default defer else "
    "error fallthrough false float32 float64 for func go goto if import int int8 int16 int32 int64 "
    "interface iota len make map new nil package range return rune select string struct switch "
    "true type uint uint8 uint16 uint32 uint64 var";
const char* const kRust =
    "as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn "
    "for i8 i16 i32 i64 i128 if impl in isize let loop macro_rules match mod move mut None Ok Err "
    "Option pub ref Result return self Self Some static str String struct super trait true type "
    "u8 u16 u32 u64 u128 unsafe use usize Vec where while";
const char* const kSwift =
    "actor any as associatedtype async await Bool break case catch class continue default defer "
    "deinit do Double else enum extension fallthrough false fileprivate final Float for func get "
    "guard if import in init inout Int internal is lazy let mutating nil open operator override "
    "private protocol public repeat rethrows return self Self set some static String struct "
    "subscript super switch throw throws true try typealias var weak where while";
const char* const kKotlin =
    "abstract actual annotation as break by catch class companion const constructor continue "
    "crossinline data do else enum expect external false final finally for fun get if import in "
    "infix init inline inner interface internal is lateinit noinline null object open operator out "
    "override package private protected public reified return sealed set super suspend this throw "
    "true try typealias val var vararg when where while Int Long String Boolean Double Float Unit";
const char* const kScala =
    "abstract case catch class def do else enum extends extension false final finally for forSome "
    "given if implicit import lazy match new null object override package private protected return "
    "sealed super then this throw trait true try type using val var while with yield";
const char* const kDart =
    "abstract as assert async await base bool break case catch class const continue covariant "
    "default deferred do double dynamic else enum export extends extension external factory false "
    "final finally for Function get hide if implements import in int interface is late library "
    "mixin new null num on operator part required rethrow return sealed set show static String "
    "super switch sync this throw true try typedef var void when while with yield";
const char* const kPhp =
    "abstract and array as break callable case catch class clone const continue declare default do "
    "echo else elseif empty enum extends false final finally fn for foreach function global if "
    "implements include instanceof insteadof int interface isset list match namespace new null or "
    "print private protected public readonly require require_once return static string switch "
    "this throw trait true try unset use var void while xor yield";
const char* const kPython =
    "and as assert async await bool break case class continue def del elif else except False "
    "finally float for from global if import in int is lambda list dict set tuple str match None "
    "nonlocal not or pass raise return self True try type while with yield";
const char* const kShell =
    "alias break case cd continue declare do done echo elif else esac eval exec exit export false "
    "fi for function if in local printf read readonly return select set shift source sudo then "
    "trap true type unset until while";
const char* const kPowerShell =
    "begin break catch class continue data do dynamicparam else elseif end enum exit filter "
    "finally for foreach from function hidden if in param process return static switch throw trap "
    "try until using while";
const char* const kRuby =
    "alias and begin BEGIN break case class def defined do else elsif end END ensure extend false "
    "for if in include initialize lambda loop module new next nil not or private proc protected "
    "public puts raise redo require rescue retry return self super then true undef unless until "
    "when while yield attr_accessor attr_reader attr_writer";
const char* const kPerl =
    "and chomp cmp die each else elsif eq eval exit for foreach ge given gt if keys last le local "
    "lt my ne next no not or our package pop print printf push redo require return say scalar "
    "shift sub undef unless until use values wantarray when while";
const char* const kR =
    "break else FALSE for function if in Inf library NA NaN next NULL repeat require return "
    "source TRUE while";
const char* const kJulia =
    "abstract baremodule begin break catch const continue do else elseif end export false finally "
    "for function global if import in let local macro module mutable nothing primitive quote "
    "return struct true try type using where while";
const char* const kLua =
    "and break do else elseif end false for function goto if in local nil not or repeat return "
    "self then true until while";
const char* const kHaskell =
    "as case class data default deriving do else forall foreign hiding if import in infix infixl "
    "infixr instance let module newtype of qualified then type where Int Integer String Bool Maybe "
    "IO True False";
const char* const kSql =
    "add all alter and as asc begin between bigint by case cast char check column commit "
    "constraint create cross database default delete desc distinct drop else end exists explain "
    "false foreign from full group having if ilike in index inner insert int integer intersect "
    "into is join key left like limit not null numeric offset on or order outer over partition "
    "primary references returning right rollback row select set table text then timestamp "
    "transaction true truncate union unique update using values varchar view when where with";
const char* const kCss =
    "important media import keyframes supports font-face from to inherit initial unset auto none "
    "block flex grid inline absolute relative fixed sticky solid bold normal center left right";
const char* const kDocker =
    "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD "
    "STOPSIGNAL HEALTHCHECK SHELL";
const char* const kMake =
    "ifeq ifneq ifdef ifndef else endif include define endef export override if elseif foreach "
    "endforeach function endfunction macro endmacro set project add_executable add_library "
    "target_link_libraries find_package cmake_minimum_required option return message";
/// What most languages share, where none is named.
const char* const kMost =
    "and as async await auto bool break case catch char class const continue def default del "
    "delete do double elif else end enum except export extends False false final finally float fn "
    "for from func function global if impl implements import in include int interface is lambda "
    "let long match mod mut namespace new nil None not null nullptr or override package pass "
    "private protected pub public raise return self static string struct super switch template "
    "then this throw trait True true try type typename unsigned use using val var virtual void "
    "where while with yield";

QHash<QString, CodeLanguage> makeLanguages() {
  QHash<QString, CodeLanguage> all;
  const auto add = [&](const char* names, const CodeLanguage& language) {
    for (const QString& name : words(names)) all.insert(name, language);
  };
  add("c h objc objective-c cuda cu glsl hlsl arduino", cLike(kC));
  CodeLanguage cpp = cLike(kC);
  cpp.keywords += words(kCpp);
  add("cpp c++ cc cxx hpp", cpp);
  add("java groovy", cLike(kJava));
  CodeLanguage js = cLike(kJs);
  js.longQuotes = {QStringLiteral("`")};
  add("javascript js jsx mjs typescript ts tsx node vue svelte qml", js);
  add("csharp c# cs", cLike(kCSharp));
  CodeLanguage go = cLike(kGo);
  go.longQuotes = {QStringLiteral("`")};
  add("go golang", go);
  CodeLanguage rust = cLike(kRust);
  rust.quotes = QStringLiteral("\"");  // ' begins a lifetime as well.
  add("rust rs", rust);
  CodeLanguage swift = cLike(kSwift);
  swift.longQuotes = {QStringLiteral("\"\"\"")};
  add("swift", swift);
  CodeLanguage kotlin = cLike(kKotlin);
  kotlin.longQuotes = swift.longQuotes;
  add("kotlin kt kts", kotlin);
  CodeLanguage scala = cLike(kScala);
  scala.longQuotes = swift.longQuotes;
  add("scala", scala);
  add("dart", cLike(kDart));
  CodeLanguage php = cLike(kPhp);
  php.lineComments.append(QStringLiteral("#"));
  add("php", php);
  CodeLanguage python = hashed(kPython);
  python.longQuotes = {QStringLiteral("\"\"\""), QStringLiteral("'''")};
  add("python py python3 ipython pycon gdscript starlark", python);
  add("bash sh shell zsh fish console-script", hashed(kShell));
  CodeLanguage powershell = hashed(kPowerShell);
  powershell.commentBegin = QStringLiteral("<#");
  powershell.commentEnd = QStringLiteral("#>");
  powershell.ignoresCase = true;
  add("powershell ps1 pwsh", powershell);
  add("ruby rb", hashed(kRuby));
  add("perl pl", hashed(kPerl));
  add("r", hashed(kR));
  CodeLanguage julia = hashed(kJulia);
  julia.longQuotes = {QStringLiteral("\"\"\"")};
  add("julia jl", julia);
  add("yaml yml toml ini conf properties dotenv env", hashed("true false null yes no on off"));
  add("dockerfile docker", hashed(kDocker));
  add("make makefile cmake", hashed(kMake));
  CodeLanguage lua;
  lua.keywords = words(kLua);
  lua.lineComments = {QStringLiteral("--")};
  lua.commentBegin = QStringLiteral("--[[");
  lua.commentEnd = QStringLiteral("]]");
  add("lua", lua);
  CodeLanguage haskell;
  haskell.keywords = words(kHaskell);
  haskell.lineComments = {QStringLiteral("--")};
  haskell.commentBegin = QStringLiteral("{-");
  haskell.commentEnd = QStringLiteral("-}");
  haskell.quotes = QStringLiteral("\"");
  add("haskell hs elm", haskell);
  CodeLanguage sql;
  sql.keywords = words(kSql);
  sql.lineComments = {QStringLiteral("--")};
  sql.commentBegin = QStringLiteral("/*");
  sql.commentEnd = QStringLiteral("*/");
  sql.ignoresCase = true;
  add("sql mysql postgresql postgres psql sqlite tsql plsql", sql);
  CodeLanguage css = cLike(kCss);
  css.lineComments.clear();
  css.wordLetters = QStringLiteral("-");
  add("css", css);
  css.lineComments = {QStringLiteral("//")};
  add("scss less sass", css);
  CodeLanguage markup;
  markup.commentBegin = QStringLiteral("<!--");
  markup.commentEnd = QStringLiteral("-->");
  markup.hasTags = true;
  markup.wordLetters = QStringLiteral("-:");
  add("html xml svg xhtml xaml", markup);
  CodeLanguage json;
  json.keywords = words("true false null");
  json.quotes = QStringLiteral("\"");
  json.lineComments = {QStringLiteral("//")};
  add("json jsonc json5 jsonl", json);
  CodeLanguage plain;
  plain.isPlain = true;
  add("text txt plain plaintext output console log markdown md csv tsv none diff patch", plain);
  return all;
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
  static const QHash<QString, CodeLanguage> kLanguages = makeLanguages();
  static const CodeLanguage kOther = [] {
    CodeLanguage language = cLike(kMost);
    language.lineComments.append(QStringLiteral("# "));
    return language;
  }();
  const auto found = kLanguages.constFind(name.toLower());
  return found == kLanguages.cend() ? kOther : *found;
}

}  // namespace quire
