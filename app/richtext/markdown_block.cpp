#include "app/richtext/markdown_block.h"

#include <QTextDocumentFragment>

#include <md4c.h>

#include "app/richtext/math_spans.h"

namespace quire {
namespace {

constexpr int kMaxTableColumns = 32;

QString attributeText(const MD_ATTRIBUTE& attribute) {
  return QString::fromUtf8(attribute.text, static_cast<qsizetype>(attribute.size));
}

/// Collects leaves from md4c's events. In tight lists md4c gives no paragraph inside an item, so a
/// leaf opens by itself when text arrives and closes when the next block begins or its item ends.
class BlockCollector {
 public:
  void enterBlock(MD_BLOCKTYPE type, void* detail);
  void leaveBlock(MD_BLOCKTYPE type);
  void enterSpan(MD_SPANTYPE type, void* detail);
  void leaveSpan(MD_SPANTYPE type);
  void text(MD_TEXTTYPE type, QStringView text);
  QList<MarkdownBlock> take() { return std::move(m_blocks); }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  void enterLeaf(MD_BLOCKTYPE type, void* detail);
  void open(BlockKind kind);
  void close() { m_isOpen = false; }
  void openItem(const MD_BLOCK_LI_DETAIL& item);
  QString& inlineTarget();

  QList<MarkdownBlock> m_blocks;
  QList<List> m_lists;
  QString m_marker;  ///< Of an item whose first leaf has not come yet.
  int m_quoteDepth = 0;
  bool m_isOpen = false;
  bool m_inCell = false;
  int m_column = 0;  ///< Of a table's line: of the next cell.
  QString m_beyond;  ///< What stands in cells past kMaxTableColumns.
};

void BlockCollector::open(BlockKind kind) {
  MarkdownBlock block;
  block.kind = kind;
  block.indent = static_cast<int>(m_lists.size());
  block.quoteDepth = m_quoteDepth;
  block.marker = std::exchange(m_marker, QString());
  m_blocks.append(block);
  m_isOpen = true;
}

void BlockCollector::openItem(const MD_BLOCK_LI_DETAIL& item) {
  close();
  List& list = m_lists.last();
  if (item.is_task) {
    m_marker = item.task_mark == ' ' ? QStringLiteral("☐") : QStringLiteral("☑");
  } else {
    m_marker = list.ordered ? QStringLiteral("%1.").arg(list.next) : QStringLiteral("•");
  }
  ++list.next;
}

void BlockCollector::enterBlock(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      close();
      ++m_quoteDepth;
      break;
    case MD_BLOCK_UL:
      close();
      m_lists.append(List{});
      break;
    case MD_BLOCK_OL:
      close();
      m_lists.append(List{true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
      break;
    case MD_BLOCK_LI:
      openItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
      break;
    case MD_BLOCK_TR:
      m_column = 0;
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      m_inCell = m_column++ < m_blocks.last().columns;
      if (m_inCell) m_blocks.last().cells.append(QString());
      break;
    default:
      enterLeaf(type, detail);
  }
}

void BlockCollector::enterLeaf(MD_BLOCKTYPE type, void* detail) {
  switch (type) {
    case MD_BLOCK_HR:
      open(BlockKind::Rule);
      close();
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
      m_blocks.last().language = attributeText(static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->lang);
      break;
    case MD_BLOCK_TABLE:
      open(BlockKind::Table);
      m_blocks.last().columns = static_cast<int>(std::min<unsigned>(
          static_cast<MD_BLOCK_TABLE_DETAIL*>(detail)->col_count, kMaxTableColumns));
      break;
    default:
      break;
  }
}

void BlockCollector::leaveBlock(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      close();
      --m_quoteDepth;
      break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
      close();
      m_lists.removeLast();
      break;
    case MD_BLOCK_LI:
      if (!m_marker.isEmpty()) open(BlockKind::Paragraph);  // An item without text is still shown.
      close();
      break;
    case MD_BLOCK_CODE:
      if (m_blocks.last().text.endsWith(u'\n')) m_blocks.last().text.chop(1);
      close();
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      m_inCell = false;
      break;
    case MD_BLOCK_TR: {
      MarkdownBlock& table = m_blocks.last();
      while (table.columns > 0 && table.cells.size() % table.columns != 0)
        table.cells.append(QString());
      m_column = 0;
      m_beyond.clear();
      break;
    }
    case MD_BLOCK_P:
    case MD_BLOCK_H:
    case MD_BLOCK_TABLE:
      close();
      break;
    default:
      break;
  }
}

QString& BlockCollector::inlineTarget() {
  if (m_inCell) return m_blocks.last().cells.last();
  if (m_column > 0) return m_beyond;
  if (!m_isOpen) open(BlockKind::Paragraph);
  return m_blocks.last().markup;
}

void BlockCollector::enterSpan(MD_SPANTYPE type, void* detail) {
  QString& out = inlineTarget();
  switch (type) {
    case MD_SPAN_EM:
      out += QLatin1String("<i>");
      break;
    case MD_SPAN_STRONG:
      out += QLatin1String("<b>");
      break;
    case MD_SPAN_DEL:
      out += QLatin1String("<s>");
      break;
    case MD_SPAN_CODE:
      out += QLatin1String("<code>");
      break;
    case MD_SPAN_A:
      out += QStringLiteral("<a href=\"%1\">")
                 .arg(escapeMarkup(attributeText(static_cast<MD_SPAN_A_DETAIL*>(detail)->href)));
      break;
    case MD_SPAN_IMG:
      out += QStringLiteral("<a href=\"%1\">")
                 .arg(escapeMarkup(attributeText(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src)));
      break;
    default:
      break;
  }
}

void BlockCollector::leaveSpan(MD_SPANTYPE type) {
  QString& out = inlineTarget();
  switch (type) {
    case MD_SPAN_EM:
      out += QLatin1String("</i>");
      break;
    case MD_SPAN_STRONG:
      out += QLatin1String("</b>");
      break;
    case MD_SPAN_DEL:
      out += QLatin1String("</s>");
      break;
    case MD_SPAN_CODE:
      out += QLatin1String("</code>");
      break;
    case MD_SPAN_A:
    case MD_SPAN_IMG:
      out += QLatin1String("</a>");
      break;
    default:
      break;
  }
}

void BlockCollector::text(MD_TEXTTYPE type, QStringView text) {
  if (!m_blocks.isEmpty() && m_isOpen && m_blocks.last().kind == BlockKind::Code) {
    m_blocks.last().text += text;
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
      out += escapeMarkup(QTextDocumentFragment::fromHtml(text.toString()).toPlainText());
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

QList<MarkdownBlock> parseMarkdown(QStringView source) {
  MathSpans math;
  const QByteArray utf8 = math.takeFrom(source).toUtf8();
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
  BlockCollector collector;
  md_parse(utf8.constData(), static_cast<MD_SIZE>(utf8.size()), &parser, &collector);
  QList<MarkdownBlock> blocks = collector.take();
  if (math.isEmpty()) return blocks;
  for (MarkdownBlock& block : blocks) {
    block.markup = math.putBack(block.markup);
    for (QString& cell : block.cells) cell = math.putBack(cell);
  }
  return blocks;
}

}  // namespace quire
