#include <QTemporaryDir>
#include <QTest>

#include "app/engine/chat_preparation.h"
#include "app/engine/warm_prompts.h"
#include "engine/cache/block_pool.h"
#include "tests/support/bundled_model.h"
#include "tests/support/must.h"
#include "tests/support/random_adapter.h"

using namespace quire;
using test::must;

namespace {

/// More than one slice of tokens.
QString longPrompt() {
  return QStringLiteral("You are a sailor who speaks of ropes, tides, sails and harbours. ")
      .repeated(12);
}

}  // namespace

/// Prompts computed ahead, slice by slice, in an engine whose steps the test takes itself.
class WarmPromptsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_backend = must(create_backend({.device = "cpu", .num_threads = 1}));
    m_engine = must(
        Engine::create(must(load_model(draft_model_folder(), *m_backend, {.max_context = 512})),
                       {.max_context = 512, .kv_bytes = 1 << 20, .host_kv_bytes = 0}));
    const auto tokens = must(personaTokens(m_engine->model(), 100'000, longPrompt()));
    m_whole = static_cast<int>(tokens.size()) / kBlockSize * kBlockSize;
    QVERIFY(m_whole > WarmPrompts::kSliceTokens);
    QVERIFY(m_engine->stats().total_blocks < 40 * 8);  // fillPool() reaches each.
    fillPool();
    m_warm = WarmPrompts();
    m_warm.set(*m_engine, {{tokens}});
  }

  /// Before all of it is encoded, which would take seconds of megabytes.
  void personaTokens_refusesWhatIsFarTooLong() {
    const QString prompt = QStringLiteral("word ").repeated(200'000);
    const auto tokens = personaTokens(m_engine->model(), 512, prompt);
    QVERIFY(!tokens);
    QCOMPARE(tokens.error().code, ErrorCode::kContextOverflow);
  }

  void compute_bringsTheWholePromptSliceBySlice() {
    computeSlice();
    QCOMPARE(resident(), WarmPrompts::kSliceTokens);
    finish();
    QCOMPARE(resident(), m_whole);
  }

  /// The one that comes between two slices fills the pool: the slice stays, and the rest comes
  /// after.
  void interrupt_betweenSlicesKeepsWhatWasComputed() {
    computeSlice();
    m_warm.interrupt(*m_engine);
    fillPool();
    QCOMPARE(resident(), WarmPrompts::kSliceTokens);
    finish();
    QCOMPARE(resident(), m_whole);
  }

  void interrupt_cutsOffASliceAndGoesOnLater() {
    m_warm.compute(*m_engine);
    m_warm.interrupt(*m_engine);
    fillPool();
    QCOMPARE(resident(), 0);
    finish();
    QCOMPARE(resident(), m_whole);
  }

  /// The pool has no room for all of them: it ends, and does not try for ever.
  void compute_endsWhereThereIsNoMoreRoom() {
    std::vector<PersonaTokens> prompts;
    for (int i = 0; i * m_whole <= m_engine->stats().total_blocks * kBlockSize; ++i) {
      const QString prompt = QStringLiteral("Sailor %1. ").arg(i) + longPrompt();
      prompts.push_back({must(personaTokens(m_engine->model(), 100'000, prompt))});
    }
    m_warm.set(*m_engine, prompts);
    finish();
    QVERIFY(m_engine->holding(prompts[0].tokens).resident_tokens > 0);
  }

  /// The adapter is loaded for it, and what it computes is pinned: not what the model alone does.
  void compute_computesUnderThePersonasAdapter() {
    const std::filesystem::path tone = writeAdapter(1);
    m_warm.set(*m_engine, {{tokens(), tone}});
    finish();
    QCOMPARE(resident(), 0);
    QCOMPARE(resident(must(m_engine->add_adapter(tone))), m_whole);
    fillPool();
    QCOMPARE(resident(must(m_engine->add_adapter(tone))), m_whole);
    m_warm.set(*m_engine, {});
    fillPool();
    QCOMPARE(resident(must(m_engine->add_adapter(tone))), 0);
  }

  /// Of an adapter that was unloaded for others, or whose files changed, nothing stays pinned.
  void set_unpinsWhatUnloadedAdaptersComputed() {
    const std::filesystem::path tone = writeAdapter(1);
    m_warm.set(*m_engine, {{tokens(), tone}});
    finish();
    const AdapterId before = must(m_engine->add_adapter(tone));
    for (uint32_t seed = 2; seed <= 17; ++seed) must(m_engine->add_adapter(writeAdapter(seed)));
    QVERIFY(!m_engine->find_adapter(tone));
    m_warm.set(*m_engine, {});
    fillPool();
    QCOMPARE(resident(before), 0);
  }

  void compute_leavesOutAdaptersThatAreGone() {
    m_warm.set(*m_engine, {{tokens(), "/nowhere/tone"}, {tokens()}});
    finish();
    QCOMPARE(resident(), m_whole);
  }

 private:
  std::vector<TokenId> tokens() {
    return must(personaTokens(m_engine->model(), 100'000, longPrompt()));
  }
  int resident(AdapterId adapter = 0) {
    return m_engine->holding(tokens(), adapter).resident_tokens;
  }
  std::filesystem::path writeAdapter(uint32_t seed) {
    const std::string path = m_folder.filePath(QString::number(seed)).toStdString();
    write_random_adapter(path, seed);
    return path;
  }

  void stepToTheEnd() {
    while (m_engine->has_work()) m_warm.note(m_engine->step());
  }

  void computeSlice() {
    m_warm.compute(*m_engine);
    stepToTheEnd();
  }

  void finish() {
    for (int i = 0; m_warm.isWanted(); ++i) {
      QVERIFY(i < 200);
      computeSlice();
    }
  }

  /// Requests of no chat's, until each block of the pool has held something of theirs.
  void fillPool() {
    for (int i = 0; i < 40; ++i) {
      Request request;
      request.prompt.assign(8 * kBlockSize, static_cast<TokenId>(300 + ++m_filler));
      request.sampling.max_tokens = 1;
      must(m_engine->submit(std::move(request)));
      while (m_engine->has_work()) static_cast<void>(m_engine->step());
    }
  }

  QTemporaryDir m_folder;
  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<Engine> m_engine;
  WarmPrompts m_warm;
  int m_whole = 0;
  int m_filler = 0;
};

QTEST_GUILESS_MAIN(WarmPromptsTest)
#include "tst_warm_prompts.moc"
