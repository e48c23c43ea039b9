#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "app/engine/engine_service.h"
#include "tests/support/answer_log.h"

using namespace quire;

namespace {

using Kind = BlockMapSnapshot::Kind;

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.modelPath = QStringLiteral(QUIRE_SOURCE_DIR "/resources/models/quire-mini");
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

const QString kPersona = QStringLiteral(
    "You are a patient teacher. You explain every word that a child may not know, you answer in "
    "short sentences, and you end each answer with one question that leads on.");

ChatRequest ask(qint64 chat, const QString& text, int length) {
  ChatRequest request;
  request.turns = {{"system", kPersona, {}}, {"user", text, {}}};
  request.sampling.seed = 7;
  request.sampling.max_tokens = length;
  request.sampling.ignore_eos = true;
  request.chatId = chat;
  request.personaId = 77;
  return request;
}

/// Keeps what a service says of its blocks and of its pace.
struct Watcher : QObject {
  explicit Watcher(EngineInspector& inspector) {
    connect(&inspector, &EngineInspector::blockMapChanged, this,
            [this](const BlockMapSnapshot& map) {
              last = map;
              ++maps;
              for (const auto& block : map.blocks) seen.insert({block.kind, block.chatId});
              shared = std::max(shared, count(Kind::Shared));
            });
    connect(&inspector, &EngineInspector::engineMeasured, this,
            [this](const EngineReport& measured) { report = measured; });
  }
  int count(Kind kind) const {
    return static_cast<int>(std::ranges::count(last.blocks, kind, &BlockMapSnapshot::Block::kind));
  }

  BlockMapSnapshot last;
  EngineReport report;
  std::set<std::pair<Kind, qint64>> seen;
  int maps = 0;
  int shared = 0;
};

}  // namespace

class EngineWatchTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_service = std::make_unique<EngineService>(options());
    m_watcher = std::make_unique<Watcher>(*m_service);
    m_log = std::make_unique<AnswerLog>(*m_service);
    QTRY_COMPARE_WITH_TIMEOUT(m_service->state(), ModelManager::State::Ready, 60'000);
  }
  void cleanup() {
    m_log.reset();
    m_watcher.reset();
    m_service.reset();
  }

  void blocks_addUpToThePool_andSayWhoseTheyAre() {
    m_service->inspector().watchBlocks(true);
    QTRY_VERIFY(m_watcher->maps > 0);
    QVERIFY(m_watcher->report.totalBlocks > 0);  // Measured when someone begins to look.
    QCOMPARE(m_watcher->count(Kind::Free), m_watcher->report.totalBlocks);
    for (qint64 chat = 1; chat <= 3; ++chat) {
      m_log->submit(ask(chat, QStringLiteral("Tell me story number %1").arg(chat), 700));
    }
    QTRY_COMPARE_WITH_TIMEOUT(m_log->numFinished(), 3, 60'000);
    QTRY_COMPARE(m_watcher->count(Kind::Used) + m_watcher->count(Kind::Shared), 0);

    for (qint64 chat = 1; chat <= 3; ++chat) {
      QVERIFY(m_watcher->seen.contains({Kind::Used, chat}));
      QVERIFY(m_watcher->seen.contains({Kind::Kept, chat}));
    }
    QVERIFY(m_watcher->shared > 0);  // The persona.
    const EngineReport& report = m_watcher->report;
    QCOMPARE(report.usedBlocks + report.keptBlocks + report.freeBlocks, report.totalBlocks);
    QCOMPARE(m_watcher->last.blocks.size(), report.totalBlocks);
    QCOMPARE(m_watcher->count(Kind::Kept), report.keptBlocks);
    QCOMPARE(m_watcher->count(Kind::Free), report.freeBlocks);
    QVERIFY(report.keptBlocks > 30);
  }

  void latencies_areMeasured() {
    m_log->submit(ask(1, "Tell me a story", 60));
    m_log->submit(ask(2, "Tell me another", 60));
    QTRY_COMPARE_WITH_TIMEOUT(m_log->numFinished(), 2, 60'000);
    QTRY_COMPARE(m_watcher->report.runningRequests, 0);
    QTRY_COMPARE(m_watcher->report.firstToken.count, 2);
    QTRY_COMPARE(m_watcher->report.betweenTokens.count, 2 * 59);
    QVERIFY(m_watcher->report.betweenTokens.p50Ms > 0.0);
    QVERIFY(m_watcher->report.betweenTokens.p50Ms <= m_watcher->report.betweenTokens.p99Ms);
  }

  void aModelThatLeaves_takesItsFiguresAndBlocksAlong() {
    m_service->inspector().watchBlocks(true);
    QTRY_VERIFY(m_watcher->last.blocks.size() > 0);
    QVERIFY(!m_watcher->report.modelPath.isEmpty());
    m_service->unloadModel(m_watcher->report.modelPath);
    QTRY_COMPARE(m_watcher->last.blocks.size(), 0);
    QTRY_VERIFY(m_watcher->report.modelPath.isEmpty());
    QCOMPARE(m_watcher->report.totalBlocks, 0);
  }

  void nothingIsMapped_whenNobodyLooks() {
    m_log->submit(ask(1, "Tell me a story", 100));
    QTRY_COMPARE_WITH_TIMEOUT(m_log->numFinished(), 1, 60'000);
    QCOMPARE(m_watcher->maps, 0);
    m_service->inspector().watchBlocks(true);
    QTRY_COMPARE(m_watcher->maps, 1);
    m_service->inspector().watchBlocks(false);
    m_log->submit(ask(1, "Tell me a story", 100));
    QTRY_COMPARE_WITH_TIMEOUT(m_log->numFinished(), 2, 60'000);
    QCOMPARE(m_watcher->maps, 1);
  }

  void aBlock_canBeRead_withItsPlace() {
    m_log->submit(ask(5, "Where do rivers begin, and why do they bend?", 40));
    QTRY_COMPARE_WITH_TIMEOUT(m_log->numFinished(), 1, 60'000);
    m_service->inspector().watchBlocks(true);
    QTRY_VERIFY(m_watcher->maps > 0);
    QString text;
    QList<int> messages;
    int expected = 0;
    while (true) {  // Blocks in the order of their chat's tokens.
      const BlockReading read = readAt(expected);
      if (read.block < 0) break;
      QCOMPARE(read.chatIds, QList<qint64>{5});
      QVERIFY(!read.isHeld);
      text += read.text;
      messages.append(read.message);
      expected += read.tokens;
    }
    QVERIFY2(text.contains(kPersona), qPrintable(text));
    QVERIFY2(text.contains("Where do rivers begin, and why do they bend?"), qPrintable(text));
    QCOMPARE(messages.first(), -1);  // The system prompt,
    QVERIFY(messages.contains(0));   // the question,
    QCOMPARE(messages.last(), 1);    // and the answer.
    QVERIFY(std::ranges::is_sorted(messages));
  }

  void blocksThatDoNotExist_areReadAsNothing() {
    for (const int block : {-1, 1 << 30}) {
      const BlockReading reading = read(block);
      QCOMPARE(reading.block, block);
      QVERIFY(reading.text.isEmpty());
    }
  }

 private:
  BlockReading read(int block) {
    std::optional<BlockReading> reading;
    m_service->inspector().readBlock(block, {this, [&](const auto& read) { reading = read; }});
    return QTest::qWaitFor([&] { return reading.has_value(); }, 60'000) ? *reading : BlockReading();
  }

  /// The block that holds a chat's token `firstToken`; block -1: there is none.
  BlockReading readAt(int firstToken) {
    for (int block = 0; block < m_watcher->last.blocks.size(); ++block) {
      if (m_watcher->last.blocks[block].kind == Kind::Free) continue;
      const BlockReading reading = read(block);
      if (reading.firstToken == firstToken) return reading;
    }
    return {};
  }

  std::unique_ptr<EngineService> m_service;
  std::unique_ptr<Watcher> m_watcher;
  std::unique_ptr<AnswerLog> m_log;
};

QTEST_GUILESS_MAIN(EngineWatchTest)
#include "tst_engine_watch.moc"
