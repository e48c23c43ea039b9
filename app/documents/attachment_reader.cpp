#include "app/documents/attachment_reader.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLocale>

#include <algorithm>

#include "app/richtext/code_text.h"
#include "app/richtext/message_copy.h"
#include "app/size_text.h"

namespace quire {
namespace {

constexpr int kPieceLines = 40;
constexpr qsizetype kPieceCharacters = 4000;
constexpr qsizetype kMaxCell = 24;  ///< Columns.
constexpr int kMaxColumns = 12;

/// The cells of the first rows (RFC 4180); of long cells only the beginning.
QList<QStringList> firstRows(const QString& text, int maxRows) {
  const qsizetype firstLine = text.indexOf(u'\n');
  const QStringView head = QStringView(text).left(firstLine < 0 ? text.size() : firstLine);
  const QChar separator = head.contains(u'\t') && !head.contains(u',') ? u'\t'
                          : head.count(u';') > head.count(u',')        ? u';'
                                                                       : u',';
  QList<QStringList> rows(1);
  QString cell;
  bool isQuoted = false;
  for (qsizetype at = 0; at < text.size() && rows.size() <= maxRows; ++at) {
    const QChar letter = text[at];
    if (letter == u'"') {
      if (isQuoted && at + 1 < text.size() && text[at + 1] == u'"')
        cell += text[at++];
      else
        isQuoted = !isQuoted;
    } else if (!isQuoted && (letter == separator || letter == u'\n')) {
      if (rows.last().size() < kMaxColumns) rows.last().append(cell.simplified());
      cell.clear();
      if (letter == u'\n') rows.append(QStringList());
    } else if (cell.size() < 4 * kMaxCell) {
      cell += letter;
    }
  }
  if (!cell.isEmpty() && rows.last().size() < kMaxColumns) rows.last().append(cell.simplified());
  while (rows.size() > maxRows || (!rows.isEmpty() && rows.last().isEmpty())) rows.removeLast();
  return rows;
}

QString shortened(const QString& cell) {
  if (columnsOf(cell) <= kMaxCell) return cell;
  QString begin = cell.left(kMaxCell - 1);
  const auto isCut = [&] { return !begin.isEmpty() && begin.back().isHighSurrogate(); };
  while (columnsOf(begin) >= kMaxCell || isCut()) begin.chop(1);
  return begin + u'…';
}

}  // namespace

qsizetype pieceEnd(const QString& text, qsizetype from, int maxLines, qsizetype maxCharacters) {
  qsizetype at = from;
  for (int lines = 0; lines < maxLines && at < text.size(); ++lines) {
    // Not beyond the piece: a line may be as long as the file.
    const QStringView within = QStringView(text).mid(at, from + maxCharacters - at);
    const qsizetype end = within.indexOf(u'\n');
    if (end < 0 && text.size() - from > maxCharacters) {
      if (at > from) return at;
      const qsizetype cut = from + maxCharacters;
      return text[cut - 1].isHighSurrogate() ? cut - 1 : cut;
    }
    at = end < 0 ? text.size() : at + end + 1;
  }
  return at;
}

QString tablePreview(const QString& text, int maxRows) {
  const QList<QStringList> rows = firstRows(text, maxRows);
  QList<qsizetype> widths;
  for (const QStringList& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (qsizetype i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columnsOf(shortened(row[i])));
  }
  QString table;
  for (const QStringList& row : rows) {
    QString line;
    for (qsizetype i = 0; i < row.size(); ++i) {
      const QString cell = shortened(row[i]);
      line += cell + QString(widths[i] + 2 - columnsOf(cell), u' ');
    }
    table += line.trimmed() + u'\n';
  }
  return table.trimmed();
}

AttachmentReader::AttachmentReader() {
  setRoles({{kText, "text", [this](int row) { return textAt(row); }},
            {kIsTable, "isTable", [this](int row) { return isTable(row); }}});
}

QString AttachmentReader::textAt(int row) const {
  if (isTable(row)) return m_table;
  const int piece = row - (m_table.isEmpty() ? 0 : 1);
  QString text = m_text.mid(m_begins[piece], m_begins[piece + 1] - m_begins[piece]);
  if (text.endsWith(u'\n')) text.chop(1);
  return withoutControls(std::move(text));
}

void AttachmentReader::open(const AttachmentList* files, int row) {
  const AttachmentRecord* record = files ? files->find(row) : nullptr;
  if (!record) return;
  const QLocale locale;
  const int lines = static_cast<int>(record->text.count(u'\n')) + 1;
  QString detail = sizeText(static_cast<quint64>(record->bytes));
  if (lines > 1) detail = tr("%1, %2 lines").arg(detail, locale.toString(lines));
  if (record->tokens > 0)
    detail = tr("%1, ≈ %2 tokens").arg(detail, locale.toString(record->tokens));
  const bool isCsv = record->mediaType == QLatin1String("text/csv") ||
                     record->name.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
  beginResetModel();
  m_title = record->name;
  m_detail = detail;
  m_text = record->text;
  m_table = isCsv ? tablePreview(m_text) : QString();
  m_begins = {0};
  while (m_begins.last() < m_text.size())
    m_begins.append(pieceEnd(m_text, m_begins.last(), kPieceLines, kPieceCharacters));
  m_isOpen = true;
  endResetModel();
  emit changed();
}

void AttachmentReader::close() {
  if (!m_isOpen) return;
  m_isOpen = false;  // The text is kept while the sheet is sliding away.
  emit changed();
}

void AttachmentReader::copy() const {
  QGuiApplication::clipboard()->setText(withoutControls(m_text));
}

}  // namespace quire
