#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "platform/file.h"
#include "platform/memory.h"

namespace platform = quire::platform;
namespace fs = std::filesystem;

/// What all systems promise alike about files, and about pages of memory.
class TestPlatformFile : public QObject {
  Q_OBJECT

 private slots:
  void init();
  void openFile_saysWhyItCannot();
  void openFile_makesANewFileOnlyOnce();
  void openFile_followsALinkOnlyIfTold();
  void writeSome_appendsBehindWhatOthersWrote();
  void readAt_readsAnyPlaceAndStopsAtTheEnd();
  void readAt_passesEveryByteAsItIs();
  void resizeFile_fillsWithZeros();
  void flush_takesFilesAndFolders();
  void statusOf_tellsFilesFromFolders();
  void stampOf_changesWithTheFile();
  void stampOf_isThatOfTheOpenFile();
  void entryOf_followsNoLink();
  void tryLock_isForOneDescriptorAtATime();
  void replaceFile_replacesAnOpenFile();
  void renameToNew_neverReplaces();
  void removeFile_removesAnOpenFile();
  void openTemporaryFile_hasANameWhileItIsOpen();
  void openStream_takesAnyName();
  void paths_areUnicode();
  void utf8Path_neverThrows();
  void nextByte_passesEveryByteAsItIs();
  void mapFile_showsTheFileAfterItIsClosed();
  void mapFile_keepsTheBytesThatAreDoneWith();
  void allocatePages_areZeroAndCanBeShortened();

 private:
  fs::path at(const char* name) const { return m_folder / fs::path(name); }
  void make(const char* name, std::string_view content) const;
  std::string contentOf(const fs::path& path) const;

  std::unique_ptr<QTemporaryDir> m_temporary;
  fs::path m_folder;
};

namespace {

std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A descriptor that is closed at the end.
struct File {
  explicit File(int opened) : descriptor(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  void close() {
    if (descriptor >= 0) platform::close_file(descriptor);
    descriptor = -1;
  }
  int descriptor;
};

}  // namespace

void TestPlatformFile::init() {
  m_temporary = std::make_unique<QTemporaryDir>();
  QVERIFY(m_temporary->isValid());
  m_folder = fs::path(m_temporary->path().toStdU16String());
}

void TestPlatformFile::make(const char* name, std::string_view content) const {
  QFile file(m_temporary->filePath(name));
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(content.data(), static_cast<qint64>(content.size())),
           static_cast<qint64>(content.size()));
}

std::string TestPlatformFile::contentOf(const fs::path& path) const {
  QFile file(QString::fromStdU16String(path.u16string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : "(not there)";
}

void TestPlatformFile::openFile_saysWhyItCannot() {
  QCOMPARE(platform::open_file(at("missing"), {}), -1);
  QCOMPARE(errno, ENOENT);
  QCOMPARE(platform::open_file(at("no/such/folder"), {.write = true, .create = true}), -1);
  QCOMPARE(errno, ENOENT);
}

void TestPlatformFile::openFile_makesANewFileOnlyOnce() {
  const platform::OpenOptions options = {
      .write = true, .create = true, .is_new = true, .is_private = true};
  const File file(platform::open_file(at("new"), options));
  QVERIFY(file.descriptor >= 0);
  QCOMPARE(platform::open_file(at("new"), options), -1);
  QCOMPARE(errno, EEXIST);
}

void TestPlatformFile::openFile_followsALinkOnlyIfTold() {
  make("target", "text");
  std::error_code failed;
  fs::create_symlink(at("target"), at("link"), failed);
  if (failed) QSKIP("symbolic links cannot be made here");
  const File followed(platform::open_file(at("link"), {}));
  QVERIFY(followed.descriptor >= 0);
  QCOMPARE(platform::open_file(at("link"), {.follow_link = false}), -1);
  QCOMPARE(errno, ELOOP);
}

void TestPlatformFile::writeSome_appendsBehindWhatOthersWrote() {
  const platform::OpenOptions options = {.write = true, .create = true, .append = true};
  const File one(platform::open_file(at("log"), options));
  const File other(platform::open_file(at("log"), options));
  QCOMPARE(platform::write_some(one.descriptor, bytesOf("a\n")), 2);
  QCOMPARE(platform::write_some(other.descriptor, bytesOf("b\n")), 2);
  QCOMPARE(platform::write_some(one.descriptor, bytesOf("c\n")), 2);
  QCOMPARE(contentOf(at("log")), std::string("a\nb\nc\n"));
}

void TestPlatformFile::readAt_readsAnyPlaceAndStopsAtTheEnd() {
  make("text", "0123456789");
  const File file(platform::open_file(at("text"), {}));
  std::vector<std::byte> buffer(4);
  QCOMPARE(platform::read_at(file.descriptor, buffer, 3), 4);
  QVERIFY(std::memcmp(buffer.data(), "3456", 4) == 0);
  QCOMPARE(platform::read_at(file.descriptor, buffer, 8), 2);
  QCOMPARE(platform::read_at(file.descriptor, buffer, 10), 0);
  QCOMPARE(platform::read_at(file.descriptor, buffer, uint64_t{1} << 40), 0);
  platform::drop_from_cache(file.descriptor, 0, 4);  // A hint: the bytes are still there.
  QCOMPARE(platform::read_at(file.descriptor, buffer, 0), 4);
}

/// 26 is the end of a text on Windows, and 13 before 10 a part of its lines' ends.
void TestPlatformFile::readAt_passesEveryByteAsItIs() {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  all += "\r\n\n\x1a!";
  const File file(
      platform::open_file(at("bytes"), {.write = true, .create = true, .is_new = true}));
  QCOMPARE(platform::write_some(file.descriptor, bytesOf(all)), static_cast<ptrdiff_t>(all.size()));
  QCOMPARE(contentOf(at("bytes")), all);
  std::string found(all.size(), '\0');
  const File again(platform::open_file(at("bytes"), {}));
  QCOMPARE(platform::read_some(again.descriptor, std::as_writable_bytes(std::span(found))),
           static_cast<ptrdiff_t>(all.size()));
  QCOMPARE(found, all);
}

void TestPlatformFile::resizeFile_fillsWithZeros() {
  make("text", "0123456789");
  const File file(platform::open_file(at("text"), {.write = true}));
  QVERIFY(platform::resize_file(file.descriptor, 3));
  QVERIFY(platform::resize_file(file.descriptor, 5));
  QVERIFY(platform::seek_to_end(file.descriptor));
  QCOMPARE(platform::write_some(file.descriptor, bytesOf("!")), 1);
  QCOMPARE(platform::write_at(file.descriptor, bytesOf("A"), 0), 1);
  QVERIFY(platform::flush_file(file.descriptor));
  QVERIFY(platform::flush_folder(m_folder));
  QCOMPARE(contentOf(at("text")), std::string("A12\0\0!", 6));
}

void TestPlatformFile::flush_takesFilesAndFolders() {
  make("text", "0123456789");
  const File file(platform::open_file(at("text"), {.write = true}));
  QVERIFY(platform::flush_data(file.descriptor));
  QVERIFY(platform::flush_path(at("text")));
  QVERIFY(platform::flush_path(m_folder));
  QVERIFY(!platform::flush_path(at("missing")));
  QCOMPARE(errno, ENOENT);
}

void TestPlatformFile::statusOf_tellsFilesFromFolders() {
  make("text", "0123456789");
  const File file(platform::open_file(at("text"), {}));
  const auto of_file = platform::status_of(file.descriptor);
  QVERIFY(of_file && of_file->is_regular && !of_file->is_folder && of_file->is_own);
  QCOMPARE(of_file->size, uint64_t{10});
  QCOMPARE(of_file->num_names, uint64_t{1});
  std::error_code failed;
  fs::create_hard_link(at("text"), at("other"), failed);
  if (!failed) QCOMPARE(platform::status_of(file.descriptor)->num_names, uint64_t{2});
  const File folder(platform::open_file(m_folder, {}));
  const auto of_folder = platform::status_of(folder.descriptor);
  QVERIFY(of_folder && of_folder->is_folder && !of_folder->is_regular);
}

void TestPlatformFile::stampOf_changesWithTheFile() {
  make("one", "text");
  make("other", "text");
  const auto one = platform::stamp_of(at("one"));
  const auto other = platform::stamp_of(at("other"));
  QVERIFY(one && other);
  QCOMPARE(one->device, other->device);
  QVERIFY(one->number != other->number);
  QVERIFY(one->modified_ns > 0);
  make("one", "longer text");
  QCOMPARE(platform::stamp_of(at("one"))->size, uint64_t{11});
  QCOMPARE(platform::stamp_of(at("one"))->number, one->number);
  QVERIFY(!platform::stamp_of(at("missing")));
}

/// Also when another file has the name by then.
void TestPlatformFile::stampOf_isThatOfTheOpenFile() {
  make("one", "text");
  const File file(platform::open_file(at("one"), {}));
  const auto before = platform::stamp_of(at("one"));
  const auto opened = platform::stamp_of(file.descriptor);
  QVERIFY(before && opened);
  QCOMPARE(opened->device, before->device);
  QCOMPARE(opened->number, before->number);
  QCOMPARE(opened->size, uint64_t{4});
  QCOMPARE(opened->modified_ns, before->modified_ns);
  QVERIFY(platform::rename_to_new(at("one"), at("old")));
  make("one", "another");
  QCOMPARE(platform::stamp_of(file.descriptor)->size, uint64_t{4});
  QVERIFY(platform::stamp_of(at("one"))->number != opened->number);
  QVERIFY(!platform::stamp_of(-1));
}

void TestPlatformFile::entryOf_followsNoLink() {
  make("text", "0123456789");
  const auto file = platform::entry_of(at("text"));
  QVERIFY(file && file->status.is_regular && !file->status.is_folder);
  QCOMPARE(file->status.size, uint64_t{10});
  QCOMPARE(file->status.num_names, uint64_t{1});
  QCOMPARE(file->stamp.number, platform::stamp_of(at("text"))->number);
  QVERIFY(platform::entry_of(m_folder)->status.is_folder);
  QVERIFY(!platform::entry_of(at("missing")));
  std::error_code failed;
  fs::create_symlink(at("text"), at("link"), failed);
  if (failed) QSKIP("symbolic links cannot be made here");
  const auto link = platform::entry_of(at("link"));
  QVERIFY(link && !link->status.is_regular && !link->status.is_folder);
}

void TestPlatformFile::tryLock_isForOneDescriptorAtATime() {
  make("text", "0123456789");
  File first(platform::open_file(at("text"), {.write = true}));
  const File second(platform::open_file(at("text"), {.write = true}));
  QVERIFY(platform::try_lock(first.descriptor));
  QVERIFY(!platform::try_lock(second.descriptor));
  QCOMPARE(errno, EWOULDBLOCK);
  std::vector<std::byte> buffer(10);  // Who does not ask is not held up.
  QCOMPARE(platform::read_at(second.descriptor, buffer, 0), 10);
  first.close();
  QVERIFY(platform::try_lock(second.descriptor));
}

void TestPlatformFile::replaceFile_replacesAnOpenFile() {
  make("old", "old");
  make("new", "new");
  const File reader(platform::open_file(at("old"), {}));
  if (!platform::replace_file(at("new"), at("old"))) {
    // Windows replaces one that is open since Windows 10, 1809; Wine does not.
    QCOMPARE(errno, EACCES);
    QCOMPARE(contentOf(at("old")), std::string("old"));
    QSKIP("this system replaces no open file");
  }
  QCOMPARE(contentOf(at("old")), std::string("new"));
  QVERIFY(!fs::exists(at("new")));
}

void TestPlatformFile::renameToNew_neverReplaces() {
  make("one", "1");
  make("two", "2");
  QVERIFY(!platform::rename_to_new(at("one"), at("two")));
  QCOMPARE(errno, EEXIST);
  QCOMPARE(contentOf(at("two")), std::string("2"));
  QVERIFY(platform::rename_to_new(at("one"), at("three")));
  QCOMPARE(contentOf(at("three")), std::string("1"));
  QVERIFY(!fs::exists(at("one")));
}

void TestPlatformFile::removeFile_removesAnOpenFile() {
  make("text", "0123456789");
  const File reader(platform::open_file(at("text"), {}));
  QVERIFY(platform::remove_file(at("text")));
  std::vector<std::byte> buffer(10);
  QCOMPARE(platform::read_at(reader.descriptor, buffer, 0), 10);
  QVERIFY(!platform::remove_file(at("missing")));
  QCOMPARE(errno, ENOENT);
}

void TestPlatformFile::openTemporaryFile_hasANameWhileItIsOpen() {
  File file(platform::open_temporary_file());
  QVERIFY(file.descriptor >= 0);
  QVERIFY(platform::resize_file(file.descriptor, 1000));
  QCOMPARE(platform::write_at(file.descriptor, bytesOf("text"), 996), 4);
  const fs::path path = platform::path_of(file.descriptor);
  {
    const File again(platform::open_file(path, {}));
    std::vector<std::byte> buffer(4);
    QCOMPARE(platform::read_at(again.descriptor, buffer, 996), 4);
    QVERIFY(std::memcmp(buffer.data(), "text", 4) == 0);
  }
  file.close();
  QCOMPARE(platform::open_file(path, {}), -1);
}

void TestPlatformFile::openStream_takesAnyName() {
  const fs::path path = m_folder / fs::path(u8"\u00e4\u4e2d \u042f.txt");
  std::FILE* const out = platform::open_stream(path, "wb");
  QVERIFY(out != nullptr);
  std::fputs("text\n", out);
  std::fclose(out);
  QCOMPARE(contentOf(path), std::string("text\n"));
  const File file(platform::open_file(path, {}));
  QVERIFY(file.descriptor >= 0);
}

/// What is read of a narrow string is what is written into one.
void TestPlatformFile::paths_areUnicode() {
  const std::string name = "\xc3\xa4\xe4\xb8\xad \xf0\x9f\x8c\x8a.txt";
  QCOMPARE(fs::path(name), fs::path(u8"\u00e4\u4e2d \U0001f30a.txt"));
  QCOMPARE(fs::path(name).string(), name);
  QCOMPARE(fs::path(u8"\u00e4\u4e2d").string(), std::string("\xc3\xa4\xe4\xb8\xad"));
}

void TestPlatformFile::utf8Path_neverThrows() {
  const std::string name = "\xc3\xa4\xe4\xb8\xad.txt";
  make(name.c_str(), "text");
  const fs::path path = m_folder / platform::utf8_path(name);
  QCOMPARE(contentOf(path), std::string("text"));
  QVERIFY(fs::exists(path));
  QVERIFY(platform::utf8_path({}).empty());
  for (const std::string bad : {"\xff", "\xed\xa0\x80", "\xc3"}) {
    QVERIFY(!platform::stamp_of(m_folder / platform::utf8_path(bad)));
  }
}

void TestPlatformFile::nextByte_passesEveryByteAsItIs() {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  all += "\r\n\x1a!";
  make("bytes", all);
  std::FILE* const in = platform::open_stream(at("bytes"), "rb");
  QVERIFY(in != nullptr);
  std::string found;
  for (int c = platform::next_byte(in); c != EOF; c = platform::next_byte(in)) {
    found += static_cast<char>(c);
  }
  QVERIFY(std::feof(in) != 0);
  std::fclose(in);
  QCOMPARE(found, all);
}

void TestPlatformFile::mapFile_showsTheFileAfterItIsClosed() {
  const std::string content(100'000, 'x');
  make("text", content);
  File file(platform::open_file(at("text"), {}));
  void* const mapping = platform::map_file(file.descriptor, content.size());
  QVERIFY(mapping != nullptr);
  file.close();
  QVERIFY(std::memcmp(mapping, content.data(), content.size()) == 0);
  platform::unmap_file(mapping, content.size());
}

void TestPlatformFile::mapFile_keepsTheBytesThatAreDoneWith() {
  const std::string content(100'000, 'x');
  make("text", content);
  const File file(platform::open_file(at("text"), {}));
  void* const mapping = platform::map_file(file.descriptor, content.size());
  const std::span bytes(static_cast<const std::byte*>(mapping), content.size());
  platform::will_read(bytes.subspan(5000));
  platform::done_with(bytes.subspan(100, 90'000));
  platform::done_with({});
  QVERIFY(std::memcmp(mapping, content.data(), content.size()) == 0);
  platform::unmap_file(mapping, content.size());
}

void TestPlatformFile::allocatePages_areZeroAndCanBeShortened() {
  const size_t page = platform::page_bytes();
  const size_t bytes = 1000 * page;
  auto* const pages = static_cast<char*>(platform::allocate_pages(bytes));
  QVERIFY(pages != nullptr);
  QCOMPARE(reinterpret_cast<uintptr_t>(pages) % page, uintptr_t{0});
  for (size_t i = 0; i < bytes; i += page) QCOMPARE(pages[i], '\0');
  std::memset(pages, 7, bytes);
  const size_t left = platform::free_end_of_pages(pages, bytes, 10 * page);
  QCOMPARE(pages[10 * page - 1], '\7');
  platform::free_pages(pages, left);
  QVERIFY(platform::allocate_pages(size_t{1} << 60) == nullptr);
}

QTEST_APPLESS_MAIN(TestPlatformFile)
#include "tst_platform_file.moc"
