#include <QTest>

#include "app/remote/answer_chunk.h"

using namespace quire;

class AnswerChunkTest : public QObject {
  Q_OBJECT

 private slots:
  void readAnswerChunk_findsText_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("reasoning");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* json, const char* reasoning,
                        const char* text) {
      QTest::newRow(name) << QByteArray(json) << QString(reasoning) << QString(text);
    };
    row("text", R"({"choices":[{"delta":{"content":"Grüße"}}]})", "", "Grüße");
    row("reasoning of DeepSeek",
        R"({"choices":[{"delta":{"reasoning_content":"a","content":null}}]})", "a", "");
    row("reasoning of vLLM", R"({"choices":[{"delta":{"reasoning":"a"}}]})", "a", "");
    row("the same under both names",
        R"({"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]})", "a", "");
    row("parts of Mistral",
        R"({"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text",)"
        R"("text":"a"}]},{"type":"text","text":"b"}]}}]})",
        "a", "b");
    row("a whole answer", R"({"choices":[{"message":{"role":"assistant","content":"b"}}]})", "",
        "b");
    row("a refusal", R"({"choices":[{"delta":{"refusal":"No."}}]})", "", "No.");
    row("another choice", R"({"choices":[{"index":1,"delta":{"content":"b"}}]})", "", "");
    row("no choices", R"({"choices":[]})", "", "");
    row("wrong types", R"({"choices":[7,null,{"delta":3},{"delta":{"content":{"a":1}}}]})", "", "");
  }
  void readAnswerChunk_findsText() {
    QFETCH(QByteArray, json);
    const auto chunk = readAnswerChunk(json);
    QVERIFY(chunk);
    QTEST(chunk->reasoning, "reasoning");
    QTEST(chunk->text, "text");
    QVERIFY(!chunk->error);
  }

  void readAnswerChunk_findsUsage() {
    const auto chunk =
        readAnswerChunk(R"({"choices":[{"finish_reason":"length"}],"usage":{"prompt_tokens":9,)"
                        R"("completion_tokens":4,"prompt_tokens_details":{"cached_tokens":20}}})");
    QCOMPARE(chunk->finish, QString("length"));
    QCOMPARE(chunk->usage->promptTokens, 9);
    QCOMPARE(chunk->usage->cachedTokens, 9);  // Never more than there are.
    QCOMPARE(chunk->usage->outputTokens, 4);
    const auto odd = readAnswerChunk(
        R"({"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"prompt_tokens_details":7}})");
    QCOMPARE(odd->usage->promptTokens, 0);
    QCOMPARE(odd->usage->outputTokens, std::numeric_limits<int>::max());
    QVERIFY(!readAnswerChunk(R"({"usage":null})")->usage);
  }

  void readAnswerChunk_refusesOthers() {
    for (const char* json : {"", "{", "[]", "7", "\"x\"", "{\"a\":\"\xff\"}"})
      QVERIFY2(!readAnswerChunk(json), json);
    QVERIFY(!readAnswerChunk(QByteArray(100000, '[')));
  }

  void refusalText_readsEachShape_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const char* body, const char* text) {
      QTest::newRow(name) << QByteArray(body) << QString(text);
    };
    row("OpenAI", R"({"error":{"message":"No such model.","type":"x","code":null}})",
        "No such model.");
    row("Ollama and TGI", R"({"error":"model not found"})", "model not found");
    row("old vLLM", R"({"object":"error","message":"Too long."})", "Too long.");
    row("FastAPI", R"({"detail":"Not Found"})", "Not Found");
    row("FastAPI's fields", R"({"detail":[{"loc":["body","seed",0],"msg":"extra","type":"x"}]})",
        "seed: extra");
    row("Google's list", R"([{"error":{"message":"Bad key."}}])", "Bad key.");
    row("plain", "upstream  connect\nerror", "upstream connect error");
    row("a page", "<html><body>502</body></html>", "");
    row("nothing", "", "");
    row("empty", "{}", "");
    row("invisible characters", R"({"error":{"message":"a\u202eb"}})", nullptr);
  }
  void refusalText_readsEachShape() {
    QFETCH(QByteArray, body);
    QFETCH(QString, text);
    if (text.isNull()) {
      QVERIFY(!refusalText(body).contains(QChar(0x202e)));
    } else {
      QCOMPARE(refusalText(body), text);
    }
  }
  void refusalText_isShort() {
    const QByteArray words(100000, 'x');
    QVERIFY(refusalText("{\"error\": \"" + words + "\"}").size() < 400);
    QVERIFY(refusalText(words).size() < 400);
  }

  void readModelList_readsEachShape() {
    const auto openAi =
        readModelList(R"({"data":[{"id":"a","owned_by":"vllm"},{"id":"b"},{"id":"a"},{"id":7},)"
                      R"({"id":"x\ny"}]})");
    QCOMPARE(openAi->names, (QStringList{"a", "b"}));
    QCOMPARE(openAi->owner, QString("vllm"));
    QCOMPARE(readModelList(R"({"models":[{"name":"llama3"}]})")->names, QStringList{"llama3"});
    QCOMPARE(readModelList(R"([{"id":"a"}])")->names, QStringList{"a"});
    QVERIFY(readModelList(R"({"data":[]})")->names.isEmpty());
    QVERIFY(!readModelList("{}"));
    QVERIFY(!readModelList("<html>"));
  }
};

QTEST_APPLESS_MAIN(AnswerChunkTest)
#include "tst_answer_chunk.moc"
