#include <QTest>

#include "app/richtext/web_link.h"

using quire::isWebLink;
using quire::linkHost;

/// Which links of an answer are links, and where the window says that they lead.
class TestWebLink : public QObject {
  Q_OBJECT

 private slots:
  void host_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("host");  ///< Empty: it is no link.
    const auto row = [](const char* link, const char* host) {
      QTest::newRow(QByteArray(link).toPercentEncoding(":/@?#=[]"))
          << QString::fromUtf8(link) << QString::fromUtf8(host);
    };
    row("https://example.org/a?b=c#d", "example.org");
    row("http://example.org:8080/", "example.org");
    row("HTTPS://EXAMPLE.ORG", "example.org");
    row("http://127.0.0.1/", "127.0.0.1");
    row("https://[::1]/", "::1");
    row("mailto:someone@example.org?subject=a", "someone@example.org");
    row("mailto:some.one+a_b-c@mail.example.org", "some.one+a_b-c@mail.example.org");
    row("mailto:someone@example.org?Subject=a&body=b%0d%0ac", "someone@example.org");
    // What stands before the @ is a name for the server, and no host.
    row("https://bank.example@evil.example/", "evil.example");
    row("https://bank.example:443@evil.example/", "evil.example");
    row("https://evil.example/https://bank.example/", "evil.example");
    row("https://bank.example.evil.example/", "bank.example.evil.example");
    // Letters of other scripts that look like Latin ones.
    row("https://b\u0430nk.example/", "xn--bnk-6cd.example");
    row("https://m\u00fcnchen.example/", "xn--mnchen-3ya.example");
    for (const char* link :
         {"javascript:alert(1)", "JavaScript:alert(1)", "file:///etc/passwd", "data:text/html,a",
          "ftp://example.org/", "vbscript:x", "smb://example.org/a", "tel:112", "about:blank",
          "qrc:/Main.qml", "//example.org/a", "/a", "a", "", "https://", "https:///a",
          "http:", "https:example.org", " https://example.org", "https://exa mple.org",
          "https://example.org\n", "https://ex\u202eample.org/", "java\nscript:alert(1)",
          // Letters to nobody, to others too, or with what nobody has read.
          "mailto:", "mailto:?to=evil@e.example", "mailto:good@",
          "mailto:good@bank.example?to=evil@e.example&attach=/etc/passwd",
          "mailto:good@bank.example?body=a&Attach=/etc/passwd",
          "mailto:good@bank.example?%62cc=evil@e.example",
          "mailto:good@bank.example?subject=a%0d%0aBcc:%20evil@e.example",
          "mailto:good@bank.example,evil@e.example", "mailto:good@bank.example%2cevil%40e.example",
          "mailto:good@bank.example%0aBcc:evil",
          // What mail programs read differs from what linkHost() would show.
          "mailto://evil@evil.example/good@bank.example", "mailto:///good@bank.example",
          "mailto://evil@evil.example", "mailto:/good@bank.example",
          "mailto:good@bank.example#?cc=evil@evil.example&attach=/etc/passwd",
          "mailto:good@bank.example#", "mailto:@b.example", "mailto:a@%20",
          "mailto:a%20b@b.example", "mailto:a@b.example%3Fattach=/etc/passwd",
          "mailto:a@b.example%3fattach=a", "mailto:a@b.example%26attach=a",
          "mailto:a@b.example&attach=a", "mailto:a@b.example%23a",
          "mailto:a@b.example%253Fattach=a", "mailto:%3Ca@b.example%3E"}) {
      row(link, "");
    }
  }
  void host() {
    QFETCH(QString, link);
    QFETCH(QString, host);
    QCOMPARE(isWebLink(link), !host.isEmpty());
    QCOMPARE(linkHost(link), host);
  }
};

QTEST_APPLESS_MAIN(TestWebLink)
#include "tst_web_link.moc"
