#include "app/viewmodels/session/interface_language.h"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QMetaMethod>
#include <QMetaProperty>
#include <QSet>

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

void announceRows(QAbstractItemModel* model) {
  const int rows = model->rowCount();
  if (rows == 0) return;
  QMetaObject::invokeMethod(model, "dataChanged", Q_ARG(QModelIndex, model->index(0, 0)),
                            Q_ARG(QModelIndex, model->index(rows - 1, 0)));
}

/// Emits each of its properties' signals once; the objects that it leads to.
QList<QObject*> announceProperties(QObject* object) {
  QList<QObject*> found;
  QSet<int> emitted;
  const QMetaObject& meta = *object->metaObject();
  for (int i = QObject::staticMetaObject.propertyCount(); i < meta.propertyCount(); ++i) {
    const QMetaProperty property = meta.property(i);
    if (property.metaType().flags().testFlag(QMetaType::PointerToQObject)) {
      if (auto* next = property.read(object).value<QObject*>()) found.append(next);
    }
    if (!property.hasNotifySignal() || emitted.contains(property.notifySignalIndex())) continue;
    emitted.insert(property.notifySignalIndex());
    const QMetaMethod signal = property.notifySignal();
    if (signal.parameterCount() == 0) signal.invoke(object);
  }
  return found;
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
    return {};
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
  if (m_code == kEnglish) return;  // The language that the words are written in.
  const QString folder = QLibraryInfo::path(QLibraryInfo::TranslationsPath);
  if (m_qtTranslator.load(QStringLiteral("qt_%1").arg(m_code), folder)) {
    QCoreApplication::installTranslator(&m_qtTranslator);
  }
  if (m_translator->load(QStringLiteral(":/quire/translations/quire_%1.qm").arg(m_code))) {
    QCoreApplication::installTranslator(m_translator.get());
  }
}

void announceTexts(QObject* root) {
  QSet<QObject*> seen;
  QList<QObject*> waiting = {root};
  while (!waiting.isEmpty()) {
    QObject* object = waiting.takeFirst();
    // A language that announced its change again would be asked to announce it for ever.
    if (seen.contains(object) || qobject_cast<InterfaceLanguage*>(object)) continue;
    seen.insert(object);
    waiting += announceProperties(object);
    waiting += object->children();
    if (auto* model = qobject_cast<QAbstractItemModel*>(object)) announceRows(model);
  }
}

}  // namespace quire
