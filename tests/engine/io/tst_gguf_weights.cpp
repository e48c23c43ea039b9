#include <unistd.h>

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/io/gguf_split.h"
#include "engine/io/gguf_weights.h"
#include "tests/engine/io/gguf_builder.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

/// Part `number` of `count`, with two tensors "t<number>a" and "t<number>b" of four floats.
GgufBuilder part(int number, int count) {
  GgufBuilder builder;
  const std::string name = "t" + std::to_string(number);
  builder.u16("split.no", static_cast<uint16_t>(number - 1))
      .u16("split.count", static_cast<uint16_t>(count))
      .i32("split.tensors.count", 2 * count)
      .tensor(name + "a", {2, 2}, 0, std::string(16, static_cast<char>('0' + number)))
      .tensor(name + "b", {4}, 0, std::string(16, 'b'));
  return builder;
}

std::string part_name(int number, int count) {
  return "m-0000" + std::to_string(number) + "-of-0000" + std::to_string(count) + ".gguf";
}

int64_t resident_bytes() {
  QFile file("/proc/self/statm");
  if (!file.open(QIODevice::ReadOnly)) return -1;
  return file.readAll().split(' ').at(1).toLongLong() * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

class TestGgufWeights : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  fs::path folder() const { return m_folder->path().toStdString(); }
  fs::path add(const std::string& name, const std::string& content) const {
    write_file(folder() / name, content);
    return folder() / name;
  }
  void add_set(int count) const {
    for (int n = 1; n <= count; ++n) add(part_name(n, count), part(n, count).build());
  }
  std::string refusal(const fs::path& path) const {
    auto weights = GgufWeights::open(path);
    return weights ? "opened" : weights.error().message;
  }

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void tensors_areViewsOfTheFile() {
    const auto path = add("m.gguf", GgufBuilder()
                                        .tensor("q", {512, 3}, 12, std::string(6 * 144, 'q'))
                                        .tensor("f", {2, 3, 4}, 1, std::string(48, 'f'))
                                        .build());
    auto weights = GgufWeights::open(path);
    QVERIFY(weights.has_value());
    QCOMPARE((*weights)->find("q")->dtype, std::string("Q4_K"));
    auto q = (*weights)->tensor("q");
    QVERIFY(q.has_value());
    QCOMPARE(q->dtype(), DType::kQ4_K);
    QCOMPARE(q->dim(0), int64_t{3});
    QCOMPARE(q->dim(1), int64_t{512});
    const auto file = (*weights)->metadata().mapped().bytes();
    QCOMPARE(static_cast<const std::byte*>(q->data()), file.data() + (*weights)->find("q")->offset);
    auto f = (*weights)->tensor("f");
    QVERIFY(f.has_value());
    QCOMPARE(f->dtype(), DType::kF16);
    QCOMPARE(f->rank(), 3);
    QCOMPARE(f->dim(0), int64_t{4});
    QCOMPARE((*weights)->file_bytes(), uint64_t{file.size()});
  }

  void tensor_thatIsNotAlignedIsCopied() {
    GgufBuilder builder;
    builder.alignment = 1;
    builder.u32("general.alignment", 1).string("pad", "");
    builder.tensor("x", {1}, 24, "x").tensor("f", {1}, 0, GgufBuilder::raw(1.5f));
    builder.tensor("y", {1}, 24, "y").tensor("q", {32}, 8, std::string(34, 'q'));
    for (const char* pad : {"", "1", "12", "123"}) {
      GgufBuilder shifted = builder;
      auto weights = GgufWeights::open(add("m.gguf", shifted.string("k", pad).build()));
      QVERIFY(weights.has_value());
      for (int twice = 0; twice < 2; ++twice) {
        auto f = (*weights)->tensor("f");
        QVERIFY(f.has_value());
        QCOMPARE(reinterpret_cast<uintptr_t>(f->data()) % 4, uintptr_t{0});
        QCOMPARE(f->as<float>()[0], 1.5f);
        (*weights)->release("f");
      }
      QVERIFY((*weights)->tensor("q").has_value());
    }
  }

  void tensor_ofAnUnsupportedTypeIsRefusedByName() {
    auto weights =
        GgufWeights::open(add("m.gguf", GgufBuilder()
                                            .tensor("a", {256}, 31, std::string(144, 'a'))
                                            .tensor("b", {256}, 99, "b")
                                            .build()));
    QVERIFY(weights.has_value());
    QCOMPARE((*weights)->find("a")->dtype, std::string("Q4_0_4_4"));
    const auto refused = (*weights)->tensor("a");
    QCOMPARE(refused.error().code, ErrorCode::kUnsupported);
    QCOMPARE(refused.error().message,
             std::string(
                 "m.gguf: the tensor \"a\" is Q4_0_4_4, which Quire does not compute with; get the "
                 "model in another quantisation (F32, F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, "
                 "Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ2_XXS, IQ2_XS, IQ3_XXS, IQ1_S, IQ4_NL, IQ3_S, "
                 "IQ2_S, IQ4_XS, IQ1_M, BF16, TQ1_0, TQ2_0, MXFP4, NVFP4, Q1_0, Q2_0)"));
    QVERIFY((*weights)->tensor("b").error().message.starts_with(
        "m.gguf: the tensor \"b\" is type 99,"));
    QCOMPARE((*weights)->tensor("c").error().code, ErrorCode::kNotFound);
  }

  void set_opensByAnyOfItsParts() {
    add_set(3);
    for (int n = 1; n <= 3; ++n) {
      auto weights = GgufWeights::open(folder() / part_name(n, 3));
      QVERIFY2(weights.has_value(), weights ? "" : weights.error().message.c_str());
      QCOMPARE((*weights)->tensors().size(), size_t{6});
      QCOMPARE((*weights)->metadata().integer("split.no").value(), int64_t{0});
      for (char part = '1'; part <= '3'; ++part) {
        auto tensor = (*weights)->tensor(std::string("t") + part + "a");
        QVERIFY(tensor.has_value());
        QCOMPARE(*static_cast<const char*>(tensor->data()), part);
      }
    }
  }

  void set_ofOnePartIsAFile() {
    QVERIFY(GgufWeights::open(add("renamed.gguf", part(1, 1).build())).has_value());
  }

  void set_thatIsIncompleteNamesThePart() {
    add_set(3);
    fs::remove(folder() / part_name(2, 3));
    QCOMPARE(refusal(folder() / part_name(3, 3)),
             std::string("m-00002-of-00003.gguf is missing; m-00003-of-00003.gguf needs all 3 "
                         "parts beside it"));
  }

  void set_withSwappedPartsIsRefused() {
    add(part_name(1, 3), part(1, 3).build());
    add(part_name(2, 3), part(3, 3).build());
    add(part_name(3, 3), part(2, 3).build());
    QCOMPARE(refusal(folder() / part_name(1, 3)),
             std::string("m-00002-of-00003.gguf is part 3 of 3; give it the name of that "
                         "part"));
  }

  void set_thatWasRenamedIsRefused() {
    QCOMPARE(refusal(add("m.gguf", part(2, 3).build())),
             std::string("m.gguf is part 2 of 3 of a split model, but its name does not end in "
                         "-00002-of-00003.gguf; give it the name it was downloaded by, beside the "
                         "other parts"));
  }

  void set_withImpossibleNumbersIsRefused() {
    const auto numbered = [](int64_t number, int64_t count) {
      return GgufBuilder()
          .key("split.no", 11, GgufBuilder::raw(number))
          .key("split.count", 11, GgufBuilder::raw(count))
          .build();
    };
    add(part_name(1, 3), part(1, 3).build());
    add(part_name(2, 3), numbered(7, 3));
    add(part_name(3, 3), part(3, 3).build());
    QCOMPARE(refusal(folder() / part_name(1, 3)),
             std::string("m-00002-of-00003.gguf is damaged: it says that it is part 8 of only 3 "
                         "(split.no, split.count); download it again"));
    QCOMPARE(refusal(add("m.gguf", numbered(INT64_MAX, 2))),
             std::string("m.gguf is damaged: it says that it is part 9,223,372,036,854,775,808 of "
                         "only 2 (split.no, split.count); download it again"));
    QVERIFY(refusal(add("m.gguf", numbered(1, INT64_MAX))).starts_with("m.gguf is damaged: "));
    QCOMPARE(refusal(add("m-00001-of-01025.gguf", part(1, 1025).build())),
             std::string("m-00001-of-01025.gguf is damaged: it says that its model has 1,025 parts "
                         "(split.count); download it again"));
  }

  void set_withAForeignPartIsRefused() {
    add(part_name(1, 2), part(1, 2).build());
    const auto other = add(part_name(2, 2), GgufBuilder().u32("a", 1).build());
    QVERIFY(refusal(folder() / part_name(1, 2)).find("does not say which part") !=
            std::string::npos);
    GgufBuilder extra = part(2, 2);
    write_file(other, extra.tensor("c", {1}, 0, "1234").build());
    QCOMPARE(refusal(folder() / part_name(1, 2)),
             std::string("m-00001-of-00002.gguf says that its set has 4 tensors "
                         "(split.tensors.count), but the 2 files hold 5; download them again"));
    GgufBuilder again;
    again.u16("split.no", 1).u16("split.count", 2);
    again.tensor("t1a", {1}, 0, "1234").tensor("t2b", {1}, 0, "1234");
    write_file(other, again.build());
    QCOMPARE(refusal(folder() / part_name(1, 2)),
             std::string("m-00002-of-00002.gguf holds the tensor \"t1a\", which another part "
                         "holds, too; download them again"));
  }

  /// Each part by itself may have as much metadata.
  void set_hasMetadataOfLimitedSize() {
    constexpr uint64_t kTextBytes = 40 << 20;
    for (int n = 1; n <= 2; ++n) {
      GgufBuilder head = GgufBuilder().u16("split.no", static_cast<uint16_t>(n - 1));
      head.u16("split.count", 2).key("z", GgufBuilder::kString, GgufBuilder::raw(kTextBytes));
      const fs::path path = add(part_name(n, 2), head.build());
      fs::resize_file(path, fs::file_size(path) + kTextBytes);
    }
    QCOMPARE(
        refusal(folder() / part_name(1, 2)),
        std::string("m-00002-of-00002.gguf and the parts before it have more than 67,108,864 "
                    "bytes of metadata or 131,072 keys and tensors, which Quire does not read; "
                    "download them again"));
  }

  void folder_listsItsModels() {
    QVERIFY(list_gguf_models(folder()).empty());
    add_set(3);
    add("b.gguf", "");
    add("mmproj-b.gguf", "");
    add("b.txt", "");
    add("late-00002-of-00002.gguf", "");
    std::string names;
    for (const fs::path& path : list_gguf_models(folder())) {
      names += path.filename().string() + " ";
    }
    QCOMPARE(names, std::string("b.gguf late-00002-of-00002.gguf m-00001-of-00003.gguf "));
    for (int i = 0; i < 1100; ++i) add("many" + std::to_string(i) + ".gguf", "");
    QCOMPARE(list_gguf_models(folder()).size(), size_t{1000});  // A folder may have any number.
  }

  void fingerprint_tellsMetadataAndDataApart() {
    const auto print = [&](const GgufBuilder& builder) {
      auto weights = GgufWeights::open(add("m.gguf", builder.build()));
      Sha256 hash;
      (*weights)->hash_into(hash);
      return to_hex(hash.finish());
    };
    const GgufBuilder plain = GgufBuilder().u32("k", 1).tensor("t", {1}, 0, "1234");
    QCOMPARE(print(plain), print(plain));
    QVERIFY(print(plain) != print(GgufBuilder().u32("k", 2).tensor("t", {1}, 0, "1234")));
    QVERIFY(print(plain) != print(GgufBuilder().u32("k", 1).tensor("t", {1}, 0, "1235")));
  }

  void release_givesPagesBackAndTheyReturn() {
    constexpr int64_t kBytes = 32 << 20;
    auto weights = GgufWeights::open(add(
        "m.gguf", GgufBuilder().tensor("t", {kBytes / 4}, 0, std::string(kBytes, 'x')).build()));
    QVERIFY(weights.has_value());
    const auto sum = [&] {
      auto view = (*weights)->tensor("t").value();
      int64_t total = 0;
      for (int64_t i = 0; i < kBytes; i += 512) total += static_cast<const char*>(view.data())[i];
      return total;
    };
    const int64_t before = resident_bytes();
    QCOMPARE(sum(), int64_t{'x'} * kBytes / 512);
    QVERIFY(resident_bytes() - before > kBytes * 9 / 10);
    (*weights)->release("t");
    QVERIFY(resident_bytes() - before < kBytes / 10);
    QCOMPARE(sum(), int64_t{'x'} * kBytes / 512);
  }
};

QTEST_APPLESS_MAIN(TestGgufWeights)
#include "tst_gguf_weights.moc"
