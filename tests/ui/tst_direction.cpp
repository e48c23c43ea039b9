#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>

#include "app/store/conversation_store.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

const QString kArabic = QStringLiteral("هذه جملة عربية فيها كلمة");

}  // namespace

/// The window from right to left, and texts from right to left in any window. That the layout is
/// the mirror image is checked by tst_gallery.
class DirectionTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1440, 900);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
    QGuiApplication::setLayoutDirection(Qt::LeftToRight);
  }

 private slots:
  void window_followsTheApplication() {
    QTRY_VERIFY(m_driver->item("chatList"));
    QTRY_VERIFY(centreOf("chatList") < 400);
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    QTRY_VERIFY(centreOf("chatList") > 1000);
    QGuiApplication::setLayoutDirection(Qt::LeftToRight);
    QTRY_VERIFY(centreOf("chatList") < 400);
  }

  void arabicParagraph_standsAtTheRight_ofAnEnglishWindow() {
    say("question", kArabic + "\n\nEnglish words");
    const QRectF arabic = letterAt(kArabic, 0);
    const QRectF english = letterAt("English words", 0);
    const QRectF column = rectOf(textItem(kArabic));
    QVERIFY2(column.right() - arabic.x() < 8, qPrintable(QString::number(arabic.x())));
    QVERIFY2(english.x() - column.left() < 8, qPrintable(QString::number(english.x())));
  }

  void arabicList_hasItsMarkersAtTheRight() {
    say("question", "1. " + kArabic + "\n2. HTML\n   - " + kArabic + QStringLiteral(" ثانية") +
                        "\n\nEnglish\n\n- item");
    const QRectF first = rectOf(textItem(kArabic));
    const QRectF marker = rectOf(labelItem(QChar(0x200f) + QStringLiteral("1.")));
    QVERIFY(marker.left() > first.right());
    QCOMPARE(rectOf(labelItem(QChar(0x200f) + QStringLiteral("2."))).left(), marker.left());
    const QRectF item = rectOf(textItem("HTML"));  // It stands where the others of its list do.
    QVERIFY(item.right() - letterAt("HTML", 4).x() < 8);
    const QRectF inner = rectOf(textItem(kArabic + QStringLiteral(" ثانية")));
    QCOMPARE(inner.right(), first.right() - 22);
    QVERIFY(rectOf(labelItem(QStringLiteral("•"))).right() < rectOf(textItem("item")).left());
  }

  void arabicTable_beginsAtTheRight() {
    say("question", "| " + kArabic + " | HTML |\n|---|---|\n| a | b |");
    QVERIFY(rectOf(textItem(kArabic)).left() > rectOf(textItem("HTML")).left());
    QTRY_COMPARE(rectOf(textItem("a")).left(), rectOf(textItem(kArabic)).left());
  }

  void findMarks_lieOnTheFoundWords_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    QTest::newRow("Arabic") << kArabic << QStringLiteral("عربية");
    QTest::newRow("English in Arabic") << QStringLiteral("تعلم لغة HTML في المدرسة") << "HTML";
    QTest::newRow("at the end") << QStringLiteral("تعلم لغة HTML") << "HTML";
    QTest::newRow("Arabic in English")
        << "The word " + kArabic + " in English" << QStringLiteral("جملة");
    QTest::newRow("in a list") << "- " + kArabic + " HTML"
                               << "HTML";
  }
  void findMarks_lieOnTheFoundWords() {
    QFETCH(QString, text);
    QFETCH(QString, word);
    say("question", text);
    m_driver->press(Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(m_driver->chat().find()->isOpen());
    m_driver->chat().find()->setQuery(word);
    QQuickItem* marks = m_driver->item("findMarks");
    QTRY_COMPARE(marks->property("count").toInt(), 1);
    // The mark is placed when its row has been laid out.
    QTRY_VERIFY(marks->property("currentRect").toRectF().width() > 0);
    m_driver->settle(0);
    const QRectF mark = marks->mapRectToScene(marks->property("currentRect").toRectF());
    const QString shown = text.startsWith('-') ? text.mid(2) : text;
    const auto begin = static_cast<int>(shown.indexOf(word));
    QRectF letters;  // The carets inside of the word are where it is, whatever its direction is.
    for (int i = 1; i < word.size(); ++i) letters |= letterAt(shown, begin + i);
    QVERIFY2(mark.left() < letters.left() && mark.right() > letters.right() &&
                 mark.width() < 5 * letters.width(),
             qPrintable(QString("%1-%2 %3-%4")
                            .arg(mark.left())
                            .arg(mark.right())
                            .arg(letters.left())
                            .arg(letters.right())));
  }

  void keys_leadToThePaneAtThatSide() {
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    m_driver->app().panes()->setCount(2);
    m_driver->app().panes()->setFocusedPane(0);
    m_driver->press(Qt::Key_Left, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(m_driver->app().panes()->focusedPane(), 1);
    m_driver->press(Qt::Key_Right, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(m_driver->app().panes()->focusedPane(), 0);
  }

  void arrows_inASegmentedControl_goToThatSide() {
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    m_driver->click("askChip");
    QTRY_VERIFY(m_driver->item("ask2"));
    QTRY_VERIFY(centreOf("ask2") < centreOf("ask1"));
    m_driver->item("ask1")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_Left);
    QTRY_COMPARE(m_driver->app().composer()->plan()->count(), 2);
    m_driver->press(Qt::Key_Right);
    QTRY_COMPARE(m_driver->app().composer()->plan()->count(), 1);
  }

  void paragraphsOfTheComposer_haveTheirOwnDirection() {
    QQuickItem* composer = m_driver->composer();
    m_driver->chat().composer()->setDraft("English\n" + kArabic);
    QTRY_COMPARE(composer->property("text").toString(), "English\n" + kArabic);
    QVERIFY(caretIn(*composer, 0).x() < 40);
    QTRY_VERIFY(caretIn(*composer, 8).x() > composer->width() - 40);
  }

  void edgeOfTheSidebar_followsThePointer() {
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    QTRY_COMPARE(m_driver->window()->contentItem()->width(), 1440.0);
    QTRY_VERIFY(centreOf("chatList") > 1000);
    m_driver->settle(0);
    const double before = m_driver->app().sidebar()->width();
    QWindow* window = m_driver->window();
    const QPoint edge(1440 - static_cast<int>(before) + 3, 450);
    QTest::mousePress(window, Qt::LeftButton, {}, edge);
    for (int x = 0; x <= 60; x += 10) QTest::mouseMove(window, edge - QPoint(x, 0));
    QTest::mouseRelease(window, Qt::LeftButton, {}, edge - QPoint(60, 0));
    QTRY_VERIFY2(m_driver->app().sidebar()->width() > before + 30,
                 qPrintable(QString::number(m_driver->app().sidebar()->width())));
  }

 private:
  void say(const QString& question, const QString& answer) {
    m_backend->queueAnswer(answer);
    m_driver->chat().composer()->sendText(question);
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    QTRY_VERIFY(!m_driver->chat().turns()->isGenerating());
    m_driver->settle(100);
  }
  double centreOf(const QString& name) const { return rectOf(m_driver->item(name)).center().x(); }
  static QRectF rectOf(const QQuickItem* item) {
    return item ? item->mapRectToScene({0, 0, item->width(), item->height()}) : QRectF();
  }
  static QRectF caretIn(QQuickItem& text, int position) {
    QRectF caret;
    QMetaObject::invokeMethod(&text, "positionToRectangle", Q_RETURN_ARG(QRectF, caret),
                              Q_ARG(int, position));
    return caret;
  }
  /// The caret before a letter of the text item that says this.
  QRectF letterAt(const QString& text, int position) const {
    QQuickItem* item = textItem(text);
    return item ? item->mapRectToScene(caretIn(*item, position)) : QRectF();
  }
  QQuickItem* textItem(const QString& text) const { return itemOf(text, "QQuickTextEdit"); }
  QQuickItem* labelItem(const QString& text) const { return itemOf(text, "QQuickText"); }
  QQuickItem* itemOf(const QString& text, const char* type) const {
    QList<QQuickItem*> items = {m_driver->item("timeline")};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      QString own;
      if (at->isVisible() && at->inherits(type)) {
        const QVariant length = at->property("length");
        own = at->property("text").toString();
        if (length.isValid())
          QMetaObject::invokeMethod(at, "getText", Q_RETURN_ARG(QString, own), Q_ARG(int, 0),
                                    Q_ARG(int, length.toInt()));
      }
      if (own == text && !text.isEmpty()) return at;
      items += at->childItems();
    }
    return nullptr;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(DirectionTest)
#include "tst_direction.moc"
