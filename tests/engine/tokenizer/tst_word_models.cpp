#include <QCryptographicHash>
#include <QTest>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/tokenizer/json_unigram.h"
#include "engine/tokenizer/precompiled_rules.h"
#include "engine/tokenizer/tokenizer_loader.h"
#include "engine/tokenizer/word_piece.h"

using namespace quire;

namespace {

namespace fs = std::filesystem;
using Ids = std::vector<TokenId>;

const fs::path kFolder = QUIRE_SOURCE_DIR "/tests/data/tokenizer/word_models";

nlohmann::json read_json(const fs::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file, nullptr, false);
}

/// As make_word_model_golden.py's digest().
std::string digest(const Ids& ids) {
  std::string text;
  for (const TokenId id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  const QByteArray hash =
      QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256);
  return hash.toHex().left(12).toStdString();
}

Ids encode(const WordModel& model, std::string_view word) {
  WorkBudget budget = WorkBudget::for_text(word.size());
  Ids ids;
  model.append(word, budget, ids);
  return ids;
}

}  // namespace

/// WordPiece and Unigram models of tokenizer.json against Hugging Face's `tokenizers`.
class TestWordModels : public QObject {
  Q_OBJECT

 private:
  /// Whether a copy of a style's file with that change is refused with such a sentence.
  static bool is_refused(const char* style, const std::function<void(nlohmann::json&)>& change,
                         const std::string& says) {
    nlohmann::json data = read_json(kFolder / style / "tokenizer.json");
    change(data);
    const fs::path folder = fs::temp_directory_path() / "quire_tst_word_models";
    fs::create_directories(folder);
    std::ofstream(folder / "tokenizer.json") << data;
    const auto tokenizer = load_tokenizer(folder);
    fs::remove_all(folder);
    if (!tokenizer && tokenizer.error().message.find(says) != std::string::npos) return true;
    qWarning("%s", tokenizer ? "loaded" : tokenizer.error().message.c_str());
    return false;
  }

 private slots:
  void encode_givesTheReferencesIds_data() {
    QTest::addColumn<QString>("style");
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      if (!entry.is_directory()) continue;
      QTest::newRow(entry.path().filename().c_str())
          << QString::fromStdString(entry.path().filename().string());
    }
  }
  void encode_givesTheReferencesIds() {
    QFETCH(QString, style);
    const fs::path folder = kFolder / style.toStdString();
    const auto tokenizer = load_tokenizer(folder);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const nlohmann::json texts = read_json(kFolder / "texts.json");
    const nlohmann::json expected = read_json(folder / "ids.json");
    QVERIFY(texts.size() > 1200 && expected["hashes"].size() == texts.size());
    int failed = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      const Ids ids = tokenizer.value()->encode(texts[i].get<std::string>());
      if (i < expected["shown"].size()) QCOMPARE(ids, expected["shown"][i].get<Ids>());
      if (digest(ids) == expected["hashes"][i].get<std::string>()) continue;
      if (++failed < 4) qWarning("%s", texts[i].dump(-1, ' ', true).c_str());
    }
    QCOMPARE(failed, 0);
  }

  void outerTokens_areTheProcessors() {
    const auto bert = load_tokenizer(kFolder / "bert_uncased").value();
    QVERIFY(bert->adds_bos());
    QCOMPARE(bert->token_piece(*bert->bos_token()), std::string_view("[CLS]"));
    QCOMPARE(bert->token_piece(*bert->appended_token()), std::string_view("[SEP]"));
    QCOMPARE(bert->decode(bert->encode("the page")), std::string("the page"));
  }

  void wordPiece_takesTheLongestPieces() {
    const std::vector<std::pair<std::string_view, int64_t>> vocabulary = {
        {"[UNK]", 0}, {"a", 1}, {"ab", 2}, {"##c", 3}, {"##cd", 4}, {"##", 5}, {"é", 6}};
    const auto model = WordPiece::create(vocabulary, {.unknown = 0, .max_characters = 4}).value();
    QCOMPARE(encode(*model, "abcd"), (Ids{2, 4}));
    QCOMPARE(encode(*model, "abcc"), (Ids{2, 3, 3}));
    QCOMPARE(encode(*model, "abx"), (Ids{0}));
    QCOMPARE(encode(*model, "éccc"), (Ids{6, 3, 3, 3}));
    QCOMPARE(encode(*model, "acccc"), (Ids{0}));
  }

  void unigram_takesTheBestSum() {
    const std::vector<std::pair<std::string_view, double>> vocabulary = {
        {"<unk>", 0.0}, {"a", -1.0}, {"b", -1.0}, {"ab", -1.5}, {"<0xC3>", -9.0}, {"<0xA9>", -9.0}};
    const auto plain = JsonUnigram::create(vocabulary, {.unknown = 0}).value();
    QCOMPARE(encode(*plain, "abab"), (Ids{3, 3}));
    QCOMPARE(encode(*plain, "béée"), (Ids{2, 0}));
    const auto bytes =
        JsonUnigram::create(vocabulary, {.unknown = 0, .has_byte_fallback = true}).value();
    QCOMPARE(encode(*bytes, "bé"), (Ids{2, 4, 5}));
    QCOMPARE(encode(*bytes, "e"), (Ids{0}));
  }

  void longTexts_takeTimeInProportion() {
    const auto tokenizer = load_tokenizer(kFolder / "t5").value();
    const auto bert = load_tokenizer(kFolder / "bert_uncased").value();
    for (const std::string& part : {std::string("a"), std::string("e\u0301"), std::string("한"),
                                    std::string("\u0301"), std::string("the page ")}) {
      std::string text;
      while (text.size() < 400'000) text += part;
      const auto begin = std::chrono::steady_clock::now();
      QVERIFY(!tokenizer->encode(text).empty());
      bert->encode(text);
      const auto took = std::chrono::steady_clock::now() - begin;
      QVERIFY(took < std::chrono::seconds(20));
    }
  }

  void spentBudgets_cutLessFinely() {
    const std::vector<std::pair<std::string_view, double>> vocabulary = {{"<unk>", 0.0},
                                                                         {"a", -1.0}};
    const auto model = JsonUnigram::create(vocabulary, {.unknown = 0}).value();
    WorkBudget budget({.steps = 10});
    Ids ids;
    model->append(std::string(1000, 'a'), budget, ids);
    QVERIFY(ids.size() < 20 && ids.back() == 0);
  }

  void damagedFiles_areRefused() {
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["vocab"][3][1] = "x"; }, "is not of a piece"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["vocab"][3].push_back(1); }, "is not of a piece"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["vocab"][3] = 7; }, "is not of a piece"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["vocab"] = nlohmann::json::array(); }, "is empty"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["unk_id"] = 1 << 30; }, "unk_id"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"].erase("unk_id"); }, "no unknown piece"));
    QVERIFY(is_refused(
        "t5", [](auto& data) { data["model"]["vocab"][3] = data["model"]["vocab"][4]; }, "twice"));
    QVERIFY(is_refused(
        "bert_cased", [](auto& data) { data["model"]["unk_token"] = "[NONE]"; }, "unk_token"));
    QVERIFY(is_refused(
        "bert_cased", [](auto& data) { data["model"]["type"] = "WordLevel"; }, "WordLevel"));
    QVERIFY(is_refused(
        "t5",
        [](auto& data) { data["normalizer"]["normalizers"][0]["precompiled_charsmap"] = "?"; },
        "damaged rules"));
  }

  /// Any bytes of rules are refused or harmless.
  void damagedRules_areHarmless() {
    const nlohmann::json data = read_json(kFolder / "t5" / "tokenizer.json");
    const std::string rules =
        data["normalizer"]["normalizers"][0]["precompiled_charsmap"].get<std::string>();
    std::string text;
    for (int i = 0; i < 50; ++i) text += "é½ﬁ한A ";
    int accepted = 0;
    for (size_t at = 0; at + 4 < rules.size(); at += 7) {
      std::string damaged = rules;
      damaged[at] = damaged[at] == 'A' ? 'z' : 'A';
      const auto made = PrecompiledRules::create(damaged);
      if (!made) continue;
      ++accepted;
      WorkBudget budget = WorkBudget::for_text(text.size());
      QVERIFY(made->apply(text, 10'000, budget).size() <= 10'000 + text.size());
    }
    QVERIFY(accepted > 0);
  }
};

QTEST_GUILESS_MAIN(TestWordModels)
#include "tst_word_models.moc"
