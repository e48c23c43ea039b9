#include "app/settings/appearance.h"

#include <algorithm>

namespace quire {
namespace {

constexpr int kLeastPercent = 90;
constexpr int kMostPercent = 130;
const QString kThemeKey = QStringLiteral("window.theme");
const QString kTextKey = QStringLiteral("window.textPercent");
const QString kSizeKey = QStringLiteral("window.size");
const QString kLanguageKey = QStringLiteral("window.language");
const QStringList kThemes = {QStringLiteral("system"), QStringLiteral("light"),
                             QStringLiteral("dark")};

QSize sizeFrom(const QString& text) {
  const QStringList parts = text.split(u'x');
  return parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
}

}  // namespace

Appearance::Appearance(DataSession& session, InterfaceLanguage& language, QObject* parent)
    : QObject(parent), m_session(session), m_language(language) {
  connect(&language, &InterfaceLanguage::changed, this, [this] {
    m_session.putSetting(kLanguageKey, m_language.choice());
    emit changed();
  });
}

void Appearance::loadLanguage() {
  m_language.setChoice(m_session.setting(kLanguageKey));
}

void Appearance::load() {
  const QString theme = m_session.setting(kThemeKey);
  if (kThemes.contains(theme)) m_themeChoice = theme;
  const int percent = m_session.setting(kTextKey).toInt();
  m_textPercent = percent == 0 ? 100 : std::clamp(percent, kLeastPercent, kMostPercent);
  m_windowSize = sizeFrom(m_session.setting(kSizeKey));
  emit changed();
}

void Appearance::setThemeChoice(const QString& choice) {
  if (choice == m_themeChoice) return;
  m_themeChoice = choice;
  m_session.putSetting(kThemeKey, choice);
  emit changed();
}

QString Appearance::themeText() const {
  if (m_themeChoice == QLatin1String("light")) return tr("Theme: light. Press for dark.");
  if (m_themeChoice == QLatin1String("dark")) return tr("Theme: dark. Press to follow the system.");
  return tr("Theme: follows the system. Press for light.");
}

void Appearance::cycleTheme() {
  setThemeChoice(kThemes[(kThemes.indexOf(m_themeChoice) + 1) % kThemes.size()]);
}

void Appearance::setTextPercent(int percent) {
  const int wanted = std::clamp(percent, kLeastPercent, kMostPercent);
  if (wanted == m_textPercent) return;
  m_textPercent = wanted;
  m_session.putSetting(kTextKey, QString::number(wanted));
  emit changed();
}

int Appearance::languageIndex() const {
  return static_cast<int>(m_language.codes().indexOf(m_language.choice())) + 1;
}

void Appearance::chooseLanguage(int index) {
  const QStringList codes = m_language.codes();
  if (index < 0 || index > codes.size()) return;
  m_language.setChoice(index == 0 ? QStringLiteral("system") : codes[index - 1]);
}

void Appearance::saveWindowSize(QSize size) {
  if (size == m_windowSize || size.isEmpty()) return;
  m_windowSize = size;
  m_session.putSetting(kSizeKey, QStringLiteral("%1x%2").arg(size.width()).arg(size.height()));
}

}  // namespace quire
