#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>

#include "app/chat/selection_area.h"
#include "app/store/conversation_store.h"
#include "tests/bench/bench_texts.h"
#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

MessageRecord message(RecordId id, const QString& text) {
  MessageRecord record;
  record.id = id;
  record.chatId = 1;
  record.parentId = id == 11 ? 0 : id - 1;
  record.role = id % 2 ? MessageRole::User : MessageRole::Assistant;
  record.setText(text);
  return record;
}

const char* const kAnswer =
    "First paragraph.\n\n```c\nint x;\n```\n\n| head | b |\n|---|---|\n| cell | 2 |\n\n"
    "See [the page](https://example.org) now.\n\n$$\nx^2\n$$\n\nLast one.";

}  // namespace

/// Text selected over blocks and messages with the mouse and the keyboard, in the real window.
class SelectionTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
  }
  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void drag_selectsFromAParagraphOverCodeIntoATable() {
    open({"question", kAnswer});
    drag("First paragraph.", 6, "cell", 2);
    QCOMPARE(selection().plainText(), QString("paragraph.\n\nint x;\n\nhead\tb\nce"));
    QCOMPARE(selectedIn("First paragraph."), QString("paragraph."));
    QCOMPARE(selectedIn("int x;"), QString("int x;"));
    QCOMPARE(selectedIn("head"), QString("head"));
    QCOMPARE(selectedIn("cell"), QString("ce"));
    QCOMPARE(selectedIn("2"), QString());
    m_driver->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("paragraph.\n\nint x;\n\nhead\tb\nce"));
  }

  void drag_upwards_selectsTheSame() {
    open({"question", kAnswer});
    drag("cell", 2, "First paragraph.", 6);
    QCOMPARE(selection().plainText(), QString("paragraph.\n\nint x;\n\nhead\tb\nce"));
  }

  void drag_goesOverMessages_andFormulasAreMarked() {
    open({"the question", kAnswer});
    drag("the question", 4, "Last one.", 4);
    QVERIFY(selection().plainText().startsWith("question\n\nFirst paragraph."));
    QVERIFY(selection().plainText().endsWith("$$ x^2 $$\n\nLast"));
    QCOMPARE(selectedIn("the question"), QString("question"));
  }

  void clicks_selectWordAndParagraph_andRemove() {
    open({"question", kAnswer});
    const QPoint word = pointAt("First paragraph.", 8);
    QTest::mouseDClick(m_driver->window(), Qt::LeftButton, Qt::NoModifier, word);
    QCOMPARE(selection().plainText(), QString("paragraph"));
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, Qt::NoModifier, word);
    QCOMPARE(selection().plainText(), QString("First paragraph."));
    QCOMPARE(selectedIn("First paragraph."), QString("First paragraph."));
    click(pointAt("Last one.", 3));
    QVERIFY(selection().isEmpty());
    QCOMPARE(selectedIn("First paragraph."), QString());
  }

  void shiftClick_extends_andEscapeRemoves() {
    open({"question", kAnswer});
    click(pointAt("First paragraph.", 6));
    QVERIFY(selection().isEmpty());
    click(pointAt("int x;", 3), Qt::ShiftModifier);
    QCOMPARE(selection().plainText(), QString("paragraph.\n\nint"));
    click(pointAt("First paragraph.", 11), Qt::ShiftModifier);
    QCOMPARE(selection().plainText(), QString("parag"));
    m_driver->press(Qt::Key_Escape);
    QVERIFY(selection().isEmpty());
  }

  void allOfTheChat_isSelected_whereTheFocusIs() {
    open({"question", "answer"});
    m_driver->type("draft");
    m_driver->press(Qt::Key_A, Qt::ControlModifier);
    QVERIFY(selection().isEmpty());
    click(pointAt("answer", 2));
    m_driver->press(Qt::Key_A, Qt::ControlModifier);
    m_driver->press(Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("question\n\nanswer"));
    QCOMPARE(m_driver->chat().composer()->draft(), QString("draft"));
    QTest::sendKeyEvent(QTest::Click, m_driver->window(), Qt::Key_unknown, "s", Qt::NoModifier);
    QVERIFY(m_driver->composer()->hasActiveFocus());
    QVERIFY(!selection().isEmpty());
  }

  void keysWithShift_extendFromAClick() {
    open({"question", "One two three four.\n\nSecond $x^2$ here.\n\n```c\nint x;\n```\n\nEnd."});
    click(pointAt("One two", 4));
    extend(Qt::Key_Right, "t");
    extend(Qt::Key_Right, "two ", Qt::ControlModifier);
    extend(Qt::Key_Left, "two");
    extend(Qt::Key_Home, "One ");
    extend(Qt::Key_End, "two three four.");
    extend(Qt::Key_Right, "two three four.");  // Before the next paragraph.
    extend(Qt::Key_Right, "two three four.\n\nS");
    extend(Qt::Key_Right, "two three four.\n\nSecond ", Qt::ControlModifier);
    extend(Qt::Key_Right, "two three four.\n\nSecond $x^2$");
    QCOMPARE(selectedIn("One two"), QString("two three four."));
    extend(Qt::Key_Home, "One ", Qt::ControlModifier, "question\n\n");
    extend(Qt::Key_End, "two three four.\n\nSecond $x^2$ here.\n\nint x;\n\nEnd.",
           Qt::ControlModifier);
    m_driver->press(Qt::Key_Escape);
    QVERIFY(selection().isEmpty());
    m_driver->press(Qt::Key_Right, Qt::ShiftModifier);
    QVERIFY(selection().isEmpty());  // Nothing to begin from.
  }

  void caret_isSetAndMoved_byKeysAlone() {
    open({"question", "One two three.\n\nFour five."});
    m_driver->item("timeline")->forceActiveFocus();
    m_driver->press(Qt::Key_F7);
    m_driver->press(Qt::Key_Home, Qt::ControlModifier);
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_Home);
    m_driver->press(Qt::Key_Right, Qt::ControlModifier);
    QVERIFY(selection().isEmpty());
    extend(Qt::Key_Right, "two ", Qt::ControlModifier);
    m_driver->press(Qt::Key_Right);
    QVERIFY(selection().isEmpty());
    extend(Qt::Key_End, "hree.");
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_Escape);
    const TextPosition place = selection().caret();
    m_driver->press(Qt::Key_Left);  // It moves no more.
    QVERIFY(selection().caret() == place);
  }

  void caret_isDrawn_whileTheKeyboardIsThere() {
    open({"question", "One two three."});
    const auto inked = [&] {
      const QImage image = m_driver->window()->grabWindow();
      return qGray(image.pixel(pointAt("One two", 3))) < 100;  // Before the space.
    };
    click(pointAt("One two", 3));
    QVERIFY(!inked());
    m_driver->press(Qt::Key_F7);
    QTRY_VERIFY(inked());
    m_driver->press(Qt::Key_F7);
    QTRY_VERIFY(!inked());
  }

  void keysUpAndDown_goByLines_andStayInTheirColumn() {
    const QString longText = QString("word ").repeated(60);
    open({"question", longText + "\n\n| head | b |\n|---|---|\n| cell | 2 |\n\n" + longText});
    click(pointAt("word", 20));
    const double x = m_driver->item("timeline")->mapFromScene(pointAt("word", 20)).x();
    for (int line = 0; line < 9; ++line) {
      m_driver->press(Qt::Key_Down, Qt::ShiftModifier);
      const double at = caretRect().x();
      const bool isTable = selection().plainText().count("head") > 0 && line < 8 && at < x;
      QVERIFY2(isTable || std::abs(at - x) < 30, qPrintable(QString("%1 %2").arg(x).arg(at)));
    }
    QVERIFY2(selection().plainText().contains("cell\t"), qPrintable(selection().plainText()));
    for (int line = 0; line < 9; ++line) m_driver->press(Qt::Key_Up, Qt::ShiftModifier);
    QVERIFY(selection().isEmpty());
    for (int line = 0; line < 3; ++line) m_driver->press(Qt::Key_Up, Qt::ShiftModifier);
    QVERIFY(selection().plainText().startsWith("question\n\nword "));
  }

  /// From the end of the chat to its beginning and back, without a mouse.
  void keysAlone_selectAnyText_andTheListFollows() {
    open(longChat());
    m_driver->item("copyAnswer")->forceActiveFocus(Qt::TabFocusReason);
    m_driver->press(Qt::Key_A, Qt::ControlModifier);
    const QString all = selection().plainText();
    m_driver->press(Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(selection().plainText(), all.chopped(1));
    QVERIFY(describedAs(m_driver->item("timeline")).startsWith("Selected: "));
    m_driver->press(Qt::Key_Home, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(selection().isEmpty());
    const QQuickItem* list = m_driver->item("timeline");
    QTRY_VERIFY(list->property("contentY").toDouble() < list->property("originY").toDouble() + 60);
    qsizetype length = 0;
    for (int line = 0; line < 60; ++line) {
      m_driver->press(Qt::Key_Down, Qt::ShiftModifier);
      QVERIFY(selection().plainText().size() >= length);
      length = selection().plainText().size();
      const QRectF caret = caretRect();
      QVERIFY2(caret.top() >= 0 && caret.bottom() <= list->height(),
               qPrintable(QString("%1 at %2").arg(line).arg(caret.top())));
    }
    QVERIFY(all.startsWith(selection().plainText()) && length > 1000);
  }

  void keysInATextFromRightToLeft_goWhereTheyPoint() {
    const QString hebrew = QStringLiteral("שלום עולם, זה טקסט.");
    open({"question", hebrew + "\n\nEnd."});
    click(pointAt(hebrew, 5));
    extend(Qt::Key_Left, hebrew.mid(5, 1));
    extend(Qt::Key_Right, "");
    extend(Qt::Key_Right, hebrew.mid(4, 1));
  }

  void streaming_keepsTheSelectionOnItsCharacters() {
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1300, 800);
    m_backend->queueAnswer("First paragraph of words.\n\n```c\nint x;\nint y;\n```\n\nEnd.");
    m_backend->charactersPerTick = 5;
    m_driver->chat().composer()->sendText("ask");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(8);  // Within the first line of the code.
    QTRY_VERIFY(textItem("int x"));
    m_driver->settle(30);
    drag("First paragraph of", 6, "int x", 3);
    QCOMPARE(selection().plainText(), QString("paragraph of words.\n\nint"));
    m_backend->advance(1000);
    QTRY_VERIFY(!m_driver->chat().turns()->isGenerating());
    QCOMPARE(selection().plainText(), QString("paragraph of words.\n\nint"));
    QCOMPARE(selectedIn("int x"), QString("int"));
    QCOMPARE(selectedIn("First paragraph"), QString("paragraph of words."));
  }

  void dragBeyondTheEdge_scrolls_andCopiesRowsThatAreGone() {
    open(longChat());
    QQuickItem* list = m_driver->item("timeline");
    const double before = list->property("contentY").toDouble();
    const QPoint start = list->mapToScene({list->width() / 2, list->height() / 2}).toPoint();
    QTest::mousePress(m_driver->window(), Qt::LeftButton, Qt::NoModifier, start);
    const QPoint above = list->mapToScene({list->width() / 2, -60}).toPoint();
    QTest::mouseMove(m_driver->window(), start - QPoint(0, 40));
    QTest::mouseMove(m_driver->window(), above);
    QTRY_VERIFY(list->property("contentY").toDouble() < before - 3 * list->height());
    QTest::mouseRelease(m_driver->window(), Qt::LeftButton, Qt::NoModifier, above);
    const double end = list->property("contentY").toDouble();
    QTest::qWait(50);
    QCOMPARE(list->property("contentY").toDouble(), end);
    QVERIFY(selection().plainText().count("done.") > 3);
  }

  void recycledRows_showWhatIsSelected_andNothingAfterwards() {
    open(longChat());
    QQuickItem* list = m_driver->item("timeline");
    click(list->mapToScene({list->width() / 2, list->height() / 2}).toPoint());
    m_driver->press(Qt::Key_A, Qt::ControlModifier);
    QTRY_VERIFY(isAllSelected());
    for (int i = 0; i < 10; ++i) {
      list->setProperty("contentY", list->property("contentY").toDouble() - 900);
      QTRY_VERIFY(isAllSelected());
    }
    m_driver->press(Qt::Key_Escape);
    for (int i = 0; i < 10; ++i) {
      list->setProperty("contentY", list->property("contentY").toDouble() + 900);
      QVERIFY(isNothingMarked());
    }
  }

  void linksAndButtons_stillWork() {
    open({"question", kAnswer});
    click(pointAt("See the page", 7));
    QTRY_VERIFY(m_driver->window()->findChild<QObject*>("askCard") ||
                m_driver->window()->activeFocusItem() != m_driver->item("selectionArea"));
    QVERIFY(selection().isEmpty());
    m_driver->press(Qt::Key_Escape);
    QTRY_VERIFY(m_driver->item("copyAnswer"));
    drag("First paragraph.", 6, "int x;", 3);
    m_driver->click("wrapButton");  // A button over the text keeps the selection.
    QCOMPARE(selection().plainText(), QString("paragraph.\n\nint"));
  }

  void menu_copiesTheSelection() {
    open({"question", kAnswer});
    drag("First paragraph.", 6, "int x;", 3);
    const QPoint at = pointAt("First paragraph.", 8);
    QTest::mouseClick(m_driver->window(), Qt::RightButton, Qt::NoModifier, at);
    QTRY_VERIFY(m_driver->item("copySelection") && m_driver->item("copySelection")->isVisible());
    m_driver->click("copySelection");
    QTRY_COMPARE(QGuiApplication::clipboard()->text(), QString("paragraph.\n\nint"));
    QCOMPARE(selection().plainText(), QString("paragraph.\n\nint"));
  }

  void screenReaders_areToldWhereTheCaretIs() {
    open({"question", "One two three.\n\nFour five."});
    auto* const area = qobject_cast<SelectionArea*>(m_driver->item("selectionArea"));
    QVERIFY(area);
    QStringList told;
    connect(area->spokenCaret(), &SpokenCaret::spoken, this, [&] {
      told.append(QAccessible::queryAccessibleInterface(m_driver->item("spokenCaret"))
                      ->text(QAccessible::Name));
    });
    click(pointAt("One two", 4));
    m_driver->press(Qt::Key_F7);
    m_driver->press(Qt::Key_F7);
    QCOMPARE(told, QStringList());  // No screen reader is active.
    area->spokenCaret()->setHeard([] { return true; });
    m_driver->press(Qt::Key_F7);
    m_driver->press(Qt::Key_Right);
    m_driver->press(Qt::Key_Right, Qt::ControlModifier);
    m_driver->press(Qt::Key_Left);
    m_driver->press(Qt::Key_Home);
    m_driver->press(Qt::Key_Down);
    m_driver->press(Qt::Key_End);
    m_driver->press(Qt::Key_Home, Qt::ControlModifier);
    m_driver->press(Qt::Key_Right, Qt::ShiftModifier);  // Told as a selection.
    m_driver->press(Qt::Key_F7);
    QCOMPARE(told, QStringList({"Caret shown. One two three.", "w", "three", "Space", "O",
                                "Four five.", "End of paragraph", "question", "Caret hidden"}));
  }

  void screenReaders_areToldTheText() {
    open({"question", kAnswer});
    drag("First paragraph.", 6, "int x;", 3);
    QCOMPARE(describedAs(m_driver->item("timeline")), QString("Selected: paragraph.\n\nint"));
    m_driver->press(Qt::Key_Escape);
    QCOMPARE(describedAs(m_driver->item("timeline")), QString());
  }

  /// A formula that makes its line higher stands in the same fill as the words beside it.
  void tallFormula_isMarkedLikeItsLine() {
    const QString formula = QStringLiteral("$\\frac{\\frac{a}{b}}{\\frac{c}{d}}$");
    open({"question", "Words before " + formula + " and after it, in the same line."});
    click(pointAt("Words before", 3));
    m_driver->press(Qt::Key_A, Qt::ControlModifier);
    QTRY_VERIFY(isAllSelected());
    const QImage image = m_driver->window()->grabWindow();
    const double scale = image.devicePixelRatio();
    QQuickItem* text = textItem("Words before");
    const auto fillAt = [&](int position, double dx, double dy) {
      QRectF caret;
      QMetaObject::invokeMethod(text, "positionToRectangle", Q_RETURN_ARG(QRectF, caret),
                                Q_ARG(int, position));
      const double y = dy < 0 ? caret.bottom() + dy : caret.top() + dy;
      return image.pixelColor((text->mapToScene({caret.x() + dx, y}) * scale).toPoint());
    };
    const QColor words = fillAt(5, 2, 1);  // In the space between two words.
    QVERIFY(words != image.pixelColor(text->mapToScene({-6, 6}).toPoint() * scale));
    for (const double dy : {1.0, -2.0}) {  // Above and below what is left of the fraction.
      const QColor beside = fillAt(13, 0.5, dy);
      const auto isNear = [](int one, int other) { return std::abs(one - other) <= 2; };
      QVERIFY2(isNear(beside.red(), words.red()) && isNear(beside.green(), words.green()) &&
                   isNear(beside.blue(), words.blue()),
               qPrintable(beside.name() + ' ' + words.name()));
    }
  }

  void rightToLeft_isSelectedInReadingOrder() {
    const QString hebrew = QStringLiteral("שלום עולם, זה טקסט.");
    open({"question", hebrew + "\n\nEnd."});
    drag(hebrew, 5, hebrew, 9);
    QCOMPARE(selection().plainText(), hebrew.mid(5, 4));
    QVERIFY(pointAt(hebrew, 5).x() > pointAt(hebrew, 9).x());
    drag(hebrew, 9, hebrew, 5);
    QCOMPARE(selection().plainText(), hebrew.mid(5, 4));
  }

  void withoutASelection_scrollingMarksNothing() {
    open(longChat());
    click(m_driver->item("timeline")->mapToScene({300, 300}).toPoint());
    QTest::qWait(30);
    QQuickItem* list = m_driver->item("timeline");
    for (int i = 0; i < 20; ++i) {
      list->setProperty("contentY", list->property("contentY").toDouble() - 300);
      m_driver->drawFrame();
    }
    QVERIFY(isNothingMarked());
  }

 private:
  static QStringList longChat() {
    QStringList texts;
    for (int i = 0; i < 40; ++i) texts.append(benchText("mixed", i % 2 ? 3000 : 200));
    return texts;
  }
  void open(const QStringList& texts) {
    auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store.has_value());
    NewChat chat;
    chat.chat.id = 1;
    chat.chat.title = "selected";
    chat.chat.activeMs = 1;
    for (qsizetype i = 0; i < texts.size(); ++i)
      chat.messages.append(message(11 + static_cast<RecordId>(i), texts[i]));
    chat.chat.headMessageId = chat.messages.last().id;
    QVERIFY((*store)->createChat(chat).has_value());
    store->reset();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path());
    m_driver->window()->resize(1300, 800);
    m_driver->app().navigation()->openChat(1);
    QTRY_VERIFY_WITH_TIMEOUT(
        m_driver->chat().isLoaded() && !m_driver->chat().timeline()->isLoading(), 20000);
    m_driver->settle(100);
    WatchedApplication::instance().reset();
  }
  ChatSelection& selection() { return *m_driver->chat().selection(); }

  /// Before a character of the text that begins so, in the window.
  QPoint pointAt(const QString& begin, int position) const {
    QQuickItem* text = textItem(begin);
    if (!text) qFatal("No text “%s” is shown.", qPrintable(begin));
    QRectF rect;
    QMetaObject::invokeMethod(text, "positionToRectangle", Q_RETURN_ARG(QRectF, rect),
                              Q_ARG(int, position));
    return text->mapToScene(rect.center()).toPoint();
  }
  void drag(const QString& fromText, int from, const QString& toText, int to) {
    const QPoint begin = pointAt(fromText, from);
    const QPoint end = pointAt(toText, to);
    QTest::mousePress(m_driver->window(), Qt::LeftButton, Qt::NoModifier, begin);
    QTest::mouseMove(m_driver->window(), (begin + end) / 2);
    QTest::mouseMove(m_driver->window(), end);
    QTest::mouseRelease(m_driver->window(), Qt::LeftButton, Qt::NoModifier, end);
  }
  void click(const QPoint& at, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::mouseClick(m_driver->window(), Qt::LeftButton, modifiers, at);
  }
  /// Presses a key with Shift and compares what is selected.
  void extend(Qt::Key key, const QString& selected, Qt::KeyboardModifiers more = Qt::NoModifier,
              const QString& before = {}) {
    m_driver->press(key, Qt::ShiftModifier | more);
    QCOMPARE(selection().plainText(), before + selected);
  }
  /// The texts, once they show what is selected: SelectionArea marks them when a frame is laid out,
  /// and once more in a call that it posts then.
  QList<QQuickItem*> markedTexts() const {
    m_driver->settle(0);
    return textItems();
  }
  /// The moving end of a selection that goes down, in the list.
  QRectF caretRect() const {
    QQuickItem* list = m_driver->item("timeline");
    QRectF last;
    for (QQuickItem* text : markedTexts()) {
      if (text->property("selectedText").toString().isEmpty()) continue;
      QRectF rect;
      QMetaObject::invokeMethod(text, "positionToRectangle", Q_RETURN_ARG(QRectF, rect),
                                Q_ARG(int, text->property("selectionEnd").toInt()));
      const QRectF inList = text->mapRectToItem(list, rect);
      if (last.isNull() || inList.bottom() >= last.bottom()) last = inList;
    }
    return last;
  }
  /// Of the rows that are alive, not of those that the list keeps for later.
  QList<QQuickItem*> textItems() const {
    QQuickItem* list = m_driver->item("timeline");
    QList<QQuickItem*> found;
    QList<QQuickItem*> items;
    for (QQuickItem* row : list->property("contentItem").value<QQuickItem*>()->childItems()) {
      QQuickItem* alive = nullptr;
      const QVariant index = row->property("index");
      if (!index.isValid()) continue;
      QMetaObject::invokeMethod(list, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, alive),
                                Q_ARG(int, index.toInt()));
      if (alive == row) items.append(row);
    }
    std::ranges::sort(items, {}, &QQuickItem::y);
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      if (!at->isVisible()) continue;
      if (at->property("textDocument").isValid()) found.append(at);
      items = at->childItems() + items;
    }
    return found;
  }
  QQuickItem* textItem(const QString& begin) const {
    for (QQuickItem* text : textItems())
      if (text->property("text").toString().startsWith(begin)) return text;
    return nullptr;
  }
  QString selectedIn(const QString& begin) const {
    m_driver->settle(0);
    const QQuickItem* text = textItem(begin);
    return text ? text->property("selectedText").toString() : QStringLiteral("no such text");
  }
  bool isAllSelected() const {
    const QList<QQuickItem*> texts = markedTexts();
    return !texts.isEmpty() && std::ranges::all_of(texts, [](const QQuickItem* text) {
      return text->property("selectedText").toString().size() == text->property("length").toInt();
    });
  }
  bool isNothingMarked() const {
    return std::ranges::all_of(markedTexts(), [](const QQuickItem* text) {
      return text->property("selectedText").toString().isEmpty();
    });
  }
  static QString describedAs(const QQuickItem* item) {
    for (const QObject* child : item->children())
      if (child->inherits("QQuickAccessibleAttached"))
        return child->property("description").toString();
    return {};
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(SelectionTest)
#include "tst_selection.moc"
