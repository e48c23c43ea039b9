#include <sys/resource.h>

#include <QtTest>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/io/json_file.h"
#include "engine/io/json_tokens.h"
#include "tests/support/sanitizers.h"
#include "tests/support/thread_time.h"

using namespace quire;

namespace {

using Token = JsonReader::Token;

/// The value that begins with `token`, as JsonReader reads it. Other values than texts and natural
/// numbers are null.
nlohmann::json read_value(JsonReader& reader, Token token) {
  nlohmann::json value;
  if (token == Token::kString) return std::string(reader.text());
  if (token == Token::kNatural) return reader.natural();
  if (token == Token::kArray) {
    value = nlohmann::json::array();
    while ((token = reader.next()) != Token::kArrayEnd && token != Token::kInvalid) {
      value.push_back(read_value(reader, token));
    }
  } else if (token == Token::kObject) {
    value = nlohmann::json::object();
    while (reader.next() == Token::kKey) {
      const std::string key(reader.text());
      value[key] = read_value(reader, reader.next());
    }
  }
  return value;
}

/// The document with null for what JsonReader gives as kOther.
nlohmann::json with_others_as_null(nlohmann::json value) {
  if (value.is_structured()) {
    for (auto& item : value) item = with_others_as_null(item);
    return value;
  }
  return value.is_string() || value.is_number_unsigned() ? value : nlohmann::json();
}

/// Nothing if JsonReader refuses the text.
std::optional<nlohmann::json> read_tokens(std::string_view text) {
  JsonReader reader(text, {});
  nlohmann::json value = read_value(reader, reader.next());
  return reader.next() == Token::kEnd ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace

class TestJsonFile : public QObject {
  Q_OBJECT

 private slots:
  void parse_readsAnyDocument() {
    auto document = parse_json(R"({"a": [1, -2.5, true, null, "ü"], "a": 3})", "x.json");
    QVERIFY(document.has_value());
    QCOMPARE((*document)["a"].get<int>(), 3);  // As Python reads it: the last one counts.
  }

  void input_isBuiltAsItIsWritten() {
    const char* const text =
        R"({"b": [1, -2, 2.5, true, null, "ü\n", [], {}], "a": {"z": 1, "y": {"x": [{}]}}, "": 7})";
    const auto built = parse_input(text, "x");
    QVERIFY(built.has_value());
    QCOMPARE(built->dump(), nlohmann::ordered_json::parse(text).dump());
    // Of a key that is there twice the last value counts, at the first one's place.
    QCOMPARE(parse_input(R"({"a": [1], "b": 2, "a": 3})", "x")->dump(), R"({"a":3,"b":2})");
    for (const char* const scalar : {"1", "\"a\"", "null", "-0.5"}) {
      QCOMPARE(parse_input(scalar, "x")->dump(), scalar);
    }
  }

  /// Keys are not compared with each other.
  void keys_takeTimeInProportion() {
    std::string text = "[";
    for (int object = 0; object < 100; ++object) {
      text += object > 0 ? ",{" : "{";
      for (size_t i = 0; i < kMaxInputKeys; ++i) {
        text += (i > 0 ? ",\"" : "\"") + std::to_string(10'000 + i) + "\":1";
      }
      text += "}";
    }
    text += "]";
    const auto seconds_of = [](const auto& work) {
      QElapsedTimer time;
      time.start();
      work();
      return static_cast<double>(time.nsecsElapsed()) * 1e-9;
    };
    const double quick = seconds_of([&] { QVERIFY(parse_input(text, "x").has_value()); });
    const double slow = seconds_of(
        [&] { QVERIFY(!nlohmann::ordered_json::parse(text, nullptr, false).is_discarded()); });
    QVERIFY2(quick < slow / 2.0, qPrintable(QString("%1 and %2 s").arg(quick).arg(slow)));
  }

  /// Nor do keys take longer that share one place of a hash table of the standard library, which
  /// has 2357 places for so many.
  void keysThatCollide_areReadInTime() {
    const auto document_of = [](bool collide) {
      std::string object = "{";
      size_t keys = 0;
      for (size_t i = 0; keys < 1990; ++i) {
        const std::string key = "key" + std::to_string(10'000'000 + i);
        if (collide && std::hash<std::string>()(key) % 2357 != 0) continue;
        object += (keys++ > 0 ? ",\"" : "\"") + key + "\":1";
      }
      std::string text = "[" + object + "}";
      for (int i = 0; i < 30; ++i) text += "," + object + "}";
      return text + "]";
    };
    const auto ms_of = [](const std::string& text) {
      const double begin = test::thread_ms();
      const bool is_read = parse_input(text, "x").has_value();
      return is_read ? test::thread_ms() - begin : 1e9;
    };
    const std::string plain = document_of(false), colliding = document_of(true);
    double expected = 1e9, taken = 1e9;
    for (int i = 0; i < 3; ++i) {
      expected = std::min(expected, ms_of(plain));
      taken = std::min(taken, ms_of(colliding));
    }
    QVERIFY2(taken < 3 * expected, qPrintable(QString("%1, %2 ms").arg(taken).arg(expected)));
  }

  /// nlohmann's parser would keep such a token five times over.
  void longNumbersAndOpenTexts_takeNoMemory_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray many = QByteArray("1").repeated(8'000'000);
    const auto row = [](const char* name, const QByteArray& text, const char* says) {
      QTest::newRow(name) << text << says;
    };
    const char* const damaged = "a text that does not end or is damaged";
    row("number", "[" + many, "a number of more than 512 characters");
    row("fraction", "[0." + many + "]", "a number of more than 512 characters");
    row("open", "[\"" + many, damaged);
    row("line end", "[\"" + many + "\n\"]", damaged);
    row("escape", "[\"" + many + "\\q\"]", damaged);
    row("half a pair", "[\"" + many + "\\ud800\"]", damaged);
    row("no UTF-8", "[\"" + many + "\xc3\"]", damaged);
    row("surrogate", "[\"" + many + "\xed\xa0\x80\"]", damaged);
    row("key", "{\"" + many + "\x01\":1}", damaged);
    const char* const gap = "more than 2,097,152 characters without a text or number";
    row("line ends", "[" + QByteArray("\n").repeated(8'000'000) + "x", gap);
    row("values", "[1," + QByteArray("null,\n\n\n").repeated(1'000'000) + "x", gap);
  }
  void longNumbersAndOpenTexts_takeNoMemory() {
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const std::string_view view(text.constData(), static_cast<size_t>(text.size()));
    const auto peak_mb = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return usage.ru_maxrss / 1024;
    };
    const auto before = peak_mb();
    const auto input = parse_input(view, "x");
    const auto config = parse_json(view, "x", kInputLimits);
    QVERIFY(!input && !config);
    for (const auto& message : {input.error().message, config.error().message}) {
      QVERIFY2(QString::fromStdString(message).contains(says) && message.size() < 200,
               message.substr(0, 300).c_str());
    }
    const auto grown = peak_mb() - before;
    QVERIFY2(grown < 10 || test::kSanitizerFactor > 1, qPrintable(QString::number(grown)));
  }

  /// Chats in files have tighter limits than what the programs exchange.
  void chatFiles_areOfModerateSize() {
    const auto list_of = [](size_t items) {
      std::string text = "[0";
      for (size_t i = 1; i < items; ++i) text += ",0";
      return text + "]";
    };
    const size_t most = kChatFileLimits.max_values - 1;  // The list counts, too.
    QVERIFY(parse_input(list_of(most), "x", kChatFileLimits).has_value());
    const auto many = parse_input(list_of(most + 1), "x", kChatFileLimits);
    QVERIFY(!many);
    QCOMPARE(many.error().message, std::string("x holds more than 250,000 values"));
    const auto large =
        parse_input(std::string(kChatFileLimits.max_bytes + 1, ' '), "x", kChatFileLimits);
    QVERIFY(!large);
    QCOMPARE(large.error().message,
             std::string("x is 16,777,217 bytes of JSON, more than the 16,777,216 allowed"));
  }

  void longTexts_areReadWhole() {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "aé한😀\\n\\u00e9\\ud83d\\ude00\\\"\\\\/";
    const std::string json = "[\"" + text + "\"]";
    const auto parsed = parse_input(json, "x");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->dump(), nlohmann::ordered_json::parse(json).dump());
  }

  /// Who looks a key up compares it with all before it.
  void input_hasObjectsOfFewKeys() {
    const auto object_of = [](size_t keys) {
      std::string text = "[{\"x\": {}}, {";
      for (size_t i = 0; i < keys; ++i) {
        text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":1";
      }
      return text + "}]";
    };
    QVERIFY(parse_input(object_of(kMaxInputKeys), "x").has_value());
    const auto refused = parse_input(object_of(kMaxInputKeys + 1), "x");
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().message, std::string("x has an object with more than 2,000 keys"));
    QVERIFY(parse_json(object_of(kMaxInputKeys + 1), "x").has_value());
  }

  void damagedInput_saysWhereAndWhy_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("reason");
    QTest::newRow("cut") << QByteArray("{") << "column 2"
                         << "end of input";
    QTest::newRow("comma") << QByteArray("{\n\"a\": 1,}") << "line 2, column 8"
                           << "string literal";
    QTest::newRow("huge") << QByteArray("[1e999]") << "column 6"
                          << "a number is too large";
    QTest::newRow("half") << QByteArray("[\"\\ud800\"]") << "column 9"
                          << "surrogate";
    QTest::newRow("line in a string") << QByteArray("[\"a\nb\"]") << "line 1, column 4"
                                      << "escaped";
    QTest::newRow("NaN") << QByteArray("[NaN]") << "column 2"
                         << "invalid literal";
  }
  void damagedInput_saysWhereAndWhy() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, reason);
    const auto parsed = parse_input({text.constData(), static_cast<size_t>(text.size())}, "x");
    QVERIFY(!parsed);
    const QString message = QString::fromStdString(parsed.error().message);
    QVERIFY2(message.startsWith("x is not JSON (" + place + ": "), qPrintable(message));
    QVERIFY2(message.contains(reason) && message.endsWith(u')'), qPrintable(message));
  }

  void reader_readsWhatTheParserReads() {
    const char* const kTexts[] = {
        R"({"a": [1, 18446744073709551615, 18446744073709551616, -1, 2.5e-3, true, false, null]})",
        ("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e9\\ud55c\\ud83d\\ude00\", \"é한😀\", "
         "\"\\u0000x\", \"\"]"),
        "\xEF\xBB\xBF [ { } , [ ] , {\"\":{\"b\":[[[]]]}} ]\r\n\t ",
        "0",
        "\"a\"",
        "-0.0"};
    for (const char* const text : kTexts) {
      const auto read = read_tokens(text);
      QVERIFY2(read, text);
      QCOMPARE(read->dump(), with_others_as_null(nlohmann::json::parse(text)).dump());
    }
  }

  /// And refuses what it refuses, of texts in which some bytes have been replaced.
  void reader_agreesWithTheParserOnDamagedTexts() {
    const std::string whole =
        R"({"a\u00e9": {"b": "F32", "shape": [1, 40, -2.5e+3], "x": [true, null, {}]}, "é": ""})";
    constexpr std::string_view kBytes = "\"\\{}[],:-+.eEu0189dDtfn \n\x01\x7f\x80\xc3\xed\xff";
    constexpr uint32_t kSeed = 7;
    std::mt19937 random(kSeed);
    int num_valid = 0;
    for (int i = 0; i < 50'000; ++i) {
      std::string text = whole;
      for (size_t change = 0; change <= random() % 3; ++change) {
        const size_t at = random() % text.size();
        if (random() % 4 == 0) text.erase(at, 1 + random() % 3);
        if (at < text.size()) text[at] = kBytes[random() % kBytes.size()];
      }
      const auto parsed = nlohmann::json::parse(text, nullptr, false);
      const auto read = read_tokens(text);
      QVERIFY2(read.has_value() == !parsed.is_discarded(), text.c_str());
      if (!read) continue;
      ++num_valid;
      QVERIFY2(*read == with_others_as_null(parsed), text.c_str());
    }
    QVERIFY(num_valid > 2'000);
  }

  void reader_refusesWhatIsBeyondTheLimits() {
    const auto is_read = [](std::string_view text, const JsonLimits& limits) {
      JsonReader reader(text, limits);
      reader.skip(reader.next());
      return reader.next() == Token::kEnd;
    };
    QVERIFY(is_read("[[{}]]", {.max_depth = 3}));
    QVERIFY(!is_read("[[{}]]", {.max_depth = 2}));
    QVERIFY(is_read(R"({"a":[1,2]})", {.max_values = 5}));
    QVERIFY(!is_read(R"({"a":[1,2]})", {.max_values = 4}));
    QVERIFY(is_read(std::string(64, '[') + std::string(64, ']'), {}));
    QVERIFY(!is_read(std::string(65, '[') + std::string(65, ']'), {}));
    QVERIFY(!is_read(std::string(kMaxJsonNumberBytes + 1, '1'), {}));
  }

  void parse_ofDamagedTextNamesTheFault_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
      QTest::newRow(name) << text << QString("x.json ") + message + "; download it again";
    };
    row("empty", "", "is not valid JSON at line 1, column 1");
    row("cut off", "{\n  \"a\": [1, 2", "is not valid JSON at line 2, column 13");
    row("NaN", "{\n\"a\": NaN}", "is not valid JSON at line 2, column 6");
    row("number too large", "[1e999]", "is not valid JSON at line 1, column 6");
    row("invalid UTF-8", "[\"\xff\"]", "is not valid JSON at line 1, column 3");
    row("a second document", "{} {}", "is not valid JSON at line 1, column 4");
    row("too deep", QByteArray(100000, '['), "is nested deeper than 20 levels");
    row("deep objects", QByteArray("{\"a\":").repeated(50000), "is nested deeper than 20 levels");
    row("twice the same key", R"({"a": 1, "b": {"a": 2}, "a": 3})", "has the key \"a\" twice");
    row("too many values", "[" + QByteArray("1,").repeated(1000) + "1]",
        "holds more than 1,000 values");
    row("too long", QByteArray(70000, ' '),
        "is 70,000 bytes of JSON, more than the 65,536 allowed");
  }
  void parse_ofDamagedTextNamesTheFault() {
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    const JsonLimits limits{
        .max_bytes = 1 << 16, .max_depth = 20, .max_values = 1000, .unique_keys = true};
    const size_t size = text.size();
    const std::string_view view(text.constData(), message.contains("nested") ? 60000 : size);
    auto document = parse_json(view, "x.json", limits);
    QVERIFY(!document);
    QCOMPARE(document.error().code, ErrorCode::kCorruptFile);
    QCOMPARE(QString::fromStdString(document.error().message), message);
  }
};

QTEST_APPLESS_MAIN(TestJsonFile)
#include "tst_json_file.moc"
