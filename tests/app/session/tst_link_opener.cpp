#include <QDesktopServices>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include "app/session/link_opener.h"

using namespace quire;

/// What is given to the desktop to open.
class TestLinkOpener : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_opened.clear();
    for (const char* scheme : kSchemes) QDesktopServices::setUrlHandler(scheme, this, "note");
  }
  void cleanup() {
    for (const char* scheme : kSchemes) QDesktopServices::unsetUrlHandler(scheme);
  }

  void open_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<bool>("isOpened");
    const auto row = [](const char* link, bool isOpened) {
      QTest::newRow(link) << link << isOpened;
    };
    row("https://example.org/a?b=c", true);
    row("http://example.org/", true);
    row("mailto:a@example.org", true);
    row("file:///etc/passwd", false);
    row("FILE:///etc/passwd", false);
    row("smb://example.org/share", false);
    row("javascript:alert(1)", false);
    row("data:text/html,<script>", false);
    row("/etc/passwd", false);
    row("", false);
  }
  void open() {
    QFETCH(QString, link);
    QFETCH(bool, isOpened);
    LinkOpener opener;
    QSignalSpy closed(&opener, &LinkOpener::opened);
    opener.open(link);
    QCOMPARE(m_opened.size(), isOpened ? 1 : 0);
    QCOMPARE(closed.size(), m_opened.size());
    if (isOpened) QCOMPARE(m_opened[0], QUrl(link));
  }

  void shown_hasNoHiddenCharacters() {
    const LinkOpener opener;
    QVERIFY(!opener.shown(QString::fromUtf8("https://a\u202e.org/")).contains(QChar(0x202e)));
    QCOMPARE(opener.host("https://bank.example@evil.example/"), QString("evil.example"));
    QCOMPARE(opener.shown(QString::fromUtf8("https://a.org/b\u200b\u2060c")),
             QString("https://a.org/b<U+200B><U+2060>c"));
  }

  void host_ofManyLetters_keepsItsEnd() {
    const LinkOpener opener;
    const QString end = "@bank.example.evil.example";
    const QString shown = opener.host("mailto:" + QString(2500, 'a') + end);
    QVERIFY2(shown.size() <= 121 && shown.startsWith("aaa"), qPrintable(shown));
    QVERIFY2(shown.contains(QChar(0x2026)) && shown.endsWith(end), qPrintable(shown));
    const QString page = QString(50, 'b') + '.' + QString(50, 'c') + ".evil.example";
    QCOMPARE(opener.host("https://" + page + "/a"), page);
  }

 private:
  static constexpr const char* kSchemes[] = {"http", "https", "mailto",     "file",
                                             "smb",  "data",  "javascript", ""};
  Q_INVOKABLE void note(const QUrl& url) { m_opened.append(url); }

  QList<QUrl> m_opened;
};

QTEST_MAIN(TestLinkOpener)
#include "tst_link_opener.moc"
