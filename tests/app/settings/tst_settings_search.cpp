#include <QTest>

#include <algorithm>

#include "app/settings/setting_synonyms.h"
#include "app/settings/settings_search.h"

using namespace quire;

/// What people type into the search of the settings, whatever the settings are called.
class SettingsSearchTest : public QObject {
  Q_OBJECT

 private slots:
  void word_finds_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QStringList>("wanted");  ///< That and perhaps others.
    const auto word = [](const char* query, const QStringList& wanted) {
      QTest::newRow(query) << QString::fromUtf8(query) << wanted;
    };
    const QStringList memory = {"idle", "engine1", "engine2", "engine3"};
    word("font", {"textSize"});
    word("zoom", {"textSize"});
    word("dark", {"theme"});
    word("dark mode", {"theme"});
    word("theme", {"theme"});
    word("language", {"language"});
    word("Korean", {"language"});
    word("gpu", {"device", "engine2"});
    word("graphics card", {"device"});
    word("CPU", {"device", "engine0"});
    word("threads", {"engine0"});
    word("cores", {"engine0"});
    word("speed", {"engine0", "engine4"});
    word("memory", memory);
    word("ram", memory);
    word("vram", {"device", "engine2"});
    word("quantization", {"engine3"});
    word("context length", {"engine1"});
    word("token", {"serverKey", "sampling4", "engine1"});
    word("password", {"serverKey"});
    word("network", {"serverReach"});
    word("openai", {"server"});
    word("backup", {"backups"});
    word("export", {"backups"});
    word("restore", {"backups"});
    word("storage", {"dataFolder", "chatSpace"});
    word("shortcut", {"shortcuts"});
    word("keyboard", {"shortcuts"});
    word("alerts", {"notifyAnswers"});
    word("telemetry", {"privacy"});
    word("update", {"version"});
    word("license", {"licence"});
    word("thinking", {"sampling10"});
    word("creativity", {"sampling0"});
    word("repeat", {"sampling5", "sampling7"});
    word("max tokens", {"sampling4"});
    word("글꼴", {"textSize"});
    word("폰트", {"textSize"});
    word("다크", {"theme"});
    word("언어", {"language"});
    word("한글", {"language"});
    word("그래픽", {"device", "engine2"});
    word("그래픽카드", {"device"});
    word("메모리", memory);
    word("램", memory);
    word("스레드", {"engine0"});
    word("코어", {"engine0"});
    word("토큰", {"serverKey", "sampling4"});
    word("비밀번호", {"serverKey"});
    word("백업", {"backups"});
    word("단축키", {"shortcuts"});
    word("키보드", {"shortcuts"});
    word("알림", {"notifyAnswers"});
    word("개인정보", {"privacy"});
    word("업데이트", {"version"});
    word("양자화", {"engine3"});
    word("반복", {"sampling5"});
  }
  void word_finds() {
    QFETCH(QString, query);
    QFETCH(QStringList, wanted);
    SettingsSearch search;
    search.setQuery(query);
    for (const QString& id : wanted) {
      QVERIFY2(search.shown().contains(id), qPrintable(id + " of " + search.shown().join(u' ')));
    }
  }

  void middleOfAWord_isNotFound() {
    SettingsSearch search;
    search.setQuery("ram");
    QVERIFY(!search.shown().contains("server"));  // "Lets other programs use your models"
    search.setQuery("grams");
    QVERIFY(search.findsNothing());
  }

  void otherWords_areOfSettings_andTranslated() {
    QTranslator korean;
    QVERIFY(korean.load(":/quire/translations/quire_ko.qm"));
    int numWith = 0;
    for (const CatalogEntry& entry : catalogEntries()) {
      const QString words = settingSynonyms(entry.id);
      if (words.isEmpty()) continue;
      ++numWith;
      const QString translated =
          korean.translate(kSettingSynonymsContext, words.toUtf8().constData());
      QVERIFY2(!translated.isEmpty(), qPrintable(words));
    }
    QVERIFY(numWith > 30);  // A setting that is renamed keeps its words.
    QCOMPARE(settingSynonyms("none"), QString());
  }
};

QTEST_MAIN(SettingsSearchTest)
#include "tst_settings_search.moc"
