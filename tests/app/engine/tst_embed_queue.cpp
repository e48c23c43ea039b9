#include <QtTest>

#include <optional>

#include "app/engine/embed_queue.h"
#include "engine/llm.h"
#include "tests/support/bundled_model.h"

using namespace quire;

/// Texts that are embedded a few at a time.
class TestEmbedQueue : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void compute_takesFewTextsBesideAnswers_data();
  void compute_takesFewTextsBesideAnswers();
  void jobs_areComputedInTheirOrder();
  void withdrawnJob_isDropped();
  void fail_repliesToAll();
  void textThatCannotBeComputed_failsItsJobAlone();

 private:
  EmbedQueue::Job job(RequestId id, const std::vector<size_t>& lengths);

  std::optional<Llm> m_llm;
  std::map<RequestId, Embeddings> m_replies;
  std::vector<PendingReply> m_pending;
};

void TestEmbedQueue::initTestCase() {
  LlmOptions options = {.model_path = bundled_model_folder()};
  options.backend.device = "cpu";
  options.engine.kv_bytes = 8 << 20;
  Result<Llm> llm = Llm::open(options);
  if (!llm) QSKIP("The bundled model is not there.");
  m_llm.emplace(std::move(*llm));
}

/// Texts of these lengths.
EmbedQueue::Job TestEmbedQueue::job(RequestId id, const std::vector<size_t>& lengths) {
  Reply<Embeddings> reply([this, id](const Embeddings& value) { m_replies[id] = value; });
  m_replies.erase(id);
  m_pending.push_back(reply.pending());
  EmbedQueue::Job job = {.id = id, .texts = {}, .options = {}, .reply = std::move(reply)};
  for (const size_t length : lengths) job.texts.emplace_back(length, TokenId{100});
  return job;
}

void TestEmbedQueue::compute_takesFewTextsBesideAnswers_data() {
  QTest::addColumn<std::vector<size_t>>("lengths");
  QTest::addColumn<bool>("besideAnswers");
  QTest::addColumn<int>("slices");
  using Lengths = std::vector<size_t>;
  QTest::newRow("beside answers") << Lengths(6, 200) << true << 3;
  QTest::newRow("alone") << Lengths(6, 200) << false << 1;
  QTest::newRow("exactly one slice") << Lengths{256, 256} << true << 1;
  QTest::newRow("one token more") << Lengths{256, 257} << true << 2;
  QTest::newRow("long texts") << Lengths{600, 5, 700} << true << 3;
  QTest::newRow("many alone") << Lengths(9, 1000) << false << 2;
}

void TestEmbedQueue::compute_takesFewTextsBesideAnswers() {
  QFETCH(std::vector<size_t>, lengths);
  QFETCH(bool, besideAnswers);
  QFETCH(int, slices);
  EmbedQueue queue;
  queue.add(job(1, lengths));
  for (int slice = 1; slice < slices; ++slice) {
    QVERIFY(queue.compute(m_llm->engine(), besideAnswers).empty());
    QVERIFY(queue.isWanted());
  }
  QCOMPARE(queue.compute(m_llm->engine(), besideAnswers), std::vector<RequestId>{1});
  QVERIFY(!queue.isWanted());
  QCOMPARE(m_replies[1].vectors.size(), lengths.size());
  size_t tokens = 0;
  for (const size_t length : lengths) tokens += length;
  QCOMPARE(m_replies[1].promptTokens, static_cast<int>(tokens));
}

void TestEmbedQueue::jobs_areComputedInTheirOrder() {
  EmbedQueue queue;
  queue.add(job(1, {5, 6}));
  queue.add(job(2, {7}));
  QCOMPARE(queue.compute(m_llm->engine(), true), std::vector<RequestId>{1});
  QVERIFY(!m_replies.contains(2));
  QCOMPARE(queue.compute(m_llm->engine(), true), std::vector<RequestId>{2});
  QCOMPARE(m_replies[2].vectors.size(), size_t{1});
}

void TestEmbedQueue::withdrawnJob_isDropped() {
  EmbedQueue queue;
  queue.add(job(1, {5}));
  m_pending.back().reset();
  queue.add(job(2, {5}));
  QCOMPARE(queue.compute(m_llm->engine(), true), (std::vector<RequestId>{1, 2}));
  QVERIFY(!m_replies.contains(1));
  QVERIFY(m_replies.contains(2));
}

void TestEmbedQueue::fail_repliesToAll() {
  EmbedQueue queue;
  queue.add(job(1, {5}));
  queue.add(job(2, {5}));
  QCOMPARE(queue.fail("It is gone."), (std::vector<RequestId>{1, 2}));
  QCOMPARE(m_replies[2].error, QString("It is gone."));
  QVERIFY(!queue.isWanted());
}

void TestEmbedQueue::textThatCannotBeComputed_failsItsJobAlone() {
  EmbedQueue queue;
  EmbedQueue::Job bad = job(1, {5});
  bad.texts[0][0] = -1;
  queue.add(bad);
  queue.add(job(2, {5}));
  QCOMPARE(queue.compute(m_llm->engine(), true), std::vector<RequestId>{1});
  QVERIFY(!m_replies[1].error.isEmpty());
  QVERIFY(m_replies[1].errorCode == ErrorCode::kInvalidArgument);
  QCOMPARE(queue.compute(m_llm->engine(), true), std::vector<RequestId>{2});
  QCOMPARE(m_replies[2].error, QString());
}

QTEST_GUILESS_MAIN(TestEmbedQueue)
#include "tst_embed_queue.moc"
