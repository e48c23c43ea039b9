#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/json_file.h"
#include "engine/io/read_file.h"
#include "tests/engine/io/safetensors_builder.h"

#include <nlohmann/json.hpp>

using namespace quire;

/// Files that are read whole, up to a limit.
class TestReadFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(m_folder.path().toStdString()) / name;
  }

 private slots:
  void content_isRead() {
    test::write_file(path("five"), "quire");
    QCOMPARE(read_file(path("five"), 5).value(), std::string("quire"));
  }

  void size_isCheckedBeforeReading() {
    test::write_file(path("sparse"), "x");
    std::filesystem::resize_file(path("sparse"), uint64_t{1} << 40);
    const auto content = read_file(path("sparse"), 1 << 20);
    QVERIFY(!content);
    QCOMPARE(content.error().code, ErrorCode::kUnsupported);
    QCOMPARE(
        content.error().message,
        path("sparse").string() + " is 1,099,511,627,776 bytes long; Quire reads up to 1,048,576");
    const auto document = read_json(path("sparse"));
    QVERIFY(!document);
    QCOMPARE(document.error().message,
             std::string("sparse is 1,099,511,627,776 bytes of JSON, more than the 1,048,576 "
                         "allowed; download it again"));
  }

  void fifo_isRefusedWithoutWaiting() {
    QCOMPARE(::mkfifo(path("fifo").c_str(), 0600), 0);
    QCOMPARE(read_file(path("fifo"), 10).error().message, path("fifo").string() + " is not a file");
  }

  void shorterThanItWas_isAnError() {
    test::write_file(path("cut"), std::string(8192, 'x'));
    const auto file = OpenFile::open(path("cut"));
    QVERIFY(file.has_value());
    std::filesystem::resize_file(path("cut"), 100);
    std::vector<std::byte> all(8192);
    const auto read = file->read_at(0, all);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::kIo);
    QCOMPARE(read.error().message, path("cut").string() +
                                       " became shorter while it was read; "
                                       "load it again when it is complete");
  }
};

QTEST_APPLESS_MAIN(TestReadFile)
#include "tst_read_file.moc"
