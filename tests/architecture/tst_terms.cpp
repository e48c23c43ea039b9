#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTest>

#include "tests/architecture/terms.h"

using quire::check_terms;
using quire::Violation;

/// The project speaks the field's language: retired terms stay retired.
class TestTerms : public QObject {
  Q_OBJECT

 private slots:
  void checkTerms_judgesOneLine_data();
  void checkTerms_judgesOneLine();
  void tree_usesTheFieldsTerms();
};

void TestTerms::checkTerms_judgesOneLine_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<bool>("allowed");
  QTest::newRow("retired identifier") << "backend.submit_step(ticket);" << false;
  QTest::newRow("part of a name") << "class RoundedInputs {" << false;
  QTest::newRow("sentence") << "/// Whoever holds it may free it." << false;
  QTest::newRow("two words") << "the pool gives back its blocks" << false;
  QTest::newRow("file") << "#include \"app/chat/label_words.h\"" << false;
  QTest::newRow("longer word") << "/// Extends a pattern that tended to fail." << true;
  QTest::newRow("the field's term") << "void launch_graph();" << true;
}

void TestTerms::checkTerms_judgesOneLine() {
  QFETCH(QString, line);
  QFETCH(bool, allowed);
  QCOMPARE(check_terms("engine/x.h", line.toStdString()).empty(), allowed);
}

void TestTerms::tree_usesTheFieldsTerms() {
  const QDir root(QUIRE_SOURCE_DIR);
  int checked = 0;
  QStringList broken;
  for (const char* folder : {"platform", "kernels", "engine", "app", "ui", "tests", "docs"}) {
    QDirIterator files(root.filePath(folder), {"*.h", "*.cpp", "*.cu", "*.cuh", "*.qml", "*.md"},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString name = root.relativeFilePath(files.next());
      if (name.startsWith(QLatin1String("tests/architecture/"))) continue;  // Names the terms.
      QFile file(files.filePath());
      QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
      const std::string content = file.readAll().toStdString();
      for (const Violation& violation : check_terms(name.toStdString(), content)) {
        broken << QString("%1:%2: %3")
                      .arg(name)
                      .arg(violation.line)
                      .arg(QString::fromStdString(violation.message));
      }
      ++checked;
    }
  }
  QVERIFY2(checked > 30, "the tree's sources were not found");
  for (const QString& line : broken) qWarning("%s", qPrintable(line));
  QVERIFY(broken.isEmpty());
}

QTEST_APPLESS_MAIN(TestTerms)
#include "tst_terms.moc"
