#include "app/panes/navigation.h"

#include <QGuiApplication>

#include "app/store/setting_keys.h"

namespace quire {
namespace {

const QString kEnginePanelKey = QStringLiteral("window.enginePanel");

}  // namespace

Navigation::Navigation(ChatLibrary& library, PaneListModel& panes, ComposerModel& composer,
                       DataSession& session, QObject* parent)
    : QObject(parent),
      m_library(library),
      m_chats(*library.list()),
      m_panes(panes),
      m_composer(composer),
      m_session(session) {
  connect(&library, &ChatLibrary::chatListed, this, &Navigation::currentChatChanged);
  connect(&library, &ChatLibrary::chatTaken, this, &Navigation::onChatTaken);
  connect(&library, &ChatLibrary::chatRestored, this, &Navigation::openChat);
  library.setShown([this](RecordId id) { return m_panes.paneOf(id) >= 0; });
  connectPanes();
  connect(this, &Navigation::currentChatChanged, this, &Navigation::newChatShownChanged);
  connect(this, &Navigation::pageChanged, this, &Navigation::newChatShownChanged);
}

void Navigation::connectPanes() {
  m_panes.setSource([this](RecordId id) { return chatForPane(id); });
  connect(&m_library, &ChatLibrary::chatForked, &m_panes, &PaneListModel::showBeside);
  connect(&m_library, &ChatLibrary::chatRemoved, &m_panes, &PaneListModel::drop);
  connect(&m_panes, &PaneListModel::focusChanged, this, [this] {
    m_library.setCurrent(currentChat()->chatId());
    m_session.putSetting(setting_keys::kLastChat, QString::number(currentChat()->chatId()));
    emit currentChatChanged();
  });
  connect(&m_panes, &PaneListModel::chatBegun, this, [this] { m_composer.plan()->setCount(1); });
  connect(&m_panes, &PaneListModel::arrangementChanged, this,
          [this] { m_session.putSetting(setting_keys::kPanes, m_panes.arrangement().toText()); });
}

void Navigation::restore() {
  m_enginePanel = m_session.setting(kEnginePanelKey) == QLatin1String("1");
  emit enginePanelChanged();
  const auto arrangement = PaneArrangement::fromText(m_session.setting(setting_keys::kPanes));
  const RecordId last = m_session.setting(setting_keys::kLastChat).toLongLong();
  m_panes.restore(arrangement);
  if (m_panes.count() == 0) show(chatForPane(last));
  if (m_panes.count() == 0) newChat();
}

void Navigation::setPage(Page page) {
  if (page == m_page) return;
  m_page = page;
  emit pageChanged();
  emit enginePanelChanged();
}

void Navigation::closePage() {
  setPage(Page::Chats);
  emit m_panes.composerWanted();
}

void Navigation::setEnginePanel(bool wanted) {
  if (wanted == m_enginePanel) return;
  m_enginePanel = wanted;
  m_session.putSetting(kEnginePanelKey, wanted ? QStringLiteral("1") : QString());
  emit enginePanelChanged();
}

void Navigation::show(ChatModel* chat) {
  if (!chat) return;
  setPage(Page::Chats);
  m_panes.show(chat);
}

void Navigation::newChat() {
  if (!m_session.isOpen()) return;
  show(m_library.blank([this](const ChatModel* chat) {
    return chat == currentChat() || m_panes.paneOf(chat->chatId()) < 0;
  }));
  // A blank chat may be shown again: only what the user chooses anew leaves this computer.
  if (currentChat()) currentChat()->leaveRemote();
  m_composer.plan()->setCount(1);
}

void Navigation::newChatUnder(qint64 personaId) {
  newChat();
  if (currentChat()) currentChat()->setPersona(personaId);
}

void Navigation::openMessage(qint64 chatId, qint64 messageId) {
  openChat(chatId);
  if (ChatModel* chat = m_library.findOpen(chatId)) chat->history()->reveal(messageId);
}

void Navigation::openChatBeside(qint64 id) {
  ChatModel* chat = m_library.open(id);
  if (!chat) return;
  setPage(Page::Chats);
  m_panes.showBeside(chat);
}

void Navigation::openChatIn(qint64 id, int pane) {
  ChatModel* chat = m_library.open(id);
  if (!chat) return;
  if (m_panes.paneOf(id) < 0) m_panes.replace(pane, chat);
  m_panes.setFocusedPane(m_panes.paneOf(id));
}

void Navigation::openNeighbour(int step) {
  if (!currentChat()) return;
  const RecordId id = m_chats.neighbourOf(currentChat()->chatId(), step);
  if (id != 0) openChat(id);
}

void Navigation::clickChat(qint64 id) {
  const Qt::KeyboardModifiers held = QGuiApplication::keyboardModifiers();
  if (held.testFlag(Qt::ShiftModifier)) return m_chats.selectTo(id);
  if (held.testFlag(Qt::ControlModifier)) return m_chats.toggleSelected(id);
  m_chats.clearSelection();
  openChat(id);
}

bool Navigation::pressInList(int key, int modifiers) {
  const int step = key == Qt::Key_Down ? 1 : -1;
  switch (key) {
    case Qt::Key_Up:
    case Qt::Key_Down:
      if ((modifiers & Qt::ShiftModifier) != 0) {
        m_chats.extendSelection(step);
      } else {
        m_chats.clearSelection();
        openNeighbour(step);
      }
      return true;
    case Qt::Key_Delete:
      m_library.remove(m_chats.selectedCount() > 0 ? m_chats.firstSelected()
                                                   : currentChat()->chatId());
      return true;
    case Qt::Key_Escape:
      m_chats.clearSelection();
      return true;
    case Qt::Key_A:
      if ((modifiers & Qt::ControlModifier) == 0) return false;
      m_chats.selectAll();
      return true;
    default:
      return false;
  }
}

ChatModel* Navigation::chatForPane(RecordId id) {
  if (id != 0) return m_chats.find(id) ? m_library.open(id) : nullptr;
  return m_library.blank(
      [this](const ChatModel* chat) { return m_panes.paneOf(chat->chatId()) < 0; });
}

/// Shows in the pane of a removed chat the next one of the list that no pane shows, or a new one if
/// that cannot be read.
void Navigation::onChatTaken(qint64 id, int row) {
  const int pane = m_panes.paneOf(id);
  if (pane < 0) return;
  const RecordId next =
      m_chats.chatNear(row, [this](RecordId candidate) { return m_panes.paneOf(candidate) < 0; });
  ChatModel* const chat = chatForPane(next);
  m_panes.replace(pane, chat ? chat : chatForPane(0));
}

}  // namespace quire
