#include <QColor>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QString>
#include <QUrl>

#include <algorithm>
#include <cmath>

#include "app/richtext/code_lexer.h"
#include "app/richtext/markup_text.h"
#include "app/richtext/math/formula.h"
#include "app/richtext/math/math_layout.h"
#include "app/richtext/message_blocks.h"
#include "app/richtext/message_copy.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

/// Qt reads entities with a text document, which wants an application with fonts.
void prepare_gui() {
  if (QCoreApplication::instance()) return;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  static int count = 1;
  static char name[] = "fuzz";
  static char* arguments[] = {name, nullptr};
  // Never deleted: at the end of the program parts of Qt that it needs are gone already.
  static const auto* const application = new QGuiApplication(count, arguments);
  static_cast<void>(application);
}

/// The blocks of a text that arrives in pieces of `step` characters.
MessageBlocks read(const QString& text, qsizetype step) {
  MessageBlocks blocks;
  for (qsizetype at = 0; at < text.size(); at += step) {
    blocks.append(QStringView(text).mid(at, step));
  }
  blocks.finish();
  return blocks;
}

/// What a link may name: pages and addresses of mail (app/richtext/web_link.h). Written anew, so
/// that a change to that rule is a finding.
void require_web_link(const QString& target) {
  const QUrl url(target);
  const bool is_allowed =
      url.scheme() == u"http" || url.scheme() == u"https" || url.scheme() == u"mailto";
  require(is_allowed, "a link to '" + target.left(100).toStdString() + "'");
}

/// Only Quire's own markup may be in a block: everything else is escaped.
void check_markup(const QString& markup) {
  const QList<MarkupRun> runs = parseMarkup(markup);
  qsizetype length = 0;
  for (const MarkupRun& run : runs) {
    length += run.text.size();
    if (!run.link.isEmpty()) require_web_link(run.link);
  }
  require(length <= markup.size(), "runs that are longer than their markup");
}

void check_block(const MarkdownBlock& block) {
  check_markup(block.markup);
  for (const QString& cell : block.cells) check_markup(cell);
  require(block.indent >= 0 && block.indent <= kMaxMarkdownDepth, "a depth out of range");
  require(block.quoteDepth >= 0 && block.quoteDepth <= kMaxMarkdownDepth, "a depth out of range");
  if (block.kind != BlockKind::Code) return;
  const CodeLanguage& language = codeLanguage(codeLanguageName(block.language));
  CodeState state = block.codeState;
  for (const QStringView line : QStringView(block.text).split(u'\n')) {
    for (const CodeSpan& span : lexCode(line, language, state)) {
      require(span.begin >= 0 && span.length >= 0 && span.begin + span.length <= line.size(),
              "a span outside of its line");
    }
  }
}

/// What is copied has no element that fetches or runs.
void check_copy(const MessageCopy& copy) {
  const QString html = copy.html();
  for (const char* tag : {"<img", "<script", "<iframe", "<style", "<link", "<object", "<svg"}) {
    require(!html.contains(QLatin1String(tag), Qt::CaseInsensitive),
            std::string("copied HTML has ") + tag);
  }
  static const QRegularExpression kTarget(
      QStringLiteral("<[^>]*\\b(?:href|src)\\s*=\\s*(\"[^\"]*\"|[^\\s>]*)"),
      QRegularExpression::CaseInsensitiveOption);
  for (auto matches = kTarget.globalMatch(html); matches.hasNext();) {
    const QString target = matches.next().captured(1);
    require_web_link(target.startsWith(u'"') ? target.mid(1, target.size() - 2) : target);
  }
  (void)copy.plain();
  (void)copy.markdown();
}

}  // namespace

void fuzz_markdown(std::string_view bytes) {
  prepare_gui();
  const QString text = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
  const MessageBlocks whole = read(text, std::max<qsizetype>(1, text.size()));
  // A long answer in few pieces: each of them shows the open section anew.
  const MessageBlocks streamed = read(text, std::max<qsizetype>(3, text.size() / 64));
  require(streamed.blocks() == whole.blocks(), "blocks that depend on the pieces");
  for (const MarkdownBlock& block : whole.blocks()) check_block(block);
  check_copy(MessageCopy(whole.blocks(), text));
}

void fuzz_math(std::string_view bytes) {
  const QString source = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
  prepare_gui();
  for (const bool is_display : {false, true}) {
    const FormulaPtr formula = formulaOf(source, is_display);
    if (!formula) continue;
    const MathBox& box = formula->box;
    require(std::isfinite(box.width) && box.width <= MathLayout::kMaxWidth, "a formula's width");
    require(std::isfinite(box.height()) && box.height() <= MathLayout::kMaxHeight,
            "a formula's height");
    const FormulaImage image = formulaImage(formula, 16.5, Qt::black);
    require(image.image.sizeInBytes() <= 17'000'000, "the pixels of a formula");
  }
}

}  // namespace quire::fuzz
