#include <QFile>
#include <QMimeData>
#include <QTest>

#include "app/transfer/file_dialogs.h"
#include "tests/ui/data_test.h"
#include "tests/ui/ui_test_main.h"

using namespace quire;

/// What is carried into the window, out of it and about in it, by hand.
class DataExchangeTest : public DataTest {
  Q_OBJECT

 private slots:
  void selectedChats_areExportedTogether() {
    ask("alpha", "one");
    ask("beta", "two");
    ask("gamma", "three");
    select("alpha");  // Joins the one that is shown.
    QVERIFY(hands().click("Export selected chats"));
    const QString file = folder().filePath("chosen.md");
    const QUrl url = QUrl::fromLocalFile(file);
    DataTransfer& transfer = *driver().app().transfer();
    if (fileDialogFault().isEmpty()) {
      QObject* dialog = nullptr;
      QTRY_VERIFY((dialog = fileDialog()) != nullptr);
      QTRY_VERIFY(dialog->property("visible").toBool());  // Only where it knows its window.
      QMetaObject::invokeMethod(dialog, "exportChosen", Q_ARG(QUrl, url));
      QMetaObject::invokeMethod(dialog, "close");
    } else {  // Where Qt has no dialog either: that is said, and the rest is looked at all the
              // same.
      QTRY_COMPARE(transfer.result(), fileDialogFault());
      QTRY_VERIFY(hands().sees("Files cannot be chosen here"));
      transfer.dismissResult();
      transfer.exportTo(idOf("alpha"), url);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.result().isEmpty(), 20'000);
    QFile written(file);
    QVERIFY(written.open(QIODevice::ReadOnly));
    const QByteArray text = written.readAll();
    const auto has = [&](const char* title) { return text.contains(title); };
    QVERIFY2(has("# alpha") && has("# gamma") && !has("# beta"),
             text + '\n' + transfer.result().toUtf8());
  }

  void commands_exportImportAndBackUp() {
    ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    CommandList& commands = *driver().app().commands();
    for (const char* command : {"data.export", "data.import"}) {
      commands.run(QString::fromLatin1(command));
      if (fileDialogFault().isEmpty()) {
        QTRY_VERIFY(fileDialog() != nullptr);
        QMetaObject::invokeMethod(fileDialog(), "close");
      } else {
        QTRY_COMPARE(transfer.result(), fileDialogFault());
        transfer.dismissResult();
      }
    }
    commands.run(QStringLiteral("data.backUp"));
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy() && !transfer.result().isEmpty(), 20'000);
    QVERIFY2(!transfer.hasFailed(), qPrintable(transfer.result()));
  }

  void droppedExport_isOfferedForImport_andOtherFilesGoWithTheMessage() {
    const RecordId id = ask("alpha", "one");
    DataTransfer& transfer = *driver().app().transfer();
    const QString json = folder().filePath("all.json");
    transfer.exportTo(id, QUrl::fromLocalFile(json));
    QTRY_VERIFY_WITH_TIMEOUT(!transfer.isBusy(), 20'000);
    transfer.dismissResult();
    const QTemporaryDir other;
    stop();
    start(other.path());
    drop(json);
    QTRY_VERIFY(hands().sees("Import the chats in “all.json”?"));
    QVERIFY(hands().click("importNow"));
    QTRY_VERIFY_WITH_TIMEOUT(titles() == QStringList({"alpha"}), 20'000);
    const QString notes = folder().filePath("notes.md");
    QFile file(notes);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# Notes") == 7);
    file.close();
    drop(notes);
    QTRY_COMPARE(driver().app().composer()->files()->count(), 1);
    QVERIFY(!driver().app().importOffer()->isOpen());
    driver().app().navigation()->setPage(Navigation::Page::Personas);
    drop(notes);  // No message to go with here.
    QTRY_VERIFY(driver().app().store()->writeError().contains("notes.md"));
    stop();
  }

  void chatDraggedOntoAPane_opensThere() {
    const RecordId alpha = ask("alpha", "one");
    ask("beta", "two");
    hands().press(Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(driver().app().panes()->count(), 2);
    const int pane = 0;
    QVERIFY(driver().app().panes()->paneOf(alpha) < 0);
    driver().finishPages();
    driver().settle(0);
    drag("alpha", QPoint(320, 300));
    QTRY_COMPARE(driver().app().panes()->paneOf(alpha), pane);
    QCOMPARE(driver().app().panes()->count(), 2);
    ask("gamma", "three");
    driver().settle(0);
    drag("beta", QPoint(driver().window()->width() - 40, 300));
    QTRY_COMPARE(driver().app().panes()->count(), 3);
  }

  void searchKey_worksWhileASheetFades() {
    ask("alpha", "one");
    QuickOpen& search = *driver().app().quickOpen();
    driver().app().chatSettings()->open(&driver().chat());
    QVERIFY(hands().waitForPopup());
    hands().press(Qt::Key_Escape);
    QTest::qWait(30);
    hands().press(Qt::Key_K, Qt::ControlModifier);
    QVERIFY(search.isOpen());
    QVERIFY(hands().waitForPopup());
    hands().type("alp");
    QCOMPARE(search.property("query").toString(), QString("alp"));
    hands().press(Qt::Key_Escape);
    QTest::qWait(30);
    hands().press(Qt::Key_K, Qt::ControlModifier);
    QVERIFY(search.isOpen());
  }

 private:
  QPoint rowOf(const QString& name) {
    const auto at = hands().reach(name);
    if (!at) qFatal("No such chat.");
    return *at;
  }
  void select(const QString& name) {
    QTest::mouseClick(driver().window(), Qt::LeftButton, Qt::ControlModifier, rowOf(name));
    QTest::qWait(20);
  }
  void drag(const QString& name, const QPoint& to) {
    const QPoint from = rowOf(name);
    QWindow* window = driver().window();
    QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, from);
    for (int step = 1; step <= 10; ++step) {
      QTest::mouseMove(window, from + (to - from) * step / 10);
      QTest::qWait(10);
    }
    QTest::mouseRelease(window, Qt::LeftButton, Qt::NoModifier, to);
  }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint at(700, 300);
    QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(driver().window(), &enter);
    QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(driver().window(), &dropped);
  }
  QObject* fileDialog() {
    QList<QQuickItem*> items = {driver().window()->contentItem()};
    while (!items.isEmpty()) {
      QQuickItem* at = items.takeFirst();
      for (QObject* child : at->findChildren<QObject*>())
        if (QByteArray(child->metaObject()->className()).startsWith("TransferDialog_"))
          return child;
      items += at->childItems();
    }
    return nullptr;
  }
};

QUIRE_UI_TEST_MAIN(DataExchangeTest)
#include "tst_data_exchange.moc"
