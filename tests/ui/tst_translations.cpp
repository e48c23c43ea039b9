#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

#include "app/session/interface_language.h"

using namespace quire;

namespace {

struct Entry {
  QString context;
  QString source;
  QStringList translations;  ///< One, or one a plural form.
};

/// The message that the reader stands in.
Entry readMessage(QXmlStreamReader& xml) {
  Entry entry;
  while (xml.readNextStartElement()) {
    if (xml.name() == u"source") {
      entry.source = xml.readElementText();
    } else if (xml.name() == u"translation") {
      QString text;
      while (!(xml.readNext() == QXmlStreamReader::EndElement && xml.name() == u"translation")) {
        if (xml.atEnd()) return entry;
        if (xml.isCharacters()) text += xml.text();
        if (xml.isStartElement()) entry.translations.append(xml.readElementText());
      }
      if (entry.translations.isEmpty()) entry.translations = {text};
    } else {
      xml.skipCurrentElement();
    }
  }
  return entry;
}

/// All entries of a .ts file, and into `contexts` the names that they stand under.
QList<Entry> readEntries(const QString& path, QStringList& contexts) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QList<Entry> entries;
  QXmlStreamReader xml(&file);
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == u"name") contexts.append(xml.readElementText());
    if (!xml.isStartElement() || xml.name() != u"message") continue;
    entries.append(readMessage(xml));
    entries.last().context = contexts.last();
  }
  return entries;
}

/// What `pattern` finds in the text, in order of the alphabet.
QStringList found(const QString& text, const QString& pattern) {
  QStringList all;
  auto matches = QRegularExpression(pattern).globalMatch(text);
  while (matches.hasNext()) all.append(matches.next().captured());
  all.sort();
  return all;
}

QSet<QString> qmlNames() {
  QSet<QString> names;
  QDirIterator files(QStringLiteral(QUIRE_SOURCE_DIR "/ui"), {QStringLiteral("*.qml")}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) names.insert(QFileInfo(files.next()).baseName());
  return names;
}

/// Contexts that C++ names, together with the words or for a whole class.
QSet<QString> namedContexts() {
  static const QRegularExpression kNamed(QStringLiteral(
      R"re(translate\(\s*"([^"]+)",\s*"|Q_DECLARE_TR_FUNCTIONS\(([A-Za-z_:]+)\))re"));
  QSet<QString> names;
  QDirIterator files(QStringLiteral(QUIRE_SOURCE_DIR "/app"),
                     {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                     QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    if (!file.open(QIODevice::ReadOnly)) continue;
    auto matches = kNamed.globalMatch(QString::fromUtf8(file.readAll()));
    while (matches.hasNext()) {
      const QRegularExpressionMatch match = matches.next();
      names.insert(match.captured(match.lastCapturedIndex()));
    }
  }
  return names;
}

}  // namespace

/// The translations that stand in the repository: what every entry has to keep of its source.
class TranslationsTest : public QObject {
  Q_OBJECT

 private:
  QList<Entry> m_entries;
  QStringList m_contexts;

  /// Says which entries do not hold as often as their sources what `pattern` finds.
  void compare(const QString& pattern) const {
    QStringList wrong;
    for (const Entry& entry : m_entries) {
      for (const QString& translation : entry.translations) {
        if (found(entry.source, pattern) != found(translation, pattern)) {
          wrong.append(QStringLiteral("%1 -> %2").arg(entry.source, translation));
        }
      }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

 private slots:
  void initTestCase() {
    m_entries = readEntries(QStringLiteral(QUIRE_SOURCE_DIR "/resources/translations/quire_ko.ts"),
                            m_contexts);
    QVERIFY(m_entries.size() > 600);
    QVERIFY(m_contexts.size() > 100);
  }

  /// A context that is neither of the namespace nor a QML file nor named in C++: nobody asks for
  /// it.
  void contexts_areKnown() {
    const QSet<QString> known = qmlNames() + namedContexts();
    QStringList unknown;
    for (const QString& context : m_contexts) {
      if (!context.startsWith(QLatin1String("quire")) && !known.contains(context)) {
        unknown.append(context);
      }
    }
    QVERIFY2(unknown.isEmpty(), qPrintable(unknown.join(u'\n')));
  }

  void entries_areTranslated() {
    QStringList empty;
    for (const Entry& entry : m_entries) {
      if (entry.translations.join(QString()).trimmed().isEmpty()) empty.append(entry.source);
    }
    QVERIFY2(empty.isEmpty(), qPrintable(empty.join(u'\n')));
  }

  void entries_keepTheirPlaceholders() { compare(QStringLiteral("%(L?[0-9]+|L?n)")); }

  void entries_keepKeysAndOptions() {
    compare(QStringLiteral("\\b(Ctrl|Shift|Alt|Esc|Enter)\\b|--[a-z]+|\\*\\.[a-z]+|prefix\\.db"));
  }

  void english_hasPluralForms() {
    InterfaceLanguage language;
    language.setChoice(QStringLiteral("en"));
    QStringList contexts;
    const QList<Entry> entries = readEntries(
        QStringLiteral(QUIRE_SOURCE_DIR "/resources/translations/quire_en.ts"), contexts);
    QVERIFY(!entries.isEmpty());
    for (const Entry& entry : entries) {
      QCOMPARE(entry.translations.size(), 2);
      for (const int count : {1, 2}) {
        const QString shown = QCoreApplication::translate(entry.context.toUtf8(),
                                                          entry.source.toUtf8(), nullptr, count);
        QVERIFY2(!shown.isEmpty() && !shown.contains(u"(s)"), qPrintable(shown));
        const QString number = QString::number(count);
        QString form = entry.translations[count - 1];
        QCOMPARE(shown,
                 form.replace(QStringLiteral("%n"), number).replace(QStringLiteral("%Ln"), number));
      }
    }
    const auto panes = [](int count) {
      return QCoreApplication::translate("PaneCountButton", "%n pane(s)", nullptr, count);
    };
    QCOMPARE(panes(1), QStringLiteral("1 pane"));
    QCOMPARE(panes(2), QStringLiteral("2 panes"));
  }

  /// lupdate files the strings of a free function tr() under another context than it asks for at
  /// run time; Q_DECLARE_TR_FUNCTIONS gives free functions a context that both know.
  void freeFunctions_haveAContext() {
    QStringList free;
    QDirIterator files(QStringLiteral(QUIRE_SOURCE_DIR "/app"), {QStringLiteral("*.cpp")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      if (file.readAll().contains("QString tr(const char")) free.append(file.fileName());
    }
    QVERIFY2(free.isEmpty(), qPrintable(free.join(u'\n')));
  }
};

QTEST_GUILESS_MAIN(TranslationsTest)
#include "tst_translations.moc"
