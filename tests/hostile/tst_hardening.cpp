#include <QFile>
#include <QtTest>

#include <algorithm>

#include "tests/hostile/elf_file.h"

using namespace quire::test;

/// The programs that are installed are linked and compiled as cmake/QuireBuild.cmake says.
class TestHardening : public QObject {
  Q_OBJECT

 private slots:
  void program_isHardened_data() {
    QTest::addColumn<QString>("path");
    QFile list(PROGRAMS);
    QVERIFY(list.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(list.readAll());
    for (const QString& path : text.split(u'\n', Qt::SkipEmptyParts)) {
      QTest::newRow(qPrintable(path.section(u'/', -1))) << path;
    }
  }

  void program_isHardened() {
    QFETCH(QString, path);
    const ElfFile file = read_elf(path.toStdString());
    QVERIFY2(file.is_position_independent, "loaded at a fixed address");
    QVERIFY2(file.has_relro, "no RELRO");
    QVERIFY2(file.binds_now, "RELRO is partial: the table of functions stays writable");
    QVERIFY2(!file.has_executable_stack, "the stack is executable");
    QVERIFY2(!file.has_writable_code, "a segment is writable and executable");
    QVERIFY2(file.imports("__stack_chk_fail"), "no stack protector");
    const auto& symbols = file.imported_symbols;
    const bool isFortified = std::any_of(symbols.begin(), symbols.end(), [](const auto& name) {
      return name.starts_with("__") && name.ends_with("_chk");
    });
    QVERIFY2(isFortified, "no function of the C library is fortified");
    // libquire_cuda.so indexes no container where it matters; the engine does everywhere.
    const bool isLibrary = path.endsWith(QLatin1String(".so"));
    const bool checksIndices = std::any_of(symbols.begin(), symbols.end(), [](const auto& name) {
      return name.find("__glibcxx_assert_fail") != std::string::npos;
    });
    QVERIFY2(isLibrary || checksIndices, "the standard library's containers are not checked");
  }
};

QTEST_APPLESS_MAIN(TestHardening)
#include "tst_hardening.moc"
