// Promise 1 for models with recurrent layers: a persona, a next turn, another answer, a fork and a
// restart compute only what is new, and what they answer has the bits of a cold run.

#include <QTemporaryDir>
#include <QTest>

#include "tests/engine/engine/persona_chat.h"
#include "tests/support/draft_like.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

constexpr int kAnswerTokens = 24;
/// Folders of tests/data/models.
constexpr const char* kModels[] = {"lfm2",           "qwen3_5",   "granite_hybrid",
                                   "nemotron_h_moe", "falcon_h1", "lfm3"};

/// The request that continues a chat after its answer.
Request next_turn(const Request& request, const Completion& answer, int count, uint32_t seed) {
  Request next = request;
  next.prompt = joined(joined(request.prompt, answer.tokens), random_tokens(count, seed));
  return next;
}

int size(const Request& request) {
  return static_cast<int>(request.prompt.size());
}

}  // namespace

class TestHybridCache : public QObject {
  Q_OBJECT

  /// The prompt's tokens that were computed: all but the cached ones.
  static int computed(const Completion& completion, const Request& request) {
    return size(request) - completion.usage.cached_tokens;
  }
  static bool is_as_cold(const Completion& completion, const Request& request) {
    Llm cold = open_draft({.prefix_cache = false});
    return same_answer(completion, answer(cold, request));
  }

 private slots:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    for (const char* layers : kModels) {
      write_draft_like(layers, folder_of(layers) + "-draft");
    }
  }
  void cleanup() { qunsetenv("QUIRE_TEST_MODEL"); }

  void laterRequests_computeOnlyWhatIsNew_data() {
    QTest::addColumn<QString>("layers");
    for (const char* layers : kModels) {
      QTest::addRow("%s", layers) << layers;
    }
  }
  void laterRequests_computeOnlyWhatIsNew() {
    QFETCH(QString, layers);
    qputenv("QUIRE_TEST_MODEL", folder_of(layers).c_str());
    const auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    const EngineOptions options = {.kv_bytes = 16 << 20, .prefix_store = store};
    std::optional<Llm> llm(open_draft(options));
    const int stride = llm->engine().stats().snapshot_stride;
    QVERIFY(stride >= kBlockSize);

    const Request first = chat_request(1, random_tokens(40, 100), kAnswerTokens);
    const Completion first_answer = answer(*llm, first);
    QCOMPARE(first_answer.usage.cached_tokens, 0);

    const Request second = chat_request(2, random_tokens(40, 200), kAnswerTokens);
    const Completion second_answer = answer(*llm, second);
    QCOMPARE(second_answer.usage.cached_tokens, kPersonaTokens / kBlockSize * kBlockSize);
    QVERIFY(computed(second_answer, second) * 20 <= size(second));
    QVERIFY(is_as_cold(second_answer, second));

    // Another answer to the same question.
    const Completion again = answer(*llm, second);
    QVERIFY(computed(again, second) <= kBlockSize);
    QVERIFY(same_answer(again, second_answer));

    // A next turn, and one after it.
    Request turn = next_turn(second, second_answer, 30, 300);
    const Completion turn_answer = answer(*llm, turn);
    QVERIFY(computed(turn_answer, turn) <= 30 + kBlockSize);
    QVERIFY(is_as_cold(turn_answer, turn));
    turn = next_turn(turn, turn_answer, 30, 400);
    const Completion later = answer(*llm, turn);
    QVERIFY(computed(later, turn) <= 30 + kBlockSize);

    // Forks at any token: no more than a stride is computed again, and once alone.
    const std::vector<TokenId> whole = turn.prompt;
    for (int at = kPersonaTokens + 1; at < static_cast<int>(whole.size()); at += 37) {
      Request fork = chat_request(50 + at, {}, kAnswerTokens);
      fork.prompt.assign(whole.begin(), whole.begin() + at);
      fork.prompt.push_back(777);
      const Completion forked = answer(*llm, fork);
      QVERIFY2(computed(forked, fork) <= stride + kBlockSize, qPrintable(QString::number(at)));
      fork.prompt.back() = 778;
      fork.chat += 1000;
      QVERIFY(computed(answer(*llm, fork), fork) <= kBlockSize + 1);
    }

    // A new process continues the chat from the store.
    llm.emplace(open_draft(options));
    turn = next_turn(turn, later, 30, 500);
    const Completion restarted = answer(*llm, turn);
    QVERIFY(restarted.usage.disk_tokens > kPersonaTokens);
    QVERIFY2(computed(restarted, turn) <= 30 + kBlockSize,
             qPrintable(QString::number(computed(restarted, turn))));
    QVERIFY(is_as_cold(restarted, turn));
    const EngineStats stats = llm->engine().stats();
    QCOMPARE(stats.used_states, 0);  // Nothing runs.
    QVERIFY(stats.snapshot_states > 0 && stats.snapshot_states <= stats.total_states);
  }

  void sixteenChats_shareThePersona_data() { laterRequests_computeOnlyWhatIsNew_data(); }
  void sixteenChats_shareThePersona() {
    QFETCH(QString, layers);
    qputenv("QUIRE_TEST_MODEL", folder_of(layers).c_str());
    Llm llm = open_draft({.kv_bytes = 64 << 20});
    std::vector<Request> requests;
    for (int i = 0; i < 16; ++i) {
      requests.push_back(chat_request(i + 1, random_tokens(20 + 5 * i, 100 + i), kAnswerTokens));
    }
    const std::vector<Completion> answers = llm.generate(requests);
    int total = 0;
    for (size_t i = 0; i < requests.size(); ++i) total += computed(answers[i], requests[i]);
    int own = kPersonaTokens;
    for (const Request& request : requests) own += size(request) - kPersonaTokens + kBlockSize;
    QVERIFY2(total <= own, qPrintable(QString("%1 of %2").arg(total).arg(own)));
    QVERIFY(is_as_cold(answers[7], requests[7]));
  }

  void missesWithoutAState_sayWhy() {
    qputenv("QUIRE_TEST_MODEL", folder_of("qwen3_5").c_str());
    Llm llm = open_draft({.kv_bytes = 16 << 20});
    const int stride = llm.engine().stats().snapshot_stride;
    Request chat = chat_request(1, random_tokens(3 * stride / 2, 100), kAnswerTokens);
    chat.persona = chat.persona_tokens = 0;
    answer(llm, chat);
    chat.prompt.resize(chat.prompt.size() - static_cast<size_t>(stride) / 2);
    const Completion cut = answer(llm, chat);
    QVERIFY(cut.usage.cached_tokens > 0);
    QCOMPARE(cut.usage.miss.reason, PrefixMiss::Reason::kNoState);
    QVERIFY(llm.engine().stats().cut_tokens > 0);
  }

 private:
  std::string folder_of(const QString& layers) const {
    return m_folder.filePath(layers).toStdString();
  }
  QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestHybridCache)
#include "tst_hybrid_cache.moc"
