#include "app/session/interface_language.h"

#include <QGuiApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace quire {
namespace {

const QString kEnglish = QStringLiteral("en");

QString systemCode(const QStringList& known) {
  const QStringList wanted = QLocale::system().uiLanguages();
  for (const QString& language : wanted) {
    const QString code = language.section(u'-', 0, 0);
    if (known.contains(code)) return code;
  }
  return kEnglish;
}

}  // namespace

InterfaceLanguage::InterfaceLanguage(QObject* parent) : QObject(parent) {
  apply();
}

QStringList InterfaceLanguage::codes() const {
  return {kEnglish, QStringLiteral("ko")};
}

void InterfaceLanguage::setChoice(const QString& choice) {
  if (choice == m_choice || (choice != QLatin1String("system") && !codes().contains(choice))) {
    return;
  }
  m_choice = choice;
  apply();
  emit changed();
}

void InterfaceLanguage::apply() {
  QCoreApplication::removeTranslator(&m_translator);
  QCoreApplication::removeTranslator(&m_qtTranslator);
  m_code = m_choice == QLatin1String("system") ? systemCode(codes()) : m_choice;
  const QLocale system = QLocale::system();
  const bool isSystems = system.name().section(u'_', 0, 0) == m_code;
  QLocale::setDefault(isSystems ? system : QLocale(m_code));
  const QString folder = QLibraryInfo::path(QLibraryInfo::TranslationsPath);
  if (m_qtTranslator.load(QStringLiteral("qt_%1").arg(m_code), folder)) {
    QCoreApplication::installTranslator(&m_qtTranslator);
  }
  // The strings in the sources are English: the English file holds only plural forms.
  if (m_translator.load(QStringLiteral(":/quire/translations/quire_%1.qm").arg(m_code))) {
    QCoreApplication::installTranslator(&m_translator);
  }
  applyDirection();
}

/// Only where it differs from the language before, so that Qt's option -reverse is kept.
void InterfaceLanguage::applyDirection() {
  const Qt::LayoutDirection direction = QLocale(m_code).textDirection();
  if (direction != m_direction) QGuiApplication::setLayoutDirection(direction);
  m_direction = direction;
}

}  // namespace quire
