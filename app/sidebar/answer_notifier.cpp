#include "app/sidebar/answer_notifier.h"

#include <QGuiApplication>

#include <utility>

namespace quire {
namespace {

const QString kNotifiesKey = QStringLiteral("window.notifies");
const QString kSoundsKey = QStringLiteral("window.notifiesWithSound");
constexpr int kMaxNamedChats = 4;  ///< Chats that one notification names.

QString flagText(bool value) {
  return value ? QStringLiteral("1") : QStringLiteral("0");
}

}  // namespace

AnswerNotifier::AnswerNotifier(ChatLibrary& library, DataSession& session, QObject* parent)
    : QObject(parent),
      m_library(library),
      m_session(session),
      m_hasFocus([] { return QGuiApplication::applicationState() == Qt::ApplicationActive; }) {
  connect(&library, &ChatLibrary::answerEnded, this, &AnswerNotifier::onAnswerEnded);
  connect(qGuiApp, &QGuiApplication::applicationStateChanged, this,
          [this](Qt::ApplicationState state) {
            if (state == Qt::ApplicationActive) onFocusGained();
          });
}

void AnswerNotifier::setDesktop(std::unique_ptr<DesktopNotifications> desktop) {
  m_desktop = std::move(desktop);
  if (m_desktop) {
    connect(m_desktop.get(), &DesktopNotifications::activated, this, [this](const QString& token) {
      const RecordId chat = m_ended.size() == 1 ? m_ended.constFirst() : 0;
      m_ended.clear();
      emit chatWanted(chat, token);
    });
  }
  emit changed();
}

void AnswerNotifier::load() {
  m_isOn = m_session.setting(kNotifiesKey) != QLatin1String("0");
  m_sounds = m_session.setting(kSoundsKey) == QLatin1String("1");
  emit changed();
}

void AnswerNotifier::setOn(bool isOn) {
  if (isOn == m_isOn) return;
  m_isOn = isOn;
  m_session.putSetting(kNotifiesKey, flagText(isOn));
  if (!isOn) onFocusGained();
  emit changed();
}

void AnswerNotifier::setSounds(bool sounds) {
  if (sounds == m_sounds) return;
  m_sounds = sounds;
  m_session.putSetting(kSoundsKey, flagText(sounds));
  emit changed();
}

void AnswerNotifier::onFocusGained() {
  if (m_ended.isEmpty()) return;
  m_ended.clear();
  if (m_desktop) m_desktop->withdraw();
}

void AnswerNotifier::onAnswerEnded(ChatModel* chat) {
  if (!m_isOn || m_hasFocus()) return;
  const MessageRecord* last = chat->conversation().find(chat->conversation().head());
  const MessageStatus status = last ? last->status : MessageStatus::Complete;
  if (status == MessageStatus::Stopped || status == MessageStatus::Interrupted) return;
  m_ended.removeOne(chat->chatId());
  m_ended.append(chat->chatId());
  announce(status == MessageStatus::Failed);
  emit attentionWanted();
}

void AnswerNotifier::announce(bool hasFailed) {
  if (!m_desktop) return;
  QStringList titles;
  for (auto id = m_ended.crbegin(); id != m_ended.crend() && titles.size() < kMaxNamedChats; ++id) {
    const auto chat = m_library.list()->find(*id);
    if (chat) titles.append(chat->title);
  }
  const auto count = static_cast<int>(m_ended.size());
  DesktopNotice notice = {.title = tr("%n answer(s) ready", nullptr, count),
                          .text = titles.join(u'\n'),
                          .sounds = m_sounds};
  if (count == 1 && hasFailed) notice.title = tr("The answer failed");
  m_desktop->show(notice);
}

}  // namespace quire
