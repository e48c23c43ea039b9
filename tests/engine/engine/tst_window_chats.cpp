// Models with sliding windows: layers that have one keep their windows alone, and promise 1 holds
// all the same. What is answered has the bits of a cold run.

#include <QTemporaryDir>
#include <QTest>

#include "tests/engine/engine/persona_chat.h"
#include "tests/support/draft_like.h"
#include "tests/support/memory_prefix_store.h"

using namespace quire;

namespace {

constexpr int kAnswerTokens = 24;
constexpr int kWindow = 100;

/// The request that continues a chat after its answer.
Request next_turn(const Request& request, const Completion& answer, int count, uint32_t seed) {
  Request next = request;
  next.prompt = joined(joined(request.prompt, answer.tokens), random_tokens(count, seed));
  return next;
}

/// The prompt's tokens that were computed: all but the cached ones.
int computed(const Completion& completion, const Request& request) {
  return static_cast<int>(request.prompt.size()) - completion.usage.cached_tokens;
}

/// Memory of which that many window parts are given slots: all of it, or two thirds.
uint64_t budget_for(Llm& llm, int parts) {
  const EngineStats stats = llm.engine().stats();
  const uint64_t bytes = static_cast<uint64_t>(parts + 1) * stats.bytes_per_window;
  return stats.bytes_per_block > 0 ? bytes * 3 / 2 : bytes;
}

}  // namespace

class TestWindowChats : public QObject {
  Q_OBJECT

  static bool is_as_cold(const Completion& completion, const Request& request) {
    Llm cold = open_draft({.prefix_cache = false});
    return same_answer(completion, answer(cold, request));
  }

 private slots:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    for (const char* layers :
         {"gemma3", "gpt_oss", "mistral_window", "gemma4", "gemma3n", "llama4"}) {
      write_draft_like(layers, folder_of(layers) + "-draft", {.window = kWindow});
    }
    write_draft_like("mistral_window", folder_of("long") + "-draft",
                     {.max_positions = 32768, .window = kWindow});
  }
  void cleanup() { qunsetenv("QUIRE_TEST_MODEL"); }

  void laterRequests_computeOnlyWhatIsNew_data() {
    QTest::addColumn<QString>("layers");
    for (const char* layers :
         {"gemma3", "gpt_oss", "mistral_window", "gemma4", "gemma3n", "llama4"}) {
      QTest::addRow("%s", layers) << layers;
    }
  }
  void laterRequests_computeOnlyWhatIsNew() {
    QFETCH(QString, layers);
    use(layers);
    const auto store = std::make_shared<MemoryPrefixStore>();
    store->keeps_chats = true;
    const EngineOptions options = {.prefix_store = store};
    std::optional<Llm> llm(open_draft(options));
    QVERIFY(llm->engine().stats().total_windows > 0);

    const Request first = chat_request(1, random_tokens(40, 100), kAnswerTokens);
    QCOMPARE(answer(*llm, first).usage.cached_tokens, 0);
    const Request second = chat_request(2, random_tokens(40, 200), kAnswerTokens);
    const Completion second_answer = answer(*llm, second);
    QCOMPARE(computed(second_answer, second), 40);
    QVERIFY(is_as_cold(second_answer, second));
    const Completion again = answer(*llm, second);
    QCOMPARE(computed(again, second), 1);
    QVERIFY(same_answer(again, second_answer));
    Request turn = next_turn(second, second_answer, 30, 300);
    const Completion turn_answer = answer(*llm, turn);
    QCOMPARE(computed(turn_answer, turn), 30 + 1);  // The last sampled token was not computed.
    QVERIFY(is_as_cold(turn_answer, turn));
    // Forks at any token, as long as slots are free.
    for (int at = kPersonaTokens + 1; at < static_cast<int>(turn.prompt.size()); at += 7) {
      Request fork = turn;
      fork.prompt.resize(static_cast<size_t>(at));
      fork.prompt.push_back(777);
      QCOMPARE(computed(answer(*llm, fork), fork), 1);
    }
    // A new process continues the chat from the store.
    llm.emplace(open_draft(options));
    turn = next_turn(turn, turn_answer, 30, 500);
    const Completion restarted = answer(*llm, turn);
    QVERIFY(restarted.usage.disk_tokens > kPersonaTokens);
    QVERIFY2(computed(restarted, turn) <= 30 + kBlockSize,
             qPrintable(QString::number(computed(restarted, turn))));
    QVERIFY(is_as_cold(restarted, turn));
    QCOMPARE(llm->engine().stats().used_windows, 0);  // Nothing runs.
  }

  void fewSlots_keepPersonasTurnsAndBranches_data() {
    QTest::addColumn<QString>("layers");
    for (const char* layers : {"gemma3", "mistral_window"}) QTest::addRow("%s", layers) << layers;
  }
  void fewSlots_keepPersonasTurnsAndBranches() {
    QFETCH(QString, layers);
    use(layers);
    Llm sized = open_draft();
    // For the nine windows that are needed, and a step; a third of the tokens below.
    Llm llm = open_draft({.kv_bytes = budget_for(sized, 60), .max_batch_tokens = 64});
    QVERIFY(llm.engine().stats().total_windows <= 61);
    const Request first = chat_request(1, random_tokens(300, 100), kAnswerTokens);
    const Completion first_answer = answer(llm, first);
    const auto interlude = [&](int chat) {
      Request other = chat_request(chat, random_tokens(400, 1000 + chat), kAnswerTokens);
      const Completion completion = answer(llm, other);
      return computed(completion, other);
    };
    QCOMPARE(interlude(10), 400);
    QCOMPARE(computed(answer(llm, first), first), 1);
    QCOMPARE(interlude(11), 400);
    const Request turn = next_turn(first, first_answer, 30, 300);
    const Completion turn_answer = answer(llm, turn);
    QCOMPARE(computed(turn_answer, turn), 30 + 1);
    QVERIFY(is_as_cold(turn_answer, turn));
    // A fork in the middle is computed again from the persona on, and once alone.
    Request fork = turn;
    fork.prompt.resize(kPersonaTokens + 200);
    fork.prompt.push_back(777);
    const Completion forked = answer(llm, fork);
    QVERIFY(computed(forked, fork) <= 200 + kBlockSize);
    fork.prompt.back() = 778;
    QVERIFY(computed(answer(llm, fork), fork) <= kBlockSize);
  }

  void missesWithoutAPart_sayWhy() {
    use("gemma3");
    Llm sized = open_draft();
    Llm llm = open_draft({.kv_bytes = budget_for(sized, 40), .max_batch_tokens = 64});
    Request chat = chat_request(1, random_tokens(250, 100), kAnswerTokens);
    chat.persona = chat.persona_tokens = 0;
    answer(llm, chat);
    chat.prompt.resize(500);
    const Completion cut = answer(llm, chat);
    QCOMPARE(cut.usage.cached_tokens, 0);
    QCOMPARE(cut.usage.miss.reason, PrefixMiss::Reason::kNoState);
    QVERIFY(llm.engine().stats().cut_tokens > 0);
  }

  void sixteenChats_shareThePersona_data() { laterRequests_computeOnlyWhatIsNew_data(); }
  void sixteenChats_shareThePersona() {
    QFETCH(QString, layers);
    use(layers);
    Llm llm = open_draft();
    std::vector<Request> requests;
    for (int i = 0; i < 16; ++i) {
      requests.push_back(chat_request(i + 1, random_tokens(20 + 5 * i, 100 + i), kAnswerTokens));
    }
    const std::vector<Completion> answers = llm.generate(requests);
    int total = 0, own = kPersonaTokens;
    for (size_t i = 0; i < requests.size(); ++i) {
      total += computed(answers[i], requests[i]);
      own += static_cast<int>(requests[i].prompt.size()) - kPersonaTokens + kBlockSize;
    }
    QVERIFY2(total <= own, qPrintable(QString("%1 of %2").arg(total).arg(own)));
    QVERIFY(is_as_cold(answers[7], requests[7]));
  }

  /// 32,768 tokens are 2,048 blocks; a window and a step's rows are at most 41.
  void longContext_holdsOnlyItsWindows() {
    use("long");
    Llm sized = open_draft();
    QCOMPARE(sized.engine().stats().bytes_per_block, size_t{0});
    constexpr int kRows = 512, kParts = 50;
    Llm llm = open_draft({.kv_bytes = budget_for(sized, kParts), .max_batch_tokens = kRows});
    Engine& engine = llm.engine();
    QCOMPARE(engine.stats().total_windows, kParts);
    QCOMPARE(engine.max_context(), 32768);
    QVERIFY(
        engine.submit({.prompt = random_tokens(32700, 1),
                       .sampling = {.temperature = 0.0f, .max_tokens = 30, .ignore_eos = true}}));
    int between = 0;
    std::vector<TokenId> tokens;
    while (engine.has_work()) {
      for (const RequestEvent& event : engine.step()) {
        tokens.insert(tokens.end(), event.tokens.begin(), event.tokens.end());
      }
      between = std::max(between, engine.stats().used_windows);
    }
    QCOMPARE(tokens.size(), size_t{30});
    QVERIFY2(between <= blocks_for(kWindow - 1) + 1, qPrintable(QString::number(between)));
    // A guess that was right is a row of a step that was saved.
    const EngineStats stats = engine.stats();
    const uint64_t wrong = stats.drafted_tokens - stats.accepted_tokens;
    QCOMPARE(stats.computed_tokens, uint64_t{32700 + 29} + wrong);
  }

 private:
  std::string folder_of(const QString& layers) const {
    return m_folder.filePath(layers).toStdString();
  }
  void use(const QString& layers) const { qputenv("QUIRE_TEST_MODEL", folder_of(layers).c_str()); }
  QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestWindowChats)
#include "tst_window_chats.moc"
