#include <QCoreApplication>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>

#include <filesystem>

#include "app/error_strings.h"
#include "app/store/system_reason.h"
#include "engine/llm.h"
#include "engine/model_summary.h"
#include "engine/request.h"
#include "tests/support/bundled_model.h"

using namespace quire;

namespace {

/// The formats in the source: what follows make_error, and in the engine, which has no Qt, each
/// literal with a place. Inline assembly has places too, from %0 on.
QSet<QString> formatsInSource() {
  static const QRegularExpression kToken(
      QStringLiteral(
          R"x(//[^\n]*|R"\w*\(.*?\)\w*"|'(?:[^'\\]|\\.)'|)x"
          R"x((make_error\(\s*ErrorCode::\w+,\s*)?(?<text>"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*))x"),
      QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression kSeam(QStringLiteral("(?<!\\\\)\"\\s*(?<!\\\\)\""));
  static const QRegularExpression kPlace(QStringLiteral("%[1-9]"));
  QSet<QString> formats;
  for (const char* folder : {"app", "engine", "kernels"}) {
    QDirIterator files(QStringLiteral(QUIRE_SOURCE_DIR "/%1").arg(folder), {"*.h", "*.cpp", "*.cu"},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) continue;
      const QString source = QString::fromUtf8(file.readAll());
      for (auto tokens = kToken.globalMatch(source); tokens.hasNext();) {
        const QRegularExpressionMatch token = tokens.next();
        QString text = token.captured("text");
        const bool hasPlace = text.contains(kPlace) && !text.contains("%0");
        if (token.capturedLength(1) <= 0 && (!hasPlace || !strcmp(folder, "app"))) continue;
        text = text.mid(1, text.size() - 2).remove(kSeam);
        formats.insert(text.replace("\\\"", "\""));
      }
    }
  }
  return formats;
}

/// Says what it was asked for, so that a test sees which format an error has.
class Marking : public QTranslator {
 public:
  bool marksReasons = false;

  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* source, const char*, int) const override {
    if (marksReasons && QByteArray(context) == "quire::SystemReasons")
      return u'{' + QString::fromUtf8(source) + u'}';
    if (QByteArray(context) != "quire::ErrorWords") return {};
    return QStringLiteral("<") + QString::fromUtf8(source) + QStringLiteral(">");
  }
};

}  // namespace

/// The engine's own errors, made by real files: each has a format that can be translated.
class ErrorStringsTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { QCoreApplication::removeTranslator(&m_marking); }

  void withoutATranslation_sentencesStayAsTheyAre() {
    QCOMPARE(errorText(make_error(ErrorCode::kNotFound, "%1 does not exist", {"/m/a.gguf"})),
             QString("/m/a.gguf does not exist"));
    QCOMPARE(errorText(Error{ErrorCode::kCorruptFile, "Something nobody foresaw."}),
             QString("Something nobody foresaw."));
    QCOMPARE(errorText(Error{ErrorCode::kIo, ""}), QString());
  }

  void english_isFoundForWhatIsShown() {
    const std::vector<Error> errors = {
        make_error(ErrorCode::kNotFound, "%1 does not exist", {"/m/a [1].gguf"}),
        make_error(ErrorCode::kContextOverflow,
                   "The prompt has more than %1 tokens, and the context holds %2; shorten it, or "
                   "choose a model that reads more at once.",
                   {"4096", "2048"}),
        Error{ErrorCode::kInvalidArgument, "stop has 65 strings; at most 64 are allowed."}};
    for (const Error& error : errors) QCOMPARE(englishText(errorText(error)), error.message);
    QCoreApplication::installTranslator(&m_marking);
    for (const Error& error : errors) {
      const QString shown = errorText(error);
      QVERIFY(shown != QString::fromStdString(error.message));
      QCOMPARE(englishText(shown), error.message);
    }
    QCOMPARE(englishText("Something nobody foresaw."), std::string("Something nobody foresaw."));
  }

  void reasonsOfDevices_areTranslated() {
    QCOMPARE(deviceReason(""), QString());
    QCOMPARE(deviceReason("The driver is \x1b odd."), QString("The driver is <U+001B> odd."));
    QCoreApplication::installTranslator(&m_marking);
    QCOMPARE(deviceReason("No NVIDIA driver is installed."),
             QString("<No NVIDIA driver is installed.>"));
  }

  void reasonsOfDevices_keepTheirNumbers() {
    QCoreApplication::installTranslator(&m_marking);
    QCOMPARE(deviceReason("The NVIDIA driver is too old: it supports CUDA 11.2, and Quire needs "
                          "CUDA 12.0. Update the driver."),
             QString("<The NVIDIA driver is too old: it supports CUDA 11.2, and Quire needs "
                     "CUDA 12.0. Update the driver.>"));
  }

  /// The devices' reasons are put together in the source: each part of a format is there.
  void reasonsOfDevices_areInTheSource() {
    QString source;
    for (const char* name : {"/kernels/cuda/gpu_list.cpp", "/kernels/backend_factory.cpp"}) {
      QFile file(QStringLiteral(QUIRE_SOURCE_DIR) + QString::fromLatin1(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      source += QString::fromUtf8(file.readAll());
    }
    static const QRegularExpression kSeam(QStringLiteral("\"\\s*\""));
    static const QRegularExpression kPlace(QStringLiteral("%[1-9]"));
    source.remove(kSeam);
    QVERIFY(deviceReasons().size() > 5);
    for (const char* reason : deviceReasons()) {
      for (const QString& part : QString::fromUtf8(reason).split(kPlace))
        QVERIFY2(part == QLatin1String(".") || source.contains(part), qPrintable(part));
    }
  }

  void reasonsOfTheSystem_areTranslatedWithinAnError() {
    const Error error =
        make_error(ErrorCode::kIo, "%1 cannot be read: %2", {"/m", "Not a directory"});
    QCOMPARE(systemReason("Not a directory (odd)"), QString("Not a directory (odd)"));
    QCoreApplication::installTranslator(&m_marking);
    m_marking.marksReasons = true;
    const QString shown = errorText(error);
    m_marking.marksReasons = false;
    QCOMPARE(shown, QString("</m cannot be read: {Not a directory}>"));
    m_marking.marksReasons = true;
    QCOMPARE(englishText(shown), error.message);
    m_marking.marksReasons = false;
  }

  void formats_ofTheSource_areThoseThatHaveTranslations() {
    const QSet<QString> used = formatsInSource();
    QSet<QString> listed;
    for (const char* format : errorFormats()) listed.insert(QString::fromUtf8(format));
    QVERIFY(used.size() > 30);
    for (const QString& format : used) QVERIFY2(listed.contains(format), qPrintable(format));
    for (const QString& format : listed) QVERIFY2(used.contains(format), qPrintable(format));
  }

  void json_keepsAnErrorAndItsFormat() {
    const Error error = make_error(ErrorCode::kNotFound, "%1 does not exist", {"/m/%2.gguf"});
    const Error read = errorFromJson(toJson(error));
    QCOMPARE(read, error);
    QCOMPARE(read.format, QByteArray(error.format));
    QCOMPARE(read.arguments, error.arguments);
    QCOMPARE(errorFromJson(toJson(Error{})), Error{});
    const Error plain{ErrorCode::kIo, "Something nobody foresaw."};
    QCOMPARE(errorFromJson(toJson(plain)), plain);
  }

  void commonErrors_areKnown_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("form");
    QTest::newRow("missing") << "gone.gguf" << QByteArray() << "%1 does not exist";
    QTest::newRow("not GGUF") << "a.gguf" << QByteArray(64, 'x') << "%1 is not a GGUF file; …";
    QTest::newRow("empty") << "b.gguf" << QByteArray("") << "%1 is empty; download it again";
    QTest::newRow("short") << "c.gguf" << QByteArray("GG") << "%1 is only %2 bytes long; …";
    QTest::newRow("header cut") << "d.gguf" << QByteArray("GGUF") << "%1 ends within its header…";
    QByteArray version("GGUF\x63\0\0\0", 8);
    QTest::newRow("version") << "e.gguf" << version + QByteArray(16, '\0')
                             << "%1 is GGUF version %2; …";
    QTest::newRow("no model") << "notes.txt" << QByteArray("hello") << "%1 is no model that…";
    QTest::newRow("empty folder") << "." << QByteArray() << "%1 holds no model: …";
  }
  void commonErrors_areKnown() {
    QFETCH(QString, name);
    QFETCH(QByteArray, content);
    QFETCH(QString, form);
    const QString path = m_folder->filePath(name);
    if (!content.isNull()) write(path, content);
    const auto summary = inspect_model(std::filesystem::path(path.toStdU16String()));
    QVERIFY(!summary);
    expect(summary.error(), form);
  }

  void aModelCutOff_saysWhichTensorAndHowLongTheFileIs() {
    const auto source = std::filesystem::path(bundled_model_folder()) / "model.safetensors";
    QFile whole(QString::fromStdU16String(source.u16string()));
    if (!whole.open(QIODevice::ReadOnly)) QSKIP("The bundled model is not there.");
    std::filesystem::copy(source.parent_path() / "config.json",
                          std::filesystem::path(m_folder->path().toStdU16String()) / "config.json");
    write(m_folder->filePath("model.safetensors"), whole.read(whole.size() / 2));
    const auto summary = inspect_model(std::filesystem::path(m_folder->path().toStdU16String()));
    QVERIFY(!summary);
    expect(summary.error(), "%1 is %2 bytes shorter than its header says; download it again");
  }

  void anArchitectureThatIsNotSupported_isNamed() {
    const auto source = std::filesystem::path(bundled_model_folder()) / "model.safetensors";
    std::filesystem::copy(
        source, std::filesystem::path(m_folder->path().toStdU16String()) / "model.safetensors");
    write(m_folder->filePath("config.json"), R"({"architectures": ["FancyForCausalLM"]})");
    const auto llm = Llm::open({.model_path = m_folder->path().toStdString(),
                                .backend = {.device = "cpu", .num_threads = 1}});
    QVERIFY(!llm);
    expect(llm.error(), "%1: the architecture %2 is not supported; Quire runs %3");
  }

  void keysAndValues_thatADeviceDoesNotKeep_areKnown() {
    const auto llm = Llm::open({.model_path = bundled_model_folder(),
                                .backend = {.device = "cpu", .num_threads = 1},
                                .engine = {.kv_dtype = DType::kF8E4M3}});
    QVERIFY(!llm);
    expect(llm.error(), "Keys and values in %1 are not kept on the device %2. Choose %3.");
  }

  void prompts_thatAreTooLong_areKnown() {
    Request request = {.prompt = {}};
    expect(validate(request, 10, 4).error(), "The prompt is empty; write something first.");
    request.prompt = {1, 2, 3, 4, 5};
    expect(validate(request, 10, 4).error(),
           "The prompt has %1 tokens, and the context of %2 leaves no room…");
  }

  void anErrorWithoutAFormat_saysItsKind_withTheSentenceAsDetail() {
    QCoreApplication::installTranslator(&m_marking);
    QCOMPARE(errorText(Error{ErrorCode::kOutOfMemory, "The moon is full."}),
             QString("<There is not enough memory: The moon is full.>"));
  }

  /// A file may be called what it likes.
  void places_areFilledOnce_whateverTheyHold() {
    const Error error =
        make_error(ErrorCode::kNotFound, "%1 is missing; %2 needs all %3 parts beside it",
                   {"%2 %1.gguf", "a", "3"});
    QCOMPARE(error.message, std::string("%2 %1.gguf is missing; a needs all 3 parts beside it"));
    QCoreApplication::installTranslator(&m_marking);
    QCOMPARE(errorText(error), QString("<%2 %1.gguf is missing; a needs all 3 parts beside it>"));
  }

 private:
  static void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
  }
  /// `form` up to its "…", with nothing of its places lost.
  void expect(const Error& error, const QString& form) {
    const QString plain = errorText(error);
    QCOMPARE(plain, QString::fromStdString(error.message));
    QCoreApplication::installTranslator(&m_marking);
    const QString marked = errorText(error);
    QCOMPARE(marked, u'<' + plain + u'>');  // By a format of its own, not by its kind.
    QCoreApplication::removeTranslator(&m_marking);
    const QString tail = form.section(QChar(u'%'), -1).mid(1).section(QChar(0x2026), 0, 0);
    QVERIFY2(plain.contains(tail), qPrintable(plain));
  }

  Marking m_marking;
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(ErrorStringsTest)
#include "tst_error_strings.moc"
