#include <QtTest>

#include "engine/io/gguf_header.h"
#include "engine/io/gguf_writer.h"

using namespace quire;

/// What is written, as parse_gguf_header() reads it.
class TestGgufWriter : public QObject {
  Q_OBJECT

 private slots:
  void everyKind_isReadBack() {
    GgufMetadata metadata;
    metadata.set_string("general.architecture", "llama");
    metadata.set_u32("a", 7);
    metadata.set_i32("b", -7);
    metadata.set_f32("c", 0.5f);
    metadata.set_bool("d", true);
    const std::vector<std::string> texts = {"one", "", "three"};
    metadata.set_strings("e", texts);
    const std::vector<float> numbers = {1.0f, -2.0f};
    metadata.set_f32s("f", numbers);
    const std::vector<int32_t> whole = {1, -2, 3};
    metadata.set_i32s("g", whole);
    metadata.set_bools("h", {true, false});
    metadata.set_u32("a", 8);  // Again: the last value counts.
    const GgufLayout layout =
        lay_out_gguf(metadata, {{.name = "x", .type = 0, .shape = {2, 3}, .bytes = 24},
                                {.name = "y", .type = 8, .shape = {2, 4, 32}, .bytes = 8 * 34}});
    std::string file = layout.header;
    QCOMPARE(file.size() % kGgufAlignment, size_t{0});
    QCOMPARE(layout.tensors[1].offset, layout.tensors[0].offset + 32);
    QCOMPARE(layout.file_bytes, file.size() + 32 + 288);
    file.resize(layout.file_bytes);
    const auto read = parse_gguf_header(std::as_bytes(std::span(file)), "test.gguf");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->version, 3u);
    QCOMPARE(read->values.size(), size_t{9});
    QCOMPARE(read->find("a")->bytes.size(), size_t{4});
    QCOMPARE(std::to_integer<int>(read->find("a")->bytes[0]), 8);
    QCOMPARE(read->find("e")->count, uint64_t{3});
    QCOMPARE(read->find("h")->type, GgufValueType::kBool);
    QVERIFY(read->find_tensor("y")->shape == (std::vector<int64_t>{2, 4, 32}));
    QCOMPARE(read->find_tensor("y")->offset, layout.tensors[1].offset);

    GgufMetadata copied;
    for (const GgufValue& value : read->values) copied.copy(value);
    const std::string again = lay_out_gguf(copied, {}).header;
    const auto same = parse_gguf_header(std::as_bytes(std::span(again)), "test.gguf");
    QVERIFY(same);
    for (const GgufValue& value : read->values) {
      const GgufValue* const other = same->find(value.key);
      QVERIFY(other != nullptr && other->type == value.type && other->count == value.count &&
              std::ranges::equal(other->bytes, value.bytes));
    }
  }
};

QTEST_APPLESS_MAIN(TestGgufWriter)
#include "tst_gguf_writer.moc"
