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

/// What the window no longer says, because it was hard to understand.
const QStringList& retiredWording() {
  static const QStringList kPhrases = {
      "Look again",
      "Stop looking",
      "from where it lies",
      "file is left out",
      "files are left out",
      "is no model itself",
      "knows little, errs often",
      "one that Quire computes",
      "As all models",
      "Tokens of a step",
      "almost two to almost four",
      "How answers are drawn",
      "Length of an answer",
      "whole or not",
      "Choose among so many",
      "Part them with",
      "is changed here",
      "a way back",
      "Size of text",
      "Everything that is read",
      "As the system",
      "the window's own words",
      "What follows holds",
      "a model that nobody uses",
      "reads the whole chat anew",
      "What stands on its card",
      "go on without it",
      "Keep warm",
      "Begin a conversation",
      "Who answers",
      "To begin with",
      "Enter sends",
      "begins a line",
      "what comes next",
      "can be read, not continued",
      "In the background",
      "Reading the conversation",
      "Stopped by you",
      "Go on",
      "Answer again",
      "Answer once more",
      "A steady hand",
      "A free hand",
      "from steady to free",
      "as ever",
      "They differ",
      "By chance",
      "Sending drops",
      "more than fits",
      "Take some out",
      "Put away",
      "or let it go",
      "or bring it back",
      "Out of the folder",
      "No command is called",
      "What is missing here",
      "Nothing was missing",
      "Here already",
      "While this question stands",
      "it goes on by itself",
      "Start afresh",
      "are found by themselves",
      "hold something",
      "of them waiting",
      "put back for lack",
      "half are under",
      "Everything applies at once",
  };
  return kPhrases;
}

/// The source with adjacent strings joined, as the compiler joins them.
QString joinStrings(const QByteArray& source) {
  static const QRegularExpression kBetweenStrings(QStringLiteral("\"\\s*\""));
  return QString::fromUtf8(source).remove(kBetweenStrings);
}

/// The strings of a source that contain the phrase.
QStringList stringsWith(const QString& phrase, const QString& source) {
  if (!source.contains(phrase)) return {};
  return found(
      source,
      QStringLiteral("\"[^\"\n]*\\b%1\\b[^\"\n]*\"").arg(QRegularExpression::escape(phrase)));
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

  void retiredWording_isGone() {
    QCOMPARE(stringsWith("Look again", joinStrings("(\"To look, Look \"\n  \"again.\")")).size(),
             1);
    QStringList wrong;
    for (const char* folder : {"app", "ui"}) {
      QDirIterator files(QStringLiteral(QUIRE_SOURCE_DIR "/%1").arg(folder),
                         {"*.cpp", "*.h", "*.qml"}, QDir::Files, QDirIterator::Subdirectories);
      while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString source = joinStrings(file.readAll());
        for (const QString& phrase : retiredWording()) {
          for (const QString& text : stringsWith(phrase, source))
            wrong.append(file.fileName() + QStringLiteral(": ") + text);
        }
      }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

  /// No two particles at once, as in "을(를)", no space before a percent sign, and no words that
  /// the glossary replaced.
  void korean_usesItsGlossary() {
    static const QRegularExpression kUnusual(
        QString::fromUtf8("을\\(를\\)|이\\(가\\)|은\\(는\\)|와\\(과\\)|\\((?:으|이)\\)|\\d "
                          "%(?![\\dnL])|십시오|저절로|저마다|예열|"
                          "답장 입력|쓴 토큰|머리말|정지 문자열|치우기|단추"));
    QStringList wrong;
    for (const Entry& entry : m_entries) {
      for (const QString& translation : entry.translations) {
        if (translation.contains(kUnusual)) wrong.append(translation);
      }
    }
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
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
      return QCoreApplication::translate("PaneSwitch", "%n pane(s)", nullptr, count);
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
