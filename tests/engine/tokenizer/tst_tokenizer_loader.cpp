#include <QtTest>
#include <fstream>

#include "engine/tokenizer/tokenizer_loader.h"

using namespace quire;
namespace fs = std::filesystem;

static const fs::path kData = QUIRE_SOURCE_DIR "/tests/data/tokenizer";

static void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class TestTokenizerLoader : public QObject {
  Q_OBJECT
 private slots:
  void load_readsWhatTheConfigAdds() {
    const auto tokenizer = load_tokenizer(kData / "exact");
    QVERIFY(tokenizer);
    const Tokenizer& exact = **tokenizer;
    QVERIFY(!exact.adds_bos());
    QCOMPARE(exact.token_piece(*exact.eos_token()), std::string_view("</s>"));
    const TokenId extra = *exact.special_token("<|extra|>");
    QCOMPARE(extra, exact.vocab_size() - 2);
    QVERIFY(exact.is_special(extra) && exact.strips_space_after(extra));
    QVERIFY(exact.is_special(*exact.special_token("<tool>")));
    const TokenId think = *exact.special_token("<think>");
    QVERIFY(!exact.is_special(think));
    QCOMPARE(exact.token_bytes(think), std::string_view("<think>"));
    // LlamaTokenizer adds BOS unless told otherwise.
    QVERIFY(load_tokenizer(kData / "prefixed").value()->adds_bos());
  }

  void load_worksWithoutAConfig() {
    const auto tokenizer = load_tokenizer(kData / "unigram");
    QVERIFY(tokenizer);
    QVERIFY(tokenizer.value()->bos_token() && !tokenizer.value()->adds_bos());
  }

  void load_readsOlderFiles() {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    fs::copy_file(kData / "exact/tokenizer.model", path / "tokenizer.model");
    write(path / "added_tokens.json", R"({"<|im_end|>": 500, "<note>": 501})");
    write(path / "special_tokens_map.json",
          R"({"eos_token": {"content": "<|im_end|>"}, "additional_special_tokens": ["<tool>"]})");
    const auto tokenizer = load_tokenizer(path);
    QVERIFY(tokenizer);
    QCOMPARE(*tokenizer.value()->eos_token(), 500);
    QVERIFY(tokenizer.value()->is_special(500) && !tokenizer.value()->is_special(501));
    QVERIFY(tokenizer.value()->special_token("<tool>"));
  }

  /// As the richest real models have them: some megabytes.
  void load_readsALargeConfig() {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    fs::copy_file(kData / "exact/tokenizer.model", path / "tokenizer.model");
    QByteArray config = "{\"added_tokens_decoder\":{";
    for (int i = 0; i < 30'000; ++i) {
      config += "\n    \"" + QByteArray::number(500 + i) +
                "\": {\"content\": \"<|reserved_special_token_" + QByteArray::number(i) +
                "|>\", \"lstrip\": false, \"normalized\": false, \"rstrip\": false, "
                "\"single_word\": false, \"special\": true},";
    }
    config.back() = '}';
    write(path / "tokenizer_config.json", (config + "}").toStdString());
    const auto tokenizer = load_tokenizer(path);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(*tokenizer.value()->special_token("<|reserved_special_token_29999|>"), 30'499);
  }

  /// Twice the largest real ones are read; of more than that, a sentence before they take memory.
  void largerVocabularies_areRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("says");
    QByteArray vocab, merges;
    for (int i = 0; i < (1 << 19) + 1; ++i) {
      vocab += (i > 0 ? ",\"" : "\"") + QByteArray::number(i) + "\":" + QByteArray::number(i);
    }
    for (int i = 0; i < (5 << 17) + 1; ++i) merges += i > 0 ? ",\"a b\"" : "\"a b\"";
    QTest::newRow("tokens") << "{\"model\":{\"type\":\"BPE\",\"vocab\":{" + vocab + "}}}"
                            << "model.vocab has over 524288 tokens";
    QTest::newRow("merges") << "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[" +
                                   merges + "]}}"
                            << "model.merges has over 655,360 merges";
  }
  void largerVocabularies_areRefused() {
    QFETCH(QByteArray, json);
    QFETCH(QString, says);
    const auto tokenizer = parse_tokenizer(json.toStdString(), "t.json", {});
    QVERIFY(!tokenizer);
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(says),
             tokenizer.error().message.c_str());
  }

  /// As those of Llama 3 are: their ids follow the vocabulary's.
  void addedTokens_afterALargeVocabulary_areRead() {
    constexpr int kTokens = 100'000;
    std::string json = R"({"model":{"type":"BPE","merges":[],"vocab":{"a":0)";
    for (int i = 1; i < kTokens; ++i) {
      json += ",\"t" + std::to_string(i) + "\":" + std::to_string(i);
    }
    json += R"(}},"added_tokens":[{"id":100000,"content":"<|begin_of_text|>","special":true}]})";
    const auto tokenizer = parse_tokenizer(json, "t.json", {});
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(*tokenizer.value()->special_token("<|begin_of_text|>"), kTokens);
  }

  /// Such a token may stand for any other one, and a text may have many of that.
  void longAddedContents_areRefused() {
    const std::string longest(1024, 'z');
    const auto json_of = [](const std::string& content) {
      return "{\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{\"a\":0}},"
             "\"added_tokens\":[{\"id\":0,\"content\":\"" +
             content + "\"}]}";
    };
    QVERIFY(parse_tokenizer(json_of(longest), "t.json", {}));
    const auto refused = parse_tokenizer(json_of(longest + "z"), "t.json", {});
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find("of 1,025 bytes; a token has up to 1,024") !=
                 std::string::npos,
             refused.error().message.c_str());
  }

  /// What a file says is quoted in a message up to a length.
  void longTexts_makeShortMessages_data() {
    QTest::addColumn<QByteArray>("json");
    const QByteArray text = QByteArray("\x7f").repeated(900'000);
    const auto row = [&](const char* name, QByteArray json) {
      QTest::newRow(name) << json.replace("@", text);
    };
    row("kind", R"({"model":{"type":"@","vocab":{"a":0}}})");
    row("normalizer", R"({"model":{"type":"BPE","vocab":{"a":0}},"normalizer":{"type":"@"}})");
    row("id", R"({"model":{"type":"BPE","vocab":{"@":"x"}}})");
    row("token", R"({"model":{"type":"BPE","vocab":{"@":0}}})");
    row("merge", R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a @"]}})");
    row("added",
        R"({"model":{"type":"BPE","vocab":{"a":0}},"added_tokens":[{"id":-5,"content":"@"}]})");
    row("text", R"({"model":{"type":"@@","vocab":{"a":0}}})");
    row("open", "{\"model\":{\"type\":\"@@");
    QTest::newRow("number") << "[" + QByteArray("1").repeated(2'000'000) + "]";
  }
  void longTexts_makeShortMessages() {
    QFETCH(QByteArray, json);
    const auto tokenizer = parse_tokenizer(json.toStdString(), "t.json", {});
    QVERIFY(!tokenizer);
    QVERIFY2(tokenizer.error().message.size() < 1500,
             tokenizer.error().message.substr(0, 300).c_str());
  }

  void longTogether_areRefused_data() {
    QTest::addColumn<int>("length");
    QTest::addColumn<QString>("says");
    QTest::newRow("tokens") << 4000 << "model.vocab has tokens of over 8,388,608 bytes together";
    QTest::newRow("merges") << 0 << "model.merges has merges of over 16,777,216 bytes together";
  }
  void longTogether_areRefused() {
    QFETCH(int, length);
    QFETCH(QString, says);
    std::string json = R"({"model":{"type":"BPE","vocab":{"a":0)";
    for (int i = 1; length > 0 && i < 2200; ++i) {
      json += ",\"" + std::string(static_cast<size_t>(length), 'x') + std::to_string(i) +
              "\":" + std::to_string(i);
    }
    json += R"(},"merges":["a a")";
    const std::string merge = ",\"a " + std::string(4000, 'a') + "\"";
    for (int i = 0; length == 0 && i < 4300; ++i) json += merge;
    const auto tokenizer = parse_tokenizer(json + "]}}", "t.json", {});
    QVERIFY(!tokenizer);
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(says),
             tokenizer.error().message.c_str());
  }

  void largerFile_isRefusedBeforeReading() {
    QTemporaryDir folder;
    for (const char* name : {"tokenizer.model", "tokenizer.json"}) {
      const fs::path path = fs::path(folder.path().toStdString()) / name;
      write(path, "{");
      fs::resize_file(path, uint64_t{3} << 30);
      const auto tokenizer = load_tokenizer(path.parent_path());
      QVERIFY(!tokenizer);
      QVERIFY2(tokenizer.error().message.ends_with(
                   "is 3,221,225,472 bytes long; Quire reads up to 67,108,864"),
               tokenizer.error().message.c_str());
      fs::remove(path);
    }
  }

  void load_saysWhatIsWrong_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* file, const QByteArray& content,
                        ErrorCode code, const char* says) {
      QTest::newRow(name) << file << content << static_cast<int>(code) << says;
    };
    row("empty folder", "", "", ErrorCode::kNotFound, "neither tokenizer.json nor tokenizer.model");
    row("empty tokenizer.json", "tokenizer.json", "{}", ErrorCode::kCorruptFile,
        "tokenizer.json cannot be used: model.type is not there");
    row("no protobuf", "tokenizer.model", "version https://git-lfs", ErrorCode::kCorruptFile,
        "tokenizer.model");
    row("empty model", "tokenizer.model", "", ErrorCode::kCorruptFile, "is empty");
    row("not JSON", "+tokenizer_config.json", "{\"a\":", ErrorCode::kCorruptFile,
        "tokenizer_config.json");
    row("not an object", "+special_tokens_map.json", "[1]", ErrorCode::kCorruptFile,
        "special_tokens_map.json");
    row("a million values", "+tokenizer_config.json",
        "{\"a\":[" + QByteArray("[0],").repeated(600'000) + "0]}", ErrorCode::kCorruptFile,
        "tokenizer_config.json holds more than 1,000,000 values");
    row("deep", "+tokenizer_config.json", "{\"a\":" + QByteArray(100'000, '['),
        ErrorCode::kCorruptFile, "is nested deeper than 64 levels");
    QByteArray many = "{";
    for (int i = 0; i < 70'001; ++i) {
      many += "\"<" + QByteArray::number(i) + ">\":" + QByteArray::number(500 + i) + ",";
    }
    many.back() = '}';
    row("too many added tokens", "+added_tokens.json", many, ErrorCode::kUnsupported,
        "add 70,001 tokens; Quire reads up to 70,000");
    row("id is no number", "+tokenizer_config.json",
        "{\"added_tokens_decoder\":{\"x1\":{\"content\":\"a\"}}}", ErrorCode::kCorruptFile, "x1");
    row("id is huge", "+added_tokens.json", "{\"<a>\": 99999999999}", ErrorCode::kCorruptFile,
        "<a>");
    row("id is negative", "+added_tokens.json", "{\"<a>\": -3}", ErrorCode::kCorruptFile, "<a>");
  }
  void load_saysWhatIsWrong() {
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(int, code);
    QFETCH(QString, says);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    if (file.startsWith('+')) {
      fs::copy_file(kData / "exact/tokenizer.model", path / "tokenizer.model");
      file.remove(0, 1);
    }
    if (!file.isEmpty()) write(path / file.toStdString(), content.toStdString());
    const auto tokenizer = load_tokenizer(path);
    QVERIFY(!tokenizer);
    QCOMPARE(static_cast<int>(tokenizer.error().code), code);
    const QString message = QString::fromStdString(tokenizer.error().message);
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains(folder.path()), qPrintable(message));
  }

  void load_ofOlderFiles_saysHowToConvertThem() {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    write(path / "vocab.json", "{}");
    write(path / "merges.txt", "#version: 0.2\n");
    const auto tokenizer = load_tokenizer(path);
    QVERIFY(!tokenizer);
    QVERIFY2(tokenizer.error().message.find("write tokenizer.json with transformers") !=
                 std::string::npos,
             tokenizer.error().message.c_str());
  }
};

QTEST_APPLESS_MAIN(TestTokenizerLoader)
#include "tst_tokenizer_loader.moc"
