#include "app/search/quick_open.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/commands/command_icons.h"

namespace quire {
namespace {

constexpr int kRecentChats = 7;
constexpr int kFoundChats = 20;
constexpr int kRecentCommands = 6;
const QString kRecentKey = QStringLiteral("commands.recent");

QList<int> positionsOf(const QList<TextRange>& ranges) {
  QList<int> positions;
  for (const TextRange& range : ranges) {
    for (qsizetype i = 0; i < range.length; ++i) {
      positions.append(static_cast<int>(range.start + i));
    }
  }
  return positions;
}

/// Finds the words of a search in a short text such as a title.
class WordMatch {
 public:
  explicit WordMatch(const QString& query)
      : m_words(query.simplified().split(u' ', Qt::SkipEmptyParts)) {}

  bool isEmpty() const { return m_words.isEmpty(); }
  /// Whether each word occurs in the text, ignoring case.
  bool fits(const QString& text) const {
    return std::all_of(m_words.cbegin(), m_words.cend(), [&](const QString& word) {
      return text.contains(word, Qt::CaseInsensitive);
    });
  }
  /// The text as HTML with the words in bold.
  QString marked(const QString& text) const {
    std::set<int> positions;
    for (const QString& word : m_words) {
      for (qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive); at >= 0;
           at = text.indexOf(word, at + word.size(), Qt::CaseInsensitive)) {
        for (qsizetype i = 0; i < word.size(); ++i) positions.insert(static_cast<int>(at + i));
      }
    }
    return markedText(text, QList<int>(positions.begin(), positions.end()));
  }

 private:
  QStringList m_words;
};

}  // namespace

QuickOpen::QuickOpen(CommandList& commands, const ChatListModel& chats, DataSession& session,
                     QObject* parent)
    : RoleListModel(parent), m_commands(commands), m_chats(chats), m_session(session) {
  const auto of = [this](auto member) {
    return [this, member](int row) { return QVariant::fromValue(m_rows[row].*member); };
  };
  setRoles({{kKind, "kind", of(&Row::kind)},
            {kTitle, "title", of(&Row::title)},
            {kDetail, "detail", of(&Row::detail)},
            {kTrailing, "trailing", of(&Row::trailing)},
            {kColor, "colorIndex", of(&Row::color)},
            {kIcon, "iconName", of(&Row::icon)},
            {kHeading, "heading", of(&Row::heading)}});
}

QString QuickOpen::sectionOf(const Row& row) const {
  if (row.kind == RowKind::Command) return row.group;
  if (row.kind == RowKind::Message) return tr("Messages");
  return m_query.trimmed().isEmpty() ? tr("Recent chats") : tr("Chats");
}

void QuickOpen::showSearch() {
  if (m_isOpen && !isCommands()) return close();  // The shortcut also closes the card.
  show({});
}

void QuickOpen::showCommands() {
  if (m_isOpen && isCommands()) return close();
  show(QStringLiteral(">"));
}

void QuickOpen::show(const QString& query) {
  m_dates = ChatDates();
  m_isOpen = true;
  m_query = query;
  update();
  emit queryChanged();
  emit openChanged();
}

void QuickOpen::close() {
  if (!m_isOpen) return;
  m_isOpen = false;
  emit openChanged();
}

void QuickOpen::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  update();
  emit queryChanged();
}

void QuickOpen::update() {
  if (isCommands()) return setRows(commandRows());
  askMessages();
  setRows(chatRows() + m_messages);
}

/// The messages of the last search stay until the answer arrives, so that the list does not
/// flicker.
void QuickOpen::askMessages() {
  m_note.clear();
  if (m_query.trimmed().isEmpty() || !m_session.isOpen()) {
    m_tasks.cancel();
    m_messages.clear();
    return;
  }
  if (!m_reader) m_reader = std::make_shared<SearchReader>(m_session.folder());
  m_tasks.runNewest(
      [reader = m_reader, question = SearchQuestion{.text = m_query}](std::stop_token stop) {
        return reader->ask(question, [&stop] { return stop.stop_requested(); });
      },
      [this](const Result<SearchAnswer>& result) { onAnswered(result); });
}

void QuickOpen::onAnswered(const Result<SearchAnswer>& result) {
  m_messages = result ? messageRows(*result) : QList<Row>();
  if (!result) {
    m_note = QString::fromStdString(result.error().message);
  } else if (!result->isComplete) {
    m_note = tr("Older messages are still being indexed. Search again later.");
  } else if (result->hasMore) {
    m_note =
        tr("Only the newest %1 are shown. Add a word to narrow the search.").arg(m_messages.size());
  }
  if (isCommands()) return;
  const int current = result ? m_current : 0;
  setRows(chatRows() + m_messages);
  if (current > 0 && current < rowCount()) setCurrent(current);
}

QList<QuickOpen::Row> QuickOpen::messageRows(const SearchAnswer& answer) const {
  QList<Row> rows;
  for (const MessageHit& hit : answer.messages) {
    const auto chat = m_chats.find(hit.chatId);
    if (!chat) continue;  // It is being deleted.
    const QString title = chat->title.isEmpty() ? tr("New chat") : chat->title;
    rows.append({.kind = RowKind::Message,
                 .chat = hit.chatId,
                 .message = hit.messageId,
                 .title = title.toHtmlEscaped(),
                 .detail = markedText(hit.snippet.text, positionsOf(hit.snippet.marks)),
                 .trailing = m_dates.timeTextOf(hit.createdMs),
                 .color = chat->color});
  }
  return rows;
}

QList<QuickOpen::Row> QuickOpen::chatRows() const {
  const WordMatch match(m_query);
  const auto fits = [&](const ChatRecord& chat) {
    return match.isEmpty() ? !chat.archived : match.fits(chat.title);
  };
  QList<Row> rows;
  const int limit = match.isEmpty() ? kRecentChats : kFoundChats;
  const QList<ChatRecord> found = m_chats.findChats(fits, limit);
  for (const ChatRecord& chat : found) {
    rows.append({.chat = chat.id,
                 .title = match.marked(chat.title.isEmpty() ? tr("New chat") : chat.title),
                 .trailing = chat.archived ? tr("archived") : m_dates.timeTextOf(chat.activeMs),
                 .color = chat.color});
  }
  return rows;
}

/// The section of a command while nothing is searched for: then all match, and they are in groups.
QString QuickOpen::groupOf(const Command& command, bool isRecent) const {
  if (m_query.mid(1).trimmed().isEmpty())
    return isRecent ? tr("Recently used") : CommandList::group(command);
  return {};
}

/// The best match comes first; among equal ones the last used, then by groups in the order of the
/// list.
QList<QuickOpen::Row> QuickOpen::commandRows() const {
  struct Found {
    const Command* command;
    FuzzyMatch match;
    qsizetype place;  ///< Among the recent ones, or else that of its group behind them.
  };
  const QStringList recent = m_session.setting(kRecentKey).split(u' ', Qt::SkipEmptyParts);
  QList<QByteArrayView> groups;  // In the order of their first commands.
  QList<Found> found;
  for (const Command& command : m_commands.commands()) {
    if (!groups.contains(command.group)) groups.append(command.group);
    if (!m_commands.canRun(command) || command.id == QLatin1String("commands.open")) continue;
    const auto match = fuzzyMatch(m_query.mid(1), CommandList::text(command));
    const qsizetype used = recent.indexOf(command.id);
    const qsizetype place = used < 0 ? recent.size() + groups.indexOf(command.group) : used;
    if (match) found.append({&command, *match, place});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.match.score != b.match.score ? a.match.score > b.match.score : a.place < b.place;
  });
  QList<Row> rows;
  for (const Found& one : std::as_const(found)) {
    rows.append({.kind = RowKind::Command,
                 .command = one.command->id,
                 .icon = iconOf(*one.command),
                 .group = groupOf(*one.command, one.place < recent.size()),
                 .title = markedText(CommandList::text(*one.command), one.match.positions),
                 .trailing = CommandList::keyText(*one.command)});
  }
  return rows;
}

/// Changes rows in place: each typed letter changes most of them, and updating a row's bindings is
/// much cheaper than creating another item.
void QuickOpen::setRows(const QList<Row>& rows) {
  QList<Row> wanted = rows;
  QString section;
  for (Row& row : wanted) {
    const QString own = sectionOf(row);
    if (own != section) row.heading = own;
    section = own;
  }
  const auto before = static_cast<int>(m_rows.size());
  const auto after = static_cast<int>(wanted.size());
  const int shared = std::min(before, after);
  const auto [first, same] =
      std::mismatch(m_rows.cbegin(), m_rows.cbegin() + shared, wanted.cbegin());
  const auto changed = static_cast<int>(first - m_rows.cbegin());
  if (after < before) beginRemoveRows({}, after, before - 1);
  if (after > before) beginInsertRows({}, before, after - 1);
  m_rows = wanted;
  if (after < before) endRemoveRows();
  if (after > before) endInsertRows();
  if (changed < shared) emit dataChanged(index(changed), index(shared - 1));
  m_current = m_rows.isEmpty() ? -1 : 0;
  emit rowsChanged();
  emit currentRowChanged();
}

QString QuickOpen::emptyText() const {
  if (!m_rows.isEmpty()) return {};
  if (isCommands()) return tr("No matching commands.");
  if (m_query.trimmed().isEmpty()) return tr("No chats yet.");
  if (m_tasks.isBusy()) return tr("Searching…");
  return tr("Nothing found for “%1”.").arg(m_query.trimmed());
}

void QuickOpen::setCurrent(int row) {
  if (row == m_current) return;
  m_current = row;
  emit currentRowChanged();
}

void QuickOpen::move(int step) {
  if (m_rows.isEmpty()) return;
  setCurrent((m_current + step + rowCount()) % rowCount());
}

void QuickOpen::point(int row) {
  if (row >= 0 && row < rowCount()) setCurrent(row);
}

void QuickOpen::activate(int row) {
  if (row < 0 || row >= rowCount()) return;
  const Row chosen = m_rows[row];
  close();
  switch (chosen.kind) {
    case RowKind::Chat:
      return emit chatChosen(chosen.chat);
    case RowKind::Message:
      return emit messageChosen(chosen.chat, chosen.message);
    case RowKind::Command:
      remember(chosen.command);
      return m_commands.run(chosen.command);
  }
}

void QuickOpen::remember(const QString& command) {
  QStringList recent = m_session.setting(kRecentKey).split(u' ', Qt::SkipEmptyParts);
  if (recent.value(0) == command) return;
  recent.removeAll(command);
  recent.prepend(command);
  m_session.putSetting(kRecentKey, recent.mid(0, kRecentCommands).join(u' '));
}

}  // namespace quire
