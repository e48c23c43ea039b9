#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/io/gguf_file.h"
#include "engine/io/gguf_types.h"
#include "engine/io/hash.h"
#include "engine/io/json_file.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = fs::path(QUIRE_SOURCE_DIR) / "tests/data/gguf/format";

}  // namespace

class TestGgufFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;
  fs::path write(const std::string& content) const {
    const fs::path path = fs::path(m_folder.path().toStdString()) / "model.gguf";
    write_file(path, content);
    return path;
  }
  std::string refusal(const std::string& content) const {
    auto file = GgufFile::open(write(content));
    return file ? "opened" : file.error().message;
  }

 private slots:
  void values_ofEveryTypeAreRead() {
    auto file = GgufFile::open(kFixtures / "every_type.gguf");
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    QCOMPARE(file->version(), 3u);
    QCOMPARE(file->string("general.architecture").value(), std::string_view("llama"));
    QCOMPARE(file->integer("test.u8").value(), int64_t{200});
    QCOMPARE(file->integer("test.i8").value(), int64_t{-100});
    QCOMPARE(file->integer("test.u16").value(), int64_t{60000});
    QCOMPARE(file->integer("test.i16").value(), int64_t{-30000});
    QCOMPARE(file->integer("test.u32").value(), int64_t{4000000000});
    QCOMPARE(file->integer("test.i32").value(), int64_t{-2000000000});
    QCOMPARE(file->integer("test.i64").value(), -(int64_t{1} << 62));
    QCOMPARE(file->number("test.f32").value(), 0.5);
    QCOMPARE(file->number("test.f64").value(), 0.1);
    QCOMPARE(file->number("test.i8").value(), -100.0);
    QCOMPARE(file->boolean("test.bool").value(), true);
    QCOMPARE(file->string("test.string").value(), std::string_view("héllo"));
    QVERIFY((file->strings("test.strings") == std::vector<std::string_view>{"a", "", "日本"}));
    QVERIFY((file->integers("test.integers") == std::vector<int64_t>{1, -2, 3}));
    QVERIFY((file->numbers("test.integers") == std::vector<double>{1, -2, 3}));
    QVERIFY((file->numbers("test.numbers") == std::vector<double>{0.5, -1.25}));
    QVERIFY((file->integers("test.bools") == std::vector<int64_t>{1, 0, 1}));
  }

  void getters_giveNothingForWhatIsNotThere() {
    auto file = GgufFile::open(kFixtures / "every_type.gguf");
    QVERIFY(file.has_value());
    QVERIFY(!file->has("absent") && file->has("test.u64"));
    QVERIFY(!file->integer("absent") && !file->integer("test.f32") && !file->integer("test.bool"));
    QVERIFY(!file->integer("test.u64"));  // Does not fit.
    QVERIFY(!file->integer("test.integers") && !file->string("test.strings"));
    QVERIFY(!file->string("test.u8") && !file->boolean("test.u8") && !file->number("test.string"));
    QVERIFY(file->strings("test.string").empty() && file->strings("test.integers").empty());
    QVERIFY(file->integers("test.numbers").empty() && file->numbers("test.bools").empty());
  }

  void file_thatIsMovedKeepsItsViews() {
    auto opened = GgufFile::open(kFixtures / "every_type.gguf");
    const GgufFile file = std::move(*opened);
    QCOMPARE(file.string("test.string").value(), std::string_view("héllo"));
    QCOMPARE(file.values().size(), size_t{17});
  }

  void tensors_areThoseThatTheReferenceReads() {
    auto file = GgufFile::open(kFixtures / "every_type.gguf");
    auto expected = read_json(kFixtures / "every_type.json");
    QVERIFY(file.has_value() && expected.has_value());
    QCOMPARE(file->tensors().size(), expected->size());
    for (const auto& entry : *expected) {
      const GgufTensor* tensor = file->find_tensor(entry["name"].get<std::string>());
      QVERIFY(tensor != nullptr);
      QCOMPARE(ggml_type_name(tensor->type), entry["dtype"].get<std::string>());
      QVERIFY(tensor->shape == entry["shape"].get<std::vector<int64_t>>());
      QCOMPARE(tensor->offset, entry["offset"].get<uint64_t>());
      QCOMPARE(tensor->bytes, entry["bytes"].get<uint64_t>());
      Sha256 hash;
      hash.update(file->tensor_bytes(*tensor));
      QCOMPARE(to_hex(hash.finish()), entry["sha256"].get<std::string>());
    }
  }

  void types_haveTheSizesThatKernelsExpect() {
    int computed = 0;
    for (uint32_t id = 0; id < 100; ++id) {
      const GgmlType* type = find_ggml_type(id);
      if (type == nullptr || !type->dtype) continue;
      ++computed;
      QCOMPARE(dtype_block_elements(*type->dtype), int64_t{type->block_elements});
      QCOMPARE(dtype_block_bytes(*type->dtype), int64_t{type->block_bytes});
      QCOMPARE(QString::fromUtf8(type->name.data(), int(type->name.size())).toLower(),
               QString::fromStdString(std::string(dtype_name(*type->dtype))));
    }
    QCOMPARE(computed, 29);
    QCOMPARE(ggml_type_name(77), std::string("type 77"));
  }

  void version2_isReadLike3() {
    GgufBuilder builder;
    builder.version = 2;
    builder.u32("a", 7).tensor("t", {2, 3}, 0, std::string(24, '\1'));
    auto file = GgufFile::open(write(builder.build()));
    QVERIFY(file.has_value());
    QCOMPARE(file->version(), 2u);
    QVERIFY((file->find_tensor("t")->shape == std::vector<int64_t>{3, 2}));
  }

  void alignment_ofTheFileIsHeeded() {
    GgufBuilder builder;
    builder.alignment = 128;
    builder.u32("general.alignment", 128).tensor("a", {1}, 0, "1234").tensor("b", {1}, 0, "5678");
    auto file = GgufFile::open(write(builder.build()));
    QVERIFY(file.has_value());
    QCOMPARE(file->find_tensor("b")->offset - file->find_tensor("a")->offset, uint64_t{128});
    QCOMPARE(file->tensor_bytes(*file->find_tensor("b"))[0], std::byte{'5'});
  }

  void tensor_ofAnUnknownTypeIsListed() {
    GgufBuilder builder;
    builder.tensor("new", {256}, 99, std::string(40, 'x')).tensor("old", {1}, 0, "1234");
    auto file = GgufFile::open(write(builder.build()));
    QVERIFY(file.has_value());
    QCOMPARE(file->find_tensor("new")->bytes, uint64_t{64});  // Up to the next.
  }

  void damage_isNamed_data() {
    using B = GgufBuilder;
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& content, const char* message) {
      QTest::newRow(name) << QByteArray(content.data(), int(content.size())) << message;
    };
    const auto versioned = [](uint32_t version) {
      B builder;
      builder.version = version;
      return builder.build();
    };
    row("short", "GG", "is only 2 bytes long; download it again");
    row("other", "PK\3\4....", "is not a GGUF file; download it again");
    row("ggml", "tjgg....",
        "is a GGML file of before 2023's GGUF, which Quire does not read; get the GGUF version");
    row("version 1", versioned(1),
        "is GGUF version 1; Quire reads versions 2 and 3, so convert the model again");
    row("version 9", versioned(9),
        "is GGUF version 9; Quire reads versions 2 and 3, so convert the model again");
    row("big-endian", versioned(3u << 24),
        "is big-endian GGUF, which Quire does not read; get the little-endian one");
    row("header", "GGUF\3", "ends within its header; download it again");

    B keys;
    keys.claimed_keys = int64_t{1} << 60;
    row("keys", keys.build(),
        "is damaged: it claims 1,152,921,504,606,846,976 keys, more than its 32 bytes could hold; "
        "download it again");
    B tensors;
    tensors.claimed_tensors = int64_t{1} << 60;
    row("tensors", tensors.build(),
        "is damaged: it claims 1,152,921,504,606,846,976 tensors, more than its 32 bytes could "
        "hold; download it again");
    B missing;
    missing.claimed_keys = 2;
    row("too few keys", missing.u32("a", 1).build(),
        "is damaged: its key number 2 has no name; download it again");

    const auto key = [&](const char* name, const B& builder, const std::string& message) {
      row(name, builder.build(),
          ("is damaged: the key \"k\" " + message + "; download it again").c_str());
    };
    key("type", B().key("k", 13, ""), "has the unknown type 13");
    key("string", B().key("k", 8, B::raw(uint64_t{1} << 60)),
        "has a value that is longer than the rest of the file");
    key("array", B().array("k", 4, uint64_t{1} << 60, ""),
        "claims 1,152,921,504,606,846,976 elements, more than the rest of the file could hold");
    key("array, wrapping", B().array("k", 12, (uint64_t{1} << 61) + 1, "12345678"),
        "claims 2,305,843,009,213,693,953 elements, more than the rest of the file could hold");
    key("strings", B().array("k", 8, 2, B::text("a") + B::raw(~uint64_t{0})),
        "claims 2 elements, more than the rest of the file could hold");
    key("elements", B().array("k", 14, 0, ""), "has elements of the unknown type 14");
    constexpr uint64_t kMany = (uint64_t{1} << 21) + 1;
    row("too many elements", B().array("k", 0, kMany, std::string(kMany, '1')).build(),
        "has 2,097,153 elements under the key \"k\"; Quire reads up to 2,097,152");
    B many_keys;
    many_keys.claimed_keys = 4097;
    row("too many keys", many_keys.data(std::string(100'000, '1')).build(),
        "has 4,097 keys; Quire reads up to 4,096");
    B many_tensors;
    many_tensors.claimed_tensors = 65'537;
    row("too many tensors", many_tensors.data(std::string(2'000'000, '1')).build(),
        "has 65,537 tensors; Quire reads up to 65,536");
    key("twice", B().u32("k", 1).u32("k", 2), "is there twice");
    row("nested", B().array("k", 9, 1, B::raw(uint32_t{4}) + B::raw(uint64_t{0})).build(),
        "has an array of arrays under the key \"k\", which Quire does not read");
    const auto alignment = [](uint32_t value) {
      return B().u32("general.alignment", value).build();
    };
    row("alignment 0", alignment(0),
        "is damaged: the key \"general.alignment\" is 0, which is no power of two; download it "
        "again");
    row("alignment 48", alignment(48),
        "is damaged: the key \"general.alignment\" is 48, which is no power of two; download it "
        "again");
    row("alignment text", B().string("general.alignment", "32").build(),
        "is damaged: the key \"general.alignment\" is not a u32; download it again");

    const auto tensor = [&](const char* name, const B& builder, const std::string& message) {
      row(name, builder.build(),
          ("is damaged: the tensor \"t\" " + message + "; download it again").c_str());
    };
    constexpr uint64_t kHuge = uint64_t{1} << 40;
    tensor("rank", B().entry("t", {1, 1, 1, 1, 1}, 0, 0), "has 5 dimensions; GGUF allows 4");
    tensor("zero", B().entry("t", {4, 0}, 0, 0), "has a dimension of 0");
    tensor("product", B().entry("t", {kHuge, kHuge}, 0, 0), "has an impossibly large shape");
    tensor("dimension", B().entry("t", {~uint64_t{0}}, 0, 0), "has an impossibly large shape");
    tensor("blocks", B().entry("t", {48, 2}, 2, 0),
           "has rows of 48 elements, which are not whole blocks of Q4_0 (32 elements)");
    tensor("K blocks", B().entry("t", {128, 2}, 12, 0),
           "has rows of 128 elements, which are not whole blocks of Q4_K (256 elements)");
    tensor("end", B().entry("t", {4}, 0, 0).data("123456789012345"),
           "ends after the end of the file, which has 79 bytes");
    tensor("offset", B().entry("t", {4}, 0, ~uint64_t{0} - 31).data(std::string(16, '0')),
           "ends after the end of the file, which has 80 bytes");
    tensor("misaligned", B().entry("t", {1}, 0, 4).data(std::string(16, '0')),
           "starts at 4, which is no multiple of the alignment 32");
    tensor("overlap", B().entry("t", {16}, 0, 0).entry("u", {8}, 0, 32).data(std::string(64, '0')),
           "overlaps the tensor \"u\"");
    tensor("twice", B().entry("t", {1}, 0, 0).entry("t", {1}, 0, 32), "is there twice");
    tensor("same place", B().entry("t", {1}, 0, 0).entry("u", {1}, 0, 0).data("1234"),
           "overlaps the tensor \"u\"");
  }
  void damage_isNamed() {
    QFETCH(QByteArray, content);
    QFETCH(QString, message);
    QCOMPARE(QString::fromStdString(refusal(content.toStdString())), "model.gguf " + message);
  }

  /// More than what is read at first.
  void longHeader_isReadWhole() {
    std::vector<std::string> tokens;
    for (int i = 0; i < 300'000; ++i) tokens.push_back("token " + std::to_string(i));
    const std::string content =
        GgufBuilder().strings("k", tokens).tensor("t", {1}, 0, "1234").build();
    const auto file = GgufFile::open(write(content));
    QVERIFY2(file.has_value(), file ? "" : file.error().message.c_str());
    const auto strings = file->strings("k");
    QVERIFY(std::equal(strings.begin(), strings.end(), tokens.begin(), tokens.end()));
    const auto header = file->header_bytes();
    QCOMPARE(header.size(), content.size() - 4);  // The data of the only tensor.
    QVERIFY(std::memcmp(header.data(), content.data(), header.size()) == 0);
    QCOMPARE(file->tensor_bytes(*file->find_tensor("t"))[3], std::byte{'4'});
  }

  void sparseString_takesNoMemory() {
    const fs::path path =
        write(GgufBuilder().key("k", 8, GgufBuilder::raw(uint64_t{3} << 30)).build());
    fs::resize_file(path, uint64_t{4} << 30);
    const auto file = GgufFile::open(path);
    QVERIFY(!file);
    QCOMPARE(file.error().code, ErrorCode::kUnsupported);
    QCOMPARE(file.error().message, std::string("model.gguf has more than 67,108,864 bytes of "
                                               "metadata, which Quire does not read"));
  }

  void changedInPlace_keepsItsMetadata() {
    const std::string content = GgufBuilder().string("k", "before").u32("n", 7).build();
    const fs::path path = write(content);
    const auto file = GgufFile::open(path);
    QVERIFY(file.has_value());
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
        << std::string(content.size(), '\xff');
    QCOMPARE(file->string("k").value(), std::string_view("before"));
    QCOMPARE(file->integer("n").value(), int64_t{7});
    QVERIFY(std::memcmp(file->header_bytes().data(), content.data(), content.size()) == 0);
  }

  void truncation_anywhereIsRefused() {
    GgufBuilder builder;
    builder.u32("a", 1).strings("b", {"x", "yz"}).tensor("t", {4}, 0, std::string(16, '0'));
    const std::string good = builder.build();
    QCOMPARE(refusal(good), std::string("opened"));
    for (size_t length = 1; length < good.size(); ++length) {
      const std::string message = refusal(good.substr(0, length));
      QVERIFY2(message.starts_with("model.gguf "), message.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestGgufFile)
#include "tst_gguf_file.moc"
