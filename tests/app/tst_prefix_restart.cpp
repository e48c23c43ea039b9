#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "app/store/prefix/prefix_database.h"
#include "tests/engine/engine/engine_test_support.h"
#include "tests/support/draft_like.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

constexpr int kPersonaTokens = 600;

Request chat_request(int64_t chat) {
  return {
      .prompt = joined(random_tokens(kPersonaTokens, 1), random_tokens(20, 50 + chat)),
      .sampling = {.temperature = 0.0f, .max_tokens = 12, .num_logprobs = 5, .ignore_eos = true},
      .chat = chat,
      .persona = 9,
      .persona_tokens = kPersonaTokens};
}

/// The likeliest tokens' log-probabilities at every position, bit for bit.
std::vector<float> logprobs(const Completion& completion) {
  std::vector<float> values;
  for (const auto& step : completion.logprobs) {
    for (const TokenLogprob& token : step) values.push_back(token.logprob);
  }
  return values;
}

}  // namespace

/// The engine and the database of prefixes together: what a restart of the program keeps.
class TestPrefixRestart : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath("prefix.db");
    m_cold = run(chat_request(1));
    QCOMPARE(m_cold.usage.cached_tokens, 0);
  }

  void restart_startsFromTheSavedPersona() {
    const Completion same = run(chat_request(1));
    QVERIFY(same.usage.disk_tokens >= kPersonaTokens / kBlockSize * kBlockSize);
    QCOMPARE(same.tokens, m_cold.tokens);
    QCOMPARE(logprobs(same), logprobs(m_cold));
    const Completion other = run(chat_request(2));
    QCOMPARE(other.usage.disk_tokens, kPersonaTokens / kBlockSize * kBlockSize);
    QVERIFY(other.usage.computed_tokens < 20 + 12 + kBlockSize);
  }

  void anotherModel_findsNothing() {
    // What is saved is named after the model.
    const Completion other = run(chat_request(1), bundled_model_folder());
    QCOMPARE(other.usage.disk_tokens, 0);
    QCOMPARE(run(chat_request(1)).tokens, m_cold.tokens);
  }

  /// Layers with windows, with states, and all-window models: what these need beside blocks comes
  /// back from the database, too.
  void windowsAndStates_areFoundAgain_data() {
    QTest::addColumn<QString>("layers");
    for (const char* layers : {"gemma3", "gpt_oss", "mistral_window", "gemma4", "llama4", "lfm2",
                               "qwen3_5", "granite_hybrid"}) {
      QTest::addRow("%s", layers) << layers;
    }
  }
  void windowsAndStates_areFoundAgain() {
    QFETCH(QString, layers);
    const std::string model = m_folder->filePath(layers).toStdString();
    write_draft_like(layers.toStdString(), model, {.window = 100});
    Request chat = chat_request(5);
    const Completion first = run(chat, model);
    QCOMPARE(first.usage.cached_tokens, 0);
    // Each turn in a process of its own: the first turn after a restart, and the one after that.
    Completion last = first;
    for (int turn = 0; turn < 2; ++turn) {
      chat.prompt = joined(joined(chat.prompt, last.tokens), random_tokens(30, 300 + turn));
      last = run(chat, model);
      const int computed = static_cast<int>(chat.prompt.size()) - last.usage.cached_tokens;
      QVERIFY2(computed <= 30 + kBlockSize, qPrintable(QString::number(computed)));
      QVERIFY(last.usage.disk_tokens > kPersonaTokens);
      const Completion cold = compute_cold(chat, model);
      QCOMPARE(last.tokens, cold.tokens);
      QCOMPARE(logprobs(last), logprobs(cold));
    }
    // Another chat of the persona.
    const Request other = chat_request(6);
    const Completion second = run(other, model);
    QCOMPARE(second.usage.disk_tokens, kPersonaTokens / kBlockSize * kBlockSize);
    const Completion cold = compute_cold(other, model);
    QCOMPARE(second.tokens, cold.tokens);
    QCOMPARE(logprobs(second), logprobs(cold));
  }

  void damage_isComputedAgain_data() {
    QTest::addColumn<int>("damage");
    QTest::newRow("truncated") << 0;
    QTest::newRow("random bytes") << 1;
    QTest::newRow("a bit in each page") << 2;
    QTest::newRow("deleted") << 3;
  }
  void damage_isComputedAgain() {
    QFETCH(int, damage);
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    QVERIFY(bytes.size() > 100000);
    if (damage == 0) QVERIFY(file.resize(bytes.size() / 2));
    std::mt19937 random(3);
    for (qsizetype i = 0; i < bytes.size(); ++i) {
      if (damage == 1) bytes[i] = static_cast<char>(random());
      if (damage == 2 && i % 16384 == 8000) bytes[i] = static_cast<char>(bytes[i] ^ 4);
    }
    QVERIFY(file.seek(0));
    if (damage == 1 || damage == 2) QCOMPARE(file.write(bytes), bytes.size());
    file.close();
    if (damage == 3) QVERIFY(file.remove());
    const Completion again = run(chat_request(1));
    QCOMPARE(again.tokens, m_cold.tokens);
    QCOMPARE(logprobs(again), logprobs(m_cold));
    QVERIFY(again.usage.disk_tokens < kPersonaTokens);
    // And saved again.
    QVERIFY(run(chat_request(1)).usage.disk_tokens > 0);
  }

 private:
  /// Answers in a process of its own, as far as the engine and the database can tell.
  Completion run(const Request& request, const std::string& model = draft_model_folder()) {
    const auto database = std::make_shared<PrefixDatabase>(PrefixDatabaseOptions{
        .path = m_path.toStdString(), .mayReplaceAny = true, .log = [](const std::string&) {}});
    auto llm = Llm::open({.model_path = model,
                          .backend = {.device = "cpu", .num_threads = 1},
                          .engine = {.prefix_store = database},
                          .load = {}});
    if (!llm) qFatal("%s", llm.error().message.c_str());
    if (!database->flush(10s)) qFatal("the database did not open");
    const Completion completion = llm->generate({request}).front();
    while (llm->engine().has_work()) llm->engine().step();
    if (!database->flush(10s)) qFatal("the database did not write");
    return completion;
  }

  static Completion compute_cold(const Request& request, const std::string& model) {
    auto llm = Llm::open({.model_path = model,
                          .backend = {.device = "cpu", .num_threads = 1},
                          .engine = {.prefix_cache = false},
                          .load = {}});
    if (!llm) qFatal("%s", llm.error().message.c_str());
    return llm->generate({request}).front();
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_path;
  Completion m_cold;
};

QTEST_APPLESS_MAIN(TestPrefixRestart)
#include "tst_prefix_restart.moc"
