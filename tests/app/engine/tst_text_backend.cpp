#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <ctime>
#include <optional>

#include "app/engine/engine_service.h"
#include "tests/app/engine/ask_engine.h"
#include "tests/support/answer_log.h"

using namespace quire;

namespace {

constexpr int kManyTextsMs = 150'000;  ///< For many texts or a long answer, on a busy machine.

EngineServiceOptions options() {
  EngineServiceOptions options;
  options.bundledModelPath = bundled();
  options.backend.device = "cpu";
  options.engine.kv_bytes = 32 << 20;
  return options;
}

/// Waits for the reply to a question, which `ask` puts.
template <typename T, typename Ask>
std::optional<T> replyTo(Ask ask) {
  QObject receiver;
  std::optional<T> value;
  const PendingReply pending = ask(Reply<T>(&receiver, [&](const T& given) { value = given; }));
  static_cast<void>(QTest::qWaitFor([&] { return value.has_value(); }, kManyTextsMs));
  return value;
}

std::optional<TokenizedText> tokensOf(EngineService& service, const ChatRequest& request,
                                      bool withPieces = false) {
  return replyTo<TokenizedText>(
      [&](auto reply) { return service.tokenize(request, withPieces, reply); });
}

EmbeddingRequest manyTexts(int count) {
  EmbeddingRequest request = {.modelPath = bundled(), .inputs = {}};
  for (int i = 0; i < count; ++i) {
    request.inputs.push_back({.text = QString("The number %1 ").arg(i).repeated(20), .tokens = {}});
  }
  return request;
}

}  // namespace

/// Questions about texts, which the local engine answers beside chats.
class TestTextBackend : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    if (!QFile::exists(bundled() + "/model.safetensors")) QSKIP("The bundled model is not there.");
  }

  void open_loadsTheModelAndSaysWhatItIs() {
    EngineService service(options());
    const auto model =
        replyTo<TextModel>([&](auto reply) { return service.open(bundled(), reply); });
    QVERIFY(model.has_value());
    QCOMPARE(model->error, QString());
    QCOMPARE(model->path, bundled());
    QVERIFY(model->contextLength > 0);
    QVERIFY(model->chat != nullptr);
    QCOMPARE(service.models().size(), 1);
    // The format outlives the model.
    service.unloadModel(bundled());
    QTRY_VERIFY(!service.models()[0].serving);
    QVERIFY(!model->chat->tokenizer->encode("Hello").empty());
  }

  void open_ofWhatIsNotThere_saysSo() {
    EngineService service(options());
    const auto model =
        replyTo<TextModel>([&](auto reply) { return service.open("/no/such/model", reply); });
    QVERIFY(model.has_value());
    QVERIFY(!model->error.isEmpty());
    QVERIFY(model->errorCode == ErrorCode::kNotFound);
    const auto tokens = replyTo<TokenizedText>([&](auto reply) {
      ChatRequest request;
      request.modelPath = "/no/such/model";
      request.rawPrompt = RawPrompt{.text = "x", .tokens = {}};
      return service.tokenize(request, /*withPieces=*/false, reply);
    });
    QCOMPARE(tokens->error, model->error);
  }

  void open_triesAgainAfterAWhile() {
    QTemporaryDir folder;
    const QString path = folder.filePath("model");
    EngineServiceOptions quick = options();
    quick.retryMs = 3000;
    EngineService service(quick);
    const auto open = [&] {
      return *replyTo<TextModel>([&](auto reply) { return service.open(path, reply); });
    };
    QVERIFY(!open().error.isEmpty());
    QVERIFY(QFile::link(QDir(bundled()).canonicalPath(), path));
    QVERIFY(!open().error.isEmpty());  // Not at once: a broken model would be read all the time.
    QTest::qWait(3100);
    QCOMPARE(open().error, QString());
  }

  void tokenize_isWhatAnAnswerIsComputedFrom_data() {
    QTest::addColumn<QString>("raw");
    QTest::newRow("chat") << QString();
    QTest::newRow("text") << "Once upon a time</s>";
  }

  void tokenize_isWhatAnAnswerIsComputedFrom() {
    QFETCH(QString, raw);
    EngineService service(options());
    ChatRequest request = ask("What is the capital of France?", 3);
    request.modelPath = bundled();
    if (!raw.isEmpty()) request.rawPrompt = RawPrompt{.text = raw, .tokens = {}};
    const auto text = tokensOf(service, request, /*withPieces=*/true);
    QCOMPARE(text->error, QString());
    QCOMPARE(text->pieces.size(), text->tokens.size());
    QVERIFY(tokensOf(service, request)->pieces.isEmpty());
    AnswerLog log(service);
    const RequestId id = log.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, kPatienceMs);
    QCOMPARE(log[id].report.origin.promptTokens, text->tokens);
  }

  void detokenize_isTheText() {
    EngineService service(options());
    const auto text = replyTo<DetokenizedText>([&](auto reply) {
      return service.detokenize(bundled(), {1, 4, 583}, reply);
    });
    QCOMPARE(text->error, QString());
    QVERIFY(text->text.startsWith("<s>"));
    const auto wrong = replyTo<DetokenizedText>(
        [&](auto reply) { return service.detokenize(bundled(), {1 << 30}, reply); });
    QVERIFY(wrong->errorCode == ErrorCode::kInvalidArgument);
    QVERIFY(!wrong->error.isEmpty());
  }

  void textsOfManyMegabytes_areRefusedAtOnce() {
    EngineService service(options());
    ChatRequest request;
    request.modelPath = bundled();
    request.rawPrompt = RawPrompt{.text = QString("word ").repeated(3'000'000), .tokens = {}};
    QVERIFY(replyTo<TextModel>([&](auto reply) { return service.open(bundled(), reply); }));
    const std::clock_t begin = std::clock();  // Of the processor: others may use it too.
    const auto text = tokensOf(service, request);
    QVERIFY(text->errorCode == ErrorCode::kInvalidArgument);
    QVERIFY2(text->error.contains("15,000,000 bytes, and at most 4,194,304"),
             qPrintable(text->error));
    QVERIFY(text->tokens.isEmpty());
    EmbeddingRequest texts = {.modelPath = bundled(), .inputs = {*request.rawPrompt}};
    const auto vectors =
        replyTo<Embeddings>([&](auto reply) { return service.embed(texts, reply); });
    QVERIFY(vectors->errorCode == ErrorCode::kContextOverflow);
    QVERIFY2(vectors->error.startsWith("Input 1 has more than 4,096 tokens"),
             qPrintable(vectors->error));
    const auto ms = 1000 * (std::clock() - begin) / CLOCKS_PER_SEC;
    QVERIFY2(ms < 2000, qPrintable(QString::number(ms)));
  }

  /// A letter of three bytes may be three tokens.
  void tokenizedText_countsBytes() {
    EngineService service(options());
    ChatRequest request;
    request.modelPath = bundled();
    request.rawPrompt = RawPrompt{.text = QString(1'500'000, QChar(0x4e82)), .tokens = {}};
    const auto raw = tokensOf(service, request);
    QVERIFY2(raw->error.contains("4,500,000 bytes, and at most 4,194,304"), qPrintable(raw->error));
    QVERIFY(raw->tokens.isEmpty());
    ChatTurn turn;
    turn.role = "user";
    turn.text = request.rawPrompt->text;
    request.rawPrompt.reset();
    request.turns = {turn};
    QVERIFY(tokensOf(service, request)->error.contains("4,500,000 bytes"));
    request.turns[0].text = "word";
    QCOMPARE(tokensOf(service, request)->error, QString());
  }

  void detokenize_refusesAHugeText() {
    EngineService service(options());
    const auto model =
        replyTo<TextModel>([&](auto reply) { return service.open(bundled(), reply); });
    const Tokenizer& tokenizer = *model->chat->tokenizer;
    qint32 longest = 0;
    for (qint32 id = 0; id < tokenizer.vocab_size(); ++id) {
      if (tokenizer.token_bytes(id).size() > tokenizer.token_bytes(longest).size()) longest = id;
    }
    const auto count = (16 << 20) / tokenizer.token_bytes(longest).size() + 1;
    const QList<qint32> tokens(static_cast<qsizetype>(count), longest);
    const auto text = replyTo<DetokenizedText>(
        [&](auto reply) { return service.detokenize(bundled(), tokens, reply); });
    QVERIFY2(text->error.startsWith("The tokens' text has "), qPrintable(text->error));
    QVERIFY(text->text.isEmpty());
  }

  void embed_computesAVectorForEachText() {
    EngineService service(options());
    const auto vectors =
        replyTo<Embeddings>([&](auto reply) { return service.embed(manyTexts(3), reply); });
    QCOMPARE(vectors->error, QString());
    QCOMPARE(vectors->vectors.size(), size_t{3});
    QVERIFY(vectors->promptTokens > 60);
    for (const auto& vector : vectors->vectors) {
      double square = 0.0;
      for (const float value : vector) square += double{value} * double{value};
      QVERIFY(std::abs(square - 1.0) < 1e-3);
    }
    QVERIFY(vectors->vectors[0] != vectors->vectors[1]);
    QTRY_COMPARE(service.models()[0].runningRequests, 0);
  }

  void embed_refusesWhatDoesNotFit() {
    EngineService service(options());
    EmbeddingRequest request = manyTexts(1);
    request.inputs.push_back({.text = QString("word ").repeated(20'000), .tokens = {}});
    const auto tooLong =
        replyTo<Embeddings>([&](auto reply) { return service.embed(request, reply); });
    QVERIFY(tooLong->errorCode == ErrorCode::kContextOverflow);
    QVERIFY2(tooLong->error.startsWith("Input 2 has "), qPrintable(tooLong->error));
    request.inputs[1] = {.text = {}, .tokens = {-1}};
    const auto unknown =
        replyTo<Embeddings>([&](auto reply) { return service.embed(request, reply); });
    QVERIFY(unknown->errorCode == ErrorCode::kInvalidArgument);
  }

  // Neither changes the other's results, and the chat goes on meanwhile.
  void embed_letsChatsGoOn() {
    EngineServiceOptions oneThread = options();
    oneThread.backend.num_threads = 1;  // Several wait for each other where others compute too.
    EngineService service(oneThread);
    const EmbeddingRequest texts = manyTexts(120);
    const auto alone = replyTo<Embeddings>([&](auto reply) { return service.embed(texts, reply); });
    ChatRequest request = ask("Tell me a story.", 800);
    request.modelPath = bundled();
    AnswerLog log(service);
    const RequestId before = log.submit(request);
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 1, kManyTextsMs);
    const RequestId beside = log.submit(request);
    QTRY_VERIFY_WITH_TIMEOUT(!log[beside].text.isEmpty(), kManyTextsMs);
    const qsizetype textBefore = log[beside].text.size();
    qsizetype textAfter = 0;
    std::optional<Embeddings> vectors;
    QObject receiver;
    const auto pending = service.embed(texts, Reply<Embeddings>(&receiver, [&](const auto& given) {
                                         textAfter = log[beside].text.size();
                                         vectors = given;
                                       }));
    QTRY_VERIFY_WITH_TIMEOUT(vectors.has_value(), kManyTextsMs);
    // 120 texts of some 100 tokens are more than 20 slices, each of which leaves a step.
    QVERIFY2(textAfter - textBefore > 20, qPrintable(QString::number(textAfter - textBefore)));
    QTRY_COMPARE_WITH_TIMEOUT(log.numFinished(), 2, kManyTextsMs);
    QCOMPARE(log[beside].text, log[before].text);
    QVERIFY(vectors->vectors == alone->vectors);
  }

  void embed_thatIsWithdrawn_isNotComputed() {
    EngineService service(options());
    std::atomic<int> numReplies = 0;
    PendingReply pending =
        service.embed(manyTexts(2), Reply<Embeddings>([&](const Embeddings&) { ++numReplies; }));
    pending.reset();
    const auto other =
        replyTo<Embeddings>([&](auto reply) { return service.embed(manyTexts(1), reply); });
    QCOMPARE(other->vectors.size(), size_t{1});
    QCOMPARE(numReplies, 0);
    QTRY_COMPARE(service.models()[0].runningRequests, 0);
  }

  void embed_endsWithItsModel() {
    EngineService service(options());
    static_cast<void>(
        replyTo<TextModel>([&](auto reply) { return service.open(bundled(), reply); }));
    service.setPaused(true);
    std::optional<Embeddings> vectors;
    QObject receiver;
    const auto pending = service.embed(
        manyTexts(2), Reply<Embeddings>(&receiver, [&](const auto& given) { vectors = given; }));
    QTRY_COMPARE(service.models()[0].runningRequests, 1);
    service.unloadModel(bundled());
    QTRY_VERIFY(vectors.has_value());
    QVERIFY(!vectors->error.isEmpty());
    QVERIFY(vectors->errorCode == ErrorCode::kCancelled);
  }
};

QTEST_GUILESS_MAIN(TestTextBackend)
#include "tst_text_backend.moc"
