#include "app/session/interface_language.h"

#include <QCoreApplication>
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

/// Words of functions outside classes stand under their namespace in the .ts file, whatever context
/// they ask for.
class Translator : public QTranslator {
 public:
  using QTranslator::QTranslator;

  QString translate(const char* context, const char* text, const char* comment,
                    int number) const override {
    const QByteArray qualified = QByteArrayLiteral("quire::") + context;
    for (const char* candidate : {context, qualified.constData(), "quire"}) {
      const QString found = QTranslator::translate(candidate, text, comment, number);
      if (!found.isEmpty()) return found;
    }
    if (number < 0) return {};
    // A plural without a translation: "%n message(s)".
    return QString::fromUtf8(text).replace(QLatin1String("(s)"),
                                           QLatin1String(number == 1 ? "" : "s"));
  }
};

}  // namespace

InterfaceLanguage::InterfaceLanguage(QObject* parent)
    : QObject(parent), m_translator(std::make_unique<Translator>()) {
  apply();
}

InterfaceLanguage::~InterfaceLanguage() = default;

QStringList InterfaceLanguage::codes() const {
  return {kEnglish, QStringLiteral("ko")};
}

QStringList InterfaceLanguage::names() const {
  return {QStringLiteral("English"), QStringLiteral("한국어")};
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
  QCoreApplication::removeTranslator(m_translator.get());
  QCoreApplication::removeTranslator(&m_qtTranslator);
  m_code = m_choice == QLatin1String("system") ? systemCode(codes()) : m_choice;
  const QLocale system = QLocale::system();
  const bool isSystems = system.name().section(u'_', 0, 0) == m_code;
  QLocale::setDefault(isSystems ? system : QLocale(m_code));
  // The sources are written in English: its file has the plural forms alone.
  const QString folder = QLibraryInfo::path(QLibraryInfo::TranslationsPath);
  if (m_qtTranslator.load(QStringLiteral("qt_%1").arg(m_code), folder)) {
    QCoreApplication::installTranslator(&m_qtTranslator);
  }
  // Without its file, too, it forms plurals.
  static_cast<void>(
      m_translator->load(QStringLiteral(":/quire/translations/quire_%1.qm").arg(m_code)));
  QCoreApplication::installTranslator(m_translator.get());
}

}  // namespace quire
