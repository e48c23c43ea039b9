#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/mmap_file.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;

class TestMmapFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(m_folder.path().toStdString()) / name;
  }

 private slots:
  void open_showsTheFilesBytes() {
    test::write_file(path("five"), "quire");
    auto file = MappedFile::open(path("five"));
    QVERIFY(file.has_value());
    const auto bytes = file->bytes();
    QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
             std::string("quire"));
  }

  void move_keepsTheMapping() {
    test::write_file(path("moved"), "first");
    test::write_file(path("target"), "second");
    auto first = MappedFile::open(path("moved"));
    auto target = MappedFile::open(path("target"));
    QVERIFY(first && target);
    *target = std::move(*first);
    QCOMPARE(target->bytes().size(), size_t{5});
    QCOMPARE(static_cast<char>(target->bytes()[0]), 'f');
  }

  void open_ofAMissingFileNamesIt() {
    auto file = MappedFile::open(path("absent"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kNotFound);
    QCOMPARE(file.error().message,
             path("absent").string() + " cannot be read: there is no such file");
  }
  void open_ofAnEmptyFileSaysSo() {
    test::write_file(path("empty"), "");
    auto file = MappedFile::open(path("empty"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(file.error().message, path("empty").string() + " is empty; download it again");
  }
  void open_ofAFolderSaysSo() {
    auto file = MappedFile::open(path(""));
    QVERIFY(!file);
    QCOMPARE(file.error().message, path("").string() + " is a folder, not a file");
  }
  void open_ofAnUnreadableFileSaysWhy() {
    if (::geteuid() == 0) QSKIP("root may read every file");
    test::write_file(path("secret"), "x");
    QFile::setPermissions(QString::fromStdString(path("secret").string()), {});
    auto file = MappedFile::open(path("secret"));
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kIo);
    QCOMPARE(file.error().message, path("secret").string() + " cannot be read: Permission denied");
  }
};

QTEST_APPLESS_MAIN(TestMmapFile)
#include "tst_mmap_file.moc"
