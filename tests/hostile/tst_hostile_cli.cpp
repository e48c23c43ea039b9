#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "tests/hostile/folder_model.h"
#include "tests/hostile/gguf_model.h"
#include "tests/hostile/hostile_check.h"
#include "tests/hostile/hostile_folder.h"
#include "tests/hostile/program_run.h"

using namespace quire::test;
using namespace std::chrono_literals;

namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUsage = 2;
const QString kEscapes = QStringLiteral("\x1b[2J\x1b]0;owned\a\u202e\u0085\n\r\t");

/// How a verb is run, and how it ends.
struct HostileRun {
  QStringList arguments;  ///< "%model" is a model that works; "%folder" where the files are.
  QByteArray input;       ///< On stdin.
  QList<int> codes = {kFailed};
  QByteArray named = {};  ///< What the sentence names, if it fails.
};

}  // namespace

/// Every verb of quire-cli that reads a file, the standard input or text of the command line, with
/// what should not be there: one sentence in visible characters, in time and memory, and no signal.
/// Files of models are tried by tst_hostile_corpus.
class TestHostileCli : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(m_folder.isValid());
    const auto write = [this](const char* name, const std::string& bytes) {
      writeFile(m_folder.filePath(name).toStdString(), bytes);
    };
    write("model.gguf", tinyGguf().build());
    write("cut.gguf", tinyGguf().build().substr(0, 200));
    write("plain.jinja", "{{ messages }}");
    write("chat.json", R"({"messages": [{"role": "user", "content": "a"}]})");
    write("empty", "");
    write("nested.json", repeated("[", 300'000) + repeated("]", 300'000));
    write("bytes", std::string("a\xff\xfe\0b\x1b[2J", 9));
    write("sparse", "a");
    makeSparse(m_folder.filePath("sparse").toStdString(), uint64_t{1} << 36);
    write("zeros", "");
    makeSparse(m_folder.filePath("zeros").toStdString(), uint64_t{1} << 36);
    write("batch.jsonl", "{}\n");
    writeNames();
    QVERIFY(mkfifo(m_folder.filePath("pipe").toStdString().c_str(), 0600) == 0);
    forgetPeak();
  }

  void run_endsInOneSentence_data() {
    QTest::addColumn<HostileRun>("run");
    addGenerate();
    addChat();
    addTokens();
    addRender();
    addNumbers();
    addReplay();
    addEmbed();
    addQuantize();
    addBatch();
    const QStringList names = {"inspect", "--tensors", "--model", "%folder/names"};
    add("65,000 long names", names, {}, {kDone});
    add("65,000 long names as JSON", names + QStringList("--json"), {}, {kDone});
    for (const char* verb : {"generate --prompt a", "chat", "tokenize", "detokenize 1", "inspect",
                             "render --input %folder/chat.json", "logits --tokens 1",
                             "perplexity --file %folder/bytes", "bench", "embed a",
                             "quantize --output %folder/new.gguf"}) {
      const QStringList arguments = QString(verb).split(' ');
      for (const char* model : {"cut.gguf", "bytes", "sparse", "empty", "none"}) {
        QTest::addRow("%s, model %s", verb, model) << HostileRun{
            arguments + QStringList{"--model", QString("%folder/") + model}, "a", {1}, model};
      }
      const QString odd = "%folder/" + kEscapes;
      QTest::addRow("%s, model of escapes", verb)
          << HostileRun{arguments + QStringList{"--model", odd}, "a", {kFailed}, "<U+001B>[2J"};
      QTest::addRow("%s, option of escapes", verb)
          << HostileRun{arguments + QStringList{"--" + kEscapes}, "a", {kWrongUsage}};
    }
  }
  void run_endsInOneSentence() {
    QFETCH(HostileRun, run);
    std::vector<std::string> arguments = {
        (QCoreApplication::applicationDirPath() + "/quire-cli").toStdString()};
    for (QString argument : std::as_const(run.arguments)) {
      argument.replace("%folder", m_folder.path());
      argument.replace("%model", m_folder.filePath("model.gguf"));
      arguments.push_back(argument.toStdString());
    }
    const ProgramRun ended =
        runProgram(arguments, run.input.toStdString(), m_folder.path().toStdString(), 60s);
    QVERIFY2(!ended.is_late && ended.signal == 0, ended.err.c_str());
    QVERIFY2(run.codes.contains(ended.code), (std::to_string(ended.code) + ended.err).c_str());
    const QByteArray err = QByteArray::fromStdString(ended.err);
    QVERIFY2(!hasHiddenCharacters(ended.err), err.toPercentEncoding(" ,.:;<>+()").constData());
    if (ended.code != kDone) {
      const QByteArray last = err.mid(err.lastIndexOf('\n', -2) + 1);
      QVERIFY2(last.startsWith("quire-cli: ") && last.endsWith('\n'), err.constData());
      QVERIFY2(err.contains(run.named), err.constData());
      QVERIFY2(last.size() < 1500, QByteArray::number(last.size()).constData());
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    QVERIFY2(ended.cpu <= kMostCpu, QByteArray::number(qint64{ended.cpu.count()}).constData());
    QVERIFY2(ended.peak_bytes <= kMostBytes, QByteArray::number(ended.peak_bytes).constData());
#endif
  }

 private:
  /// A folder whose tensors have names of 430 bytes: a header of 32 MB.
  void writeNames() const {
    const std::filesystem::path folder = m_folder.filePath("names").toStdString();
    std::filesystem::create_directory(folder);
    const FolderModel model = tinyFolder();
    model.write(folder);
    std::string header = model.header.dump();
    header.pop_back();
    const std::string offsets = std::to_string(model.data.size());
    for (int i = 0; i < 65'000; ++i) {
      header += ",\"vision." + std::string(420, 'x') + std::to_string(i) +
                "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[" + offsets + ',' + offsets +
                "]}";
    }
    writeFile(folder / "model.safetensors", safetensorsFile(header + '}', model.data));
  }

  static void add(const char* name, const QStringList& arguments, const QByteArray& input,
                  const QList<int>& codes, const QByteArray& named = {}) {
    QTest::addRow("%s, %s", qPrintable(arguments[0]), name)
        << HostileRun{arguments, input, codes, named};
  }

  static QStringList withModel(const QString& verb, const QStringList& more) {
    return QStringList{verb, "--device", "cpu", "--model", "%model"} + more;
  }

  static void addGenerate() {
    const auto generate = [](const QStringList& more) {
      return withModel("generate", QStringList{"--max-tokens", "2"} + more);
    };
    add("endless messages", generate({"--messages", "/dev/zero"}), {}, {kFailed}, "/dev/zero");
    add("messages in a sparse file", generate({"--messages", "%folder/sparse"}), {}, {kFailed},
        "sparse");
    add("messages in a folder", generate({"--messages", "%folder"}), {}, {kFailed}, "folder");
    add("no messages", generate({"--messages", "%folder/" + kEscapes}), {}, {kFailed},
        "<U+001B>[2J");
    add("nested messages on stdin", generate({"--messages", "-"}), QByteArray(300'000, '['),
        {kFailed}, "line 1");
    add("a million lines", generate({"--messages", "-"}), QByteArray(1'000'000, '\n'), {kFailed},
        "no chats");
    add("a role of escapes", generate({"--messages", "-"}),
        "{\"messages\": [{\"role\": \"\\u001b[2J\", \"content\": 7}]}", {kFailed}, "content");
    add("an empty prompt", generate({"--prompt", "-"}), {}, {kFailed}, "empty");
    add("a prompt of a megabyte", generate({"--prompt", "-"}), QByteArray(1 << 20, 'a'), {kFailed},
        "context");
    add("a prompt of twenty megabytes", generate({"--prompt", "-"}), QByteArray(20 << 20, 'a'),
        {kFailed}, "context");
    add("a chat of twenty megabytes", generate({"--chat", "--prompt", "-"}),
        QByteArray(20 << 20, 'a'), {kFailed});
    add("200,000 chats", generate({"--messages", "-"}),
        QByteArray("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n").repeated(200'000),
        {kFailed}, "100,000");
    add("a prompt of bytes", generate({"--prompt", "-"}), QByteArray("\xff\0\x1b", 3),
        {kDone, kFailed});
    add("a token outside the vocabulary", generate({"--tokens", "1,999999999"}), {}, {kFailed},
        "999999999");
    for (const char* tokens : {"-1", "1,,x\x1b[2J", "99999999999999999999"})
      add(tokens, generate({"--tokens", tokens}), {}, {kWrongUsage}, "--tokens");
    add("a folder as its cache", generate({"--prompt", "a", "--prefix-cache", "%folder"}), {},
        {kFailed});
    add("a JSON file as its cache",
        generate({"--prompt", "a", "--prefix-cache", "%folder/nested.json"}), {}, {kFailed},
        "nested.json");
  }

  static void addChat() {
    const QStringList chat = withModel("chat", {"--max-tokens", "2"});
    add("a line without end", chat, QByteArray(3 << 20, '\0'), {kFailed}, "longer than 1 MiB");
    add("commands of escapes", chat, "/\x1b[2J\xc2\x9b x\n/quit\n", {kDone});
    add("a question too long", chat, QByteArray(100'000, 'a') + '\n', {kFailed}, "context");
    add("a question of bytes", chat, QByteArray("\xff\0\x1b[2J\n", 8), {kDone, kFailed});
    add("a system prompt of escapes", chat + QStringList{"--system", kEscapes}, "/stats\n",
        {kDone});
  }

  static void addTokens() {
    const QStringList tokenize = withModel("tokenize", {"--special"});
    add("a megabyte of one letter", tokenize, QByteArray(1 << 20, 'a'), {kDone});
    add("a megabyte of bytes", tokenize, QByteArray(1 << 20, '\xff'), {kDone});
    add("nothing", tokenize, {}, {kDone});
    add("three megabytes of bytes as JSON", tokenize + QStringList{"--json"},
        QByteArray(3 << 20, '\xff'), {kDone});
    add("seventeen megabytes", tokenize, QByteArray(17 << 20, 'a'), {kFailed}, "17,825,792");
    const QStringList detokenize = withModel("detokenize", {});
    for (const char* ids : {"-1", "1 x\x1b[2J\xe2\x80\xae", "99999999999999999999", "\xff\xfe"})
      add(QByteArray("ids ").append(QByteArray(ids).toPercentEncoding(" ")), detokenize, ids,
          {kWrongUsage}, "detokenize");
    add("an id outside the vocabulary", detokenize, "2147483647", {kFailed}, "2147483647");
    add("a number of a megabyte", detokenize, QByteArray(1 << 20, '1'), {kWrongUsage},
        "detokenize");
    add("seventeen megabytes of ids", detokenize, QByteArray("1 ").repeated(17 << 19), {kFailed},
        "17,825,792");
    add("a million ids", detokenize, QByteArray("1 ").repeated(1'000'000), {kDone});
  }

  static void addRender() {
    const auto render = [](const QString& source, const QString& input) {
      return QStringList{"render", "--template", source, "--input", input};
    };
    const QString plain = "%folder/plain.jinja";
    add("endless input", render(plain, "/dev/zero"), {}, {kFailed}, "/dev/zero");
    add("a sparse input", render(plain, "%folder/sparse"), {}, {kFailed}, "sparse");
    add("nested input", render(plain, "-"), QByteArray(300'000, '['), {kFailed}, "nested");
    add("input of bytes", render(plain, "%folder/bytes"), {}, {kFailed}, "bytes");
    add("input of escapes", render(plain, "%folder/" + kEscapes), {}, {kFailed}, "<U+001B>[2J");
    add("an endless template", render("/dev/zero", "%folder/chat.json"), {}, {kFailed},
        "/dev/zero");
    add("a sparse template", render("%folder/sparse", "%folder/chat.json"), {}, {kFailed},
        "sparse");
    add("a folder as template", render("%folder", "%folder/chat.json"), {}, {kFailed}, "folder");
    add("a time of escapes", render(plain, "%folder/chat.json") + QStringList{"--now", kEscapes},
        {}, {kWrongUsage}, "--now");
    add("a time of 100 kB",
        render(plain, "%folder/chat.json") + QStringList{"--now", QString(100'000, 't')}, {},
        {kWrongUsage}, "--now");
  }

  static void addNumbers() {
    const auto logits = [](const QStringList& more) { return withModel("logits", more); };
    for (const char* tokens : {"-1", "", "x\x1b[2J", "99999999999999999999"}) {
      add(QByteArray("tokens ").append(QByteArray(tokens).toPercentEncoding(" ")),
          logits({QString("--tokens=") + tokens}), {}, {kWrongUsage}, "--tokens");
    }
    add("a token outside the vocabulary", logits({"--tokens", "2147483647"}), {}, {kFailed},
        "2147483647");
    add("a full disk", logits({"--tokens", "1", "--output", "/dev/full"}), {}, {kFailed},
        "/dev/full");
    add("a folder to write to", logits({"--tokens", "1", "--output", "%folder"}), {}, {kFailed});
    const auto perplexity = [](const QString& file) {
      return withModel("perplexity", {"--file", file});
    };
    add("an endless file", perplexity("/dev/zero"), {}, {kFailed}, "/dev/zero");
    add("a sparse file", perplexity("%folder/sparse"), {}, {kFailed}, "sparse");
    add("an empty file", perplexity("%folder/empty"), {}, {kFailed}, "empty");
    add("a folder", perplexity("%folder"), {}, {kFailed}, "folder");
    add("no file", perplexity("%folder/" + kEscapes), {}, {kFailed}, "<U+001B>[2J");
    add("bytes", perplexity("-"), QByteArray("\xff\0\x1b[2Jab", 9), {kDone, kFailed});
  }

  static void addReplay() {
    const auto replay = [](const QStringList& more) { return QStringList{"replay"} + more; };
    add("a file as the folder", replay({"--list", "--data", "%folder/bytes"}), {}, {kFailed},
        "bytes");
    add("a folder without chats", replay({"--list", "--data", "%folder"}), {}, {kFailed});
    add("no folder", replay({"--list", "--data", "%folder/" + kEscapes}), {}, {kFailed},
        "<U+001B>[2J");
    for (const char* id : {"-1", "x\x1b[2J", "99999999999999999999"})
      add(QByteArray("the message ").append(QByteArray(id).toPercentEncoding(" ")),
          replay({"--message", id}), {}, {kWrongUsage}, "--message");
  }

  static void addEmbed() {
    const auto embed = [](const QStringList& more) { return withModel("embed", more); };
    add("an endless file", embed({"--file", "/dev/zero"}), {}, {kFailed}, "/dev/zero");
    add("a sparse file", embed({"--file", "%folder/sparse"}), {}, {kFailed}, "sparse");
    add("an empty file", embed({"--file", "%folder/empty"}), {}, {kFailed}, "empty");
    add("a folder", embed({"--file", "%folder"}), {}, {kFailed}, "folder");
    add("no file", embed({"--file", "%folder/" + kEscapes}), {}, {kFailed}, "<U+001B>[2J");
    add("bytes", embed({"--file", "%folder/bytes"}), {}, {kDone});
    add("a million line ends", embed({"--file", "-"}), QByteArray(1'000'000, '\n'), {kFailed},
        "no text");
    add("a long line", embed({"--file", "-"}), "ab\n" + QByteArray(1 << 20, 'a') + '\n', {kFailed},
        "line 2");
    // The model has no token for this byte, so that no beginning is too long: all of it is encoded,
    // in 0.15 us a byte on a slow host. (A microsecond is allowed.)
    add("a line of eight megabytes", embed({"--file", "-"}), QByteArray(8 << 20, '\xff') + '\n',
        {kFailed}, "line 1");
    add("an empty text", embed({""}), {}, {kFailed}, "text 1");
    for (const char* adapter :
         {"empty", "bytes", "sparse", "nested.json", "cut.gguf", "model.gguf"})
      add(QByteArray("adapter ").append(adapter),
          embed({"a", "--adapter", QString("%folder/") + adapter}), {}, {kFailed}, adapter);
    add("an adapter of escapes", embed({"a", "--adapter", "%folder/" + kEscapes}), {}, {kFailed},
        "<U+001B>[2J");
    add("a device as adapter", embed({"a", "--adapter", "/dev/zero"}), {}, {kFailed}, "/dev/zero");
  }

  static void addQuantize() {
    const auto quantize = [](const QStringList& more) {
      return withModel("quantize", QStringList{"--type", "Q8_0", "--no-measure"} + more);
    };
    const QStringList output = {"--output", "%folder/new.gguf"};
    add("onto its source", quantize({"--output", "%model"}), {}, {kFailed}, "model.gguf");
    add("onto a folder", quantize({"--output", "%folder"}), {}, {kFailed});
    add("onto a device", quantize({"--output", "/dev/full"}), {}, {kFailed}, "/dev/full");
    add("without a name", quantize({"--output", ""}), {}, {kFailed}, "name");
    add("where no folder is", quantize({"--output", "%folder/" + kEscapes + "/a"}), {}, {kFailed},
        "<U+001B>[2J");
    add("a type of escapes", quantize(output + QStringList{"--type=" + kEscapes}), {},
        {kWrongUsage, kFailed});
    for (const char* text : {"empty", "sparse", "none"})
      add(QByteArray("importance of ").append(text),
          quantize(output + QStringList{"--importance", QString("%folder/") + text}), {},
          {kFailed});
  }

  static void addBatch() {
    const auto batch = [](const QString& input, const QString& output) {
      return withModel("batch", {input, output});
    };
    const QString answers = "%folder/answers.jsonl", questions = "%folder/batch.jsonl";
    add("an endless file", batch("/dev/zero", answers), {}, {kFailed}, "/dev/zero");
    add("a pipe", batch("%folder/pipe", answers), {}, {kFailed}, "pipe");
    add("a sparse file", batch("%folder/sparse", answers), {}, {kFailed}, "sparse, line 1");
    add("a folder", batch("%folder", answers), {}, {kFailed}, "folder");
    add("no file", batch("%folder/" + kEscapes, answers), {}, {kFailed}, "<U+001B>[2J");
    add("a sparse output", batch(questions, "%folder/zeros"), {}, {kFailed}, "zeros, line 1");
    add("an endless output", batch(questions, "/dev/full"), {}, {kFailed}, "/dev/full");
    add("another file as its output", batch(questions, "%folder/plain.jinja"), {}, {kFailed},
        "plain.jinja");
  }

  QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestHostileCli)
#include "tst_hostile_cli.moc"
