#include "app/richtext/markdown_block.h"

#include <QTextDocumentFragment>

#include <md4c.h>

#include <algorithm>
#include <utility>

#include "app/richtext/code_lexer.h"
#include "app/richtext/math_spans.h"
#include "app/richtext/web_link.h"

namespace quire {
namespace {

constexpr int kMaxTableColumns = 32;
/// The markup of all targets of links in a text: a target that is defined once may be used often.
constexpr qsizetype kMaxTargets = 32'000;

QString attributeText(const MD_ATTRIBUTE& attribute) {
  return QString::fromUtf8(attribute.text, static_cast<qsizetype>(attribute.size));
}

QString decodedEntity(const QString& entity) {
  return MathSpans::withoutPlaceholders(QTextDocumentFragment::fromHtml(entity).toPlainText());
}

/// The target of a link: what is asked about it has to be about what is opened.
QString targetText(const MD_ATTRIBUTE& attribute) {
  QString target;
  for (int i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
    const MD_OFFSET from = attribute.substr_offsets[i];
    const QString part = QString::fromUtf8(
        attribute.text + from, static_cast<qsizetype>(attribute.substr_offsets[i + 1] - from));
    target += attribute.substr_types[i] == MD_TEXT_ENTITY ? decodedEntity(part) : part;
  }
  return target;
}

const char* tagOf(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "i";
    case MD_SPAN_STRONG:
      return "b";
    case MD_SPAN_DEL:
      return "s";
    case MD_SPAN_CODE:
      return "code";
    default:
      return nullptr;
  }
}

/// Collects leaves from the events of md4c. In tight lists md4c reports no paragraph inside an
/// item, so text opens a leaf implicitly; the next block or the end of the item closes it.
class BlockCollector {
 public:
  explicit BlockCollector(const MathSpans& math) : m_math(math) {}

  void enterBlock(MD_BLOCKTYPE type, void* detail);
  void leaveBlock(MD_BLOCKTYPE type);
  void enterSpan(MD_SPANTYPE type, void* detail);
  void leaveSpan(MD_SPANTYPE type);
  void text(MD_TEXTTYPE type, const QString& text);
  QList<MarkdownBlock> take() { return std::move(m_blocks); }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  void open(BlockKind kind);
  void openRow();
  void openItem(const MD_BLOCK_LI_DETAIL& item);
  void closeParagraph();
  QString& inlineTarget();
  void openLink(const MD_ATTRIBUTE& target);

  const MathSpans& m_math;
  QList<MarkdownBlock> m_blocks;
  QList<List> m_lists;
  QString m_marker;  ///< Of an item without a leaf so far.
  int m_quoteDepth = 0;
  bool m_isOpen = false;
  int m_groups = 0;
  MarkdownBlock m_table;    ///< The common values of the rows of the open table.
  int m_column = -1;        ///< Of the open cell; -1: none.
  QList<bool> m_links;      ///< For each open link or image whether it is shown as a link.
  qsizetype m_targets = 0;  ///< Characters of the markup of the targets so far.
  QString m_overflow;       ///< Discarded text of cells beyond kMaxTableColumns.
};

void BlockCollector::open(BlockKind kind) {
  closeParagraph();
  MarkdownBlock block;
  block.kind = kind;
  block.indent = std::min(static_cast<int>(m_lists.size()), kMaxMarkdownDepth);
  block.quoteDepth = std::min(m_quoteDepth, kMaxMarkdownDepth);
  block.marker = std::exchange(m_marker, QString());
  m_blocks.append(block);
  m_isOpen = true;
}

void BlockCollector::openRow() {
  m_blocks.append(m_table);
  m_table.marker.clear();
  ++m_table.part;
  m_column = -1;
}

void BlockCollector::openItem(const MD_BLOCK_LI_DETAIL& item) {
  closeParagraph();
  List& list = m_lists.last();
  if (item.is_task) {
    m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
  } else {
    m_marker = list.ordered ? QStringLiteral("%1.").arg(list.next) : QStringLiteral("•");
  }
  ++list.next;
}

/// Ends the open leaf. Display formulas on separate lines become separate blocks.
void BlockCollector::closeParagraph() {
  if (!std::exchange(m_isOpen, false) || m_math.isEmpty()) return;
  MarkdownBlock block = m_blocks.last();
  if (block.kind != BlockKind::Paragraph && block.kind != BlockKind::Heading) return;
  m_blocks.removeLast();
  QStringList lines;
  const auto flush = [&] {
    if (lines.isEmpty()) return;
    block.markup = m_math.restore(lines.join(QLatin1String("<br/>")));
    m_blocks.append(block);
    block.marker.clear();
    lines.clear();
  };
  for (const QString& line : block.markup.split(QLatin1String("<br/>"))) {
    const QString formula = m_math.displayFormula(line);
    if (formula.isEmpty()) {
      lines.append(line);
      continue;
    }
    flush();
    MarkdownBlock math = mathBlock(formula);
    math.indent = block.indent;
    math.quoteDepth = block.quoteDepth;
    math.marker = std::exchange(block.marker, QString());
    m_blocks.append(math);
  }
  flush();
}

void BlockCollector::enterBlock(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      closeParagraph();
      ++m_quoteDepth;
      break;
    case MD_BLOCK_UL:
      closeParagraph();
      m_lists.append(List{});
      break;
    case MD_BLOCK_OL:
      closeParagraph();
      m_lists.append(List{true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI:
      openItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
      break;
    case MD_BLOCK_HR:
      open(BlockKind::Rule);
      m_isOpen = false;
      break;
    case MD_BLOCK_P:
      open(BlockKind::Paragraph);
      break;
    case MD_BLOCK_H:
      open(BlockKind::Heading);
      m_blocks.last().level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
      break;
    case MD_BLOCK_CODE:
      open(BlockKind::Code);
      m_blocks.last().language =
          codeLanguageName(attributeText(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info));
      m_blocks.last().group = ++m_groups;
      break;
    case MD_BLOCK_TABLE:
      open(BlockKind::Table);
      m_isOpen = false;
      m_table = m_blocks.takeLast();
      m_table.group = ++m_groups;
      m_table.columns = static_cast<int>(std::min<unsigned>(
          static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)->col_count, kMaxTableColumns));
      m_table.isLastPart = false;
      break;
    case MD_BLOCK_TR:
      openRow();
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      if (++m_column < m_table.columns) m_blocks.last().cells.append(QString());
      break;
    default:
      break;
  }
}

void BlockCollector::leaveBlock(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      closeParagraph();
      --m_quoteDepth;
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      closeParagraph();
      m_lists.removeLast();
      break;
    case MD_BLOCK_LI:
      if (!m_marker.isEmpty()) open(BlockKind::Paragraph);  // Show items without text too.
      closeParagraph();
      break;
    case MD_BLOCK_CODE:
      if (m_blocks.last().text.endsWith(u'\n')) m_blocks.last().text.chop(1);
      m_isOpen = false;
      break;
    case MD_BLOCK_TR: {
      QStringList& cells = m_blocks.last().cells;
      while (cells.size() < m_table.columns) cells.append(QString());
      for (QString& cell : cells) cell = m_math.restore(cell);
      m_column = -1;
      m_overflow.clear();
      break;
    }
    case MD_BLOCK_TABLE:
      m_blocks.last().isLastPart = true;
      break;
    case MD_BLOCK_P:
    case MD_BLOCK_H:
      closeParagraph();
      break;
    default:
      break;
  }
}

QString& BlockCollector::inlineTarget() {
  if (m_column >= 0) return m_column < m_table.columns ? m_blocks.last().cells.last() : m_overflow;
  if (!m_isOpen) open(BlockKind::Paragraph);
  return m_blocks.last().markup;
}

/// Links that cannot be opened are text, and so are all after kMaxTargets.
void BlockCollector::openLink(const MD_ATTRIBUTE& target) {
  m_links.append(false);
  if (m_targets + target.size > kMaxTargets) return;
  const QString href = m_math.sourceOf(targetText(target));
  const QString markup = escapeMarkup(href);
  m_targets += std::max<qsizetype>(markup.size(), target.size);
  m_links.last() = m_targets <= kMaxTargets && isWebLink(href);
  if (m_links.last()) inlineTarget() += QStringLiteral("<a href=\"%1\">").arg(markup);
}

void BlockCollector::enterSpan(MD_SPANTYPE type, void* detail) {
  if (type == MD_SPAN_A) {
    openLink(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
  } else if (type == MD_SPAN_IMG) {
    openLink(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
  } else if (const char* tag = tagOf(type)) {
    inlineTarget() += QStringLiteral("<%1>").arg(QLatin1String(tag));
  }
}

void BlockCollector::leaveSpan(MD_SPANTYPE type) {
  const bool isLink = type == MD_SPAN_A || type == MD_SPAN_IMG;
  if (isLink && !m_links.takeLast()) return;
  if (const char* tag = isLink ? "a" : tagOf(type))
    inlineTarget() += QStringLiteral("</%1>").arg(QLatin1String(tag));
}

void BlockCollector::text(MD_TEXTTYPE type, const QString& text) {
  if (m_isOpen && m_blocks.last().kind == BlockKind::Code) {
    m_blocks.last().text += m_math.sourceOf(text);
    return;
  }
  QString& out = inlineTarget();
  switch (type) {
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
      out += QLatin1String("<br/>");
      break;
    case MD_TEXT_NULLCHAR:
      out += QChar(QChar::ReplacementCharacter);
      break;
    case MD_TEXT_ENTITY:
      out += escapeMarkup(decodedEntity(text));
      break;
    case MD_TEXT_CODE:
      out += escapeMarkup(m_math.sourceOf(text));
      break;
    default:
      out += escapeMarkup(text);
      break;
  }
}

}  // namespace

QString escapeMarkup(QStringView text) {
  return text.toString().toHtmlEscaped();
}

MarkdownBlock mathBlock(const QString& source) {
  MarkdownBlock block;
  block.kind = BlockKind::Math;
  block.text = withoutMathDelimiters(source);
  block.markup = mathMarkup(source);
  return block;
}

QList<MarkdownBlock> parseMarkdown(const QString& source) {
  MathSpans math;
  const QByteArray utf8 = math.extract(source).toUtf8();
  MD_PARSER parser = {};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML |
                 MD_FLAG_NOINDENTEDCODEBLOCKS | MD_FLAG_PERMISSIVEURLAUTOLINKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    static_cast<BlockCollector*>(self)->enterBlock(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
    static_cast<BlockCollector*>(self)->leaveBlock(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    static_cast<BlockCollector*>(self)->enterSpan(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
    static_cast<BlockCollector*>(self)->leaveSpan(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
    static_cast<BlockCollector*>(self)->text(type, QString::fromUtf8(text, size));
    return 0;
  };
  BlockCollector collector(math);
  md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &collector);
  return collector.take();
}

}  // namespace quire
