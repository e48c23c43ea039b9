#include "app/error_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <optional>
#include <vector>

namespace quire {
namespace {

constexpr qsizetype kMaxLength = 4000;  ///< Longer ones quote something: they stay as they are.

/// The engine's sentences. Of two that fit, the first counts: the more special one.
constexpr const char* kSentences[] = {
    // Files.
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 does not exist"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 cannot be read: there is no such file"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 cannot be read: Permission denied"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 cannot be read: %2"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is a folder, not a file"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is not a file"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is empty; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is no model that Quire reads; choose a GGUF file or the folder that "
                      "holds config.json and the safetensors"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 holds no model: neither config.json with safetensors nor a GGUF file. "
                      "Choose the folder or the file of the model itself, which may lie deeper"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 holds an adapter and not a whole model; merge it into its model"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 holds no model but, by its own account, \"%2\"; choose the model's file"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 has its weights as %2, which Quire does not read; get the safetensors "
                      "version"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 has no model.safetensors and no model.safetensors.index.json"),
    // Damaged, cut off.
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is not a GGUF file; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is only %2 bytes long; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 ends within its header; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 ends within its key number %2; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 ends within its tensor number %2; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is damaged: the tensor \"%2\" ends after the end of the file, which has "
                      "%3 bytes; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is %2 bytes shorter than its header says; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is not a safetensors file, or its header is damaged; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is damaged: %2; download it again"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is missing; %2 needs all %3 parts beside it"),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "the model's files hold no tensor \"%1\""),
    // What Quire does not do.
    QT_TRANSLATE_NOOP("quire::ErrorWords", "%1 is GGUF version %2; Quire reads %3"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1: the architecture %2 is not supported; Quire runs %3"),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "%1: the weights are quantised by %2; Quire reads f32, f16 and bf16 here, and "
        "quantised weights from GGUF files"),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "the tensor \"%1\" is %2, which Quire does not compute with; get the model in "
        "another quantisation (%3)"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "the tensor \"%1\" is %2, which Quire does not compute with"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is absent, so that it has no tokenizer; choose another conversion"),
    // Memory and devices.
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "There is not enough memory to load \"%1\". Close other programs, or choose a "
        "smaller model."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The system has no %1 MB of memory left for this. Choose a smaller model or "
                      "context, or close other programs."),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "The cache for keys and values needs at least %1 for this model; its devices "
        "have %2 free beside the weights, work space included. Choose a smaller model "
        "or the device \"cpu\", or close other programs."),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "The cache for keys and values needs at least %1 for this model; its budget is "
        "%2. Choose a larger one."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "Keys and values in %1 are not kept on the device %2. Choose %3."),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "The number of CPU threads is %1; it must be between 0 (all cores) and 1024."),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "The GPU failed in %1: %2"),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The model's logits for token %1 are not numbers. Its weights or the device "
                      "may be damaged."),
    // Prompts.
    QT_TRANSLATE_NOOP("quire::ErrorWords", "The prompt is empty; write something first."),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "The prompt has %1 tokens, and the context of %2 leaves no room for an answer; "
        "make the prompt shorter or the context larger."),
    QT_TRANSLATE_NOOP(
        "quire::ErrorWords",
        "The prompt has %1 tokens, %2 of them the last message's, and the context holds "
        "%3; shorten the message, or choose a model that reads more at once."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The prompt has %1 tokens, %2 of them the system prompt's, and the context "
                      "holds %3; the system prompt is too long: shorten it, or choose a model that "
                      "reads more at once."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "Even without the earlier messages the prompt has %1 tokens, %2 of them the "
                      "last message's, and the context holds %3; shorten the message, or choose a "
                      "model that reads more at once."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "Even without the earlier messages the prompt has %1 tokens, %2 of them the "
                      "system prompt's, and the context holds %3; the system prompt is too long: "
                      "shorten it, or choose a model that reads more at once."),
};

/// What is said of a sentence that is none of those; %1 is the sentence.
const char* kindWords(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "This value cannot be used: %1");
    case ErrorCode::kNotFound:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "Something that is needed is not there: %1");
    case ErrorCode::kCorruptFile:
      return QT_TRANSLATE_NOOP("quire::ErrorWords",
                               "The model's files are damaged or do not belong together: %1");
    case ErrorCode::kUnsupported:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "Quire does not run this model: %1");
    case ErrorCode::kOutOfMemory:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "There is not enough memory: %1");
    case ErrorCode::kIo:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "The system could not read or write: %1");
    case ErrorCode::kContextOverflow:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "The chat is too long for the context: %1");
    case ErrorCode::kTemplate:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "The model's chat template cannot be used: %1");
    case ErrorCode::kCancelled:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "It was cancelled: %1");
    case ErrorCode::kDevice:
      return QT_TRANSLATE_NOOP("quire::ErrorWords", "The device failed: %1");
    case ErrorCode::kInternal:
      break;
  }
  return QT_TRANSLATE_NOOP("quire::ErrorWords", "Something went wrong inside Quire: %1");
}

QString translated(const char* source) {
  return QCoreApplication::translate("quire::ErrorWords", source);
}

/// "%1 is %2" as an expression with a group for each place.
QRegularExpression formOf(const char* source) {
  static const QRegularExpression kPlace(QStringLiteral("%[1-9]"));
  const QString text = QString::fromUtf8(source);
  QString form = QStringLiteral("^");
  qsizetype end = 0;
  for (auto places = kPlace.globalMatch(text); places.hasNext();) {
    const QRegularExpressionMatch place = places.next();
    form += QRegularExpression::escape(text.mid(end, place.capturedStart() - end));
    form += QStringLiteral("(.+?)");
    end = place.capturedEnd();
  }
  form += QRegularExpression::escape(text.mid(end)) + u'$';
  return QRegularExpression(form, QRegularExpression::DotMatchesEverythingOption);
}

const std::vector<QRegularExpression>& forms() {
  static const std::vector<QRegularExpression> kForms = [] {
    std::vector<QRegularExpression> made;
    for (const char* source : kSentences) made.push_back(formOf(source));
    return made;
  }();
  return kForms;
}

/// All places in one pass: what is put in may look like a place itself.
QString filled(const QString& words, const QStringList& captured) {
  QString text;
  for (qsizetype i = 0; i < words.size(); ++i) {
    const int place = words[i] == u'%' && i + 1 < words.size() ? words[i + 1].digitValue() : -1;
    const bool isPlace = place > 0 && place < captured.size();
    text += isPlace ? captured[place] : QString(words[i]);
    if (isPlace) ++i;
  }
  return text;
}

std::optional<QString> knownWords(const QString& sentence) {
  if (sentence.size() > kMaxLength) return std::nullopt;
  for (size_t i = 0; i < forms().size(); ++i) {
    const QRegularExpressionMatch match = forms()[i].match(sentence);
    if (match.hasMatch()) return filled(translated(kSentences[i]), match.capturedTexts());
  }
  return std::nullopt;
}

}  // namespace

QString errorWords(const Error& error) {
  const QString sentence = QString::fromStdString(error.message);
  if (sentence.isEmpty()) return sentence;
  if (const auto known = knownWords(sentence)) return *known;
  const char* const kind = kindWords(error.code);
  const QString words = translated(kind);
  // The engine's language is the window's: its sentence says more than the kind.
  return words == QString::fromUtf8(kind) ? sentence : filled(words, {QString(), sentence});
}

QString errorWords(const QString& sentence) {
  return knownWords(sentence).value_or(sentence);
}

}  // namespace quire
