#include "app/error_strings.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>

#include "app/format_match.h"
#include "app/store/system_reason.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

struct ErrorWords {
  Q_DECLARE_TR_FUNCTIONS(quire::ErrorWords)

 public:
  /// The formats that make_error is called with.
  static constexpr const char* kFormats[] = {
      // Files.
      QT_TR_NOOP("%1 cannot be deleted. Delete it, or choose another name."),
      // Adapters.
      QT_TR_NOOP("%1 is no LoRA adapter; choose a folder with adapter_config.json and "
                 "adapter_model.safetensors, or a GGUF file that holds an adapter"),
      QT_TR_NOOP("the adapter %1 changes %2, which this model does not have or Quire cannot "
                 "adapt; choose one of this model that changes only linear layers of "
                 "attention and MLPs"),
      QT_TR_NOOP("the adapter %1 has no adapter_model.safetensors; get the safetensors version"),
      QT_TR_NOOP("the adapter %1 uses %2, which Quire does not support; choose a plain LoRA "
                 "adapter, or merge this one into its model"),
      QT_TR_NOOP("the adapter %1 is for models of the architecture \"%2\", and this model is "
                 "\"%3\"; choose an adapter that was made for it"),
      QT_TR_NOOP("the adapter %1 does not fit this model: %2 has another shape; choose an "
                 "adapter that was made for it"),
      QT_TR_NOOP("the adapter %1 changes %2, whose order differs between folders and GGUF "
                 "files; choose an adapter in the format of the model"),
      QT_TR_NOOP("%1 adapters are in use, which is as many as Quire loads at once; wait until "
                 "an answer has ended"),
      QT_TR_NOOP("the adapter %1 has changed since it was loaded; load the model again"),
      QT_TR_NOOP("The adapter %1 is not there any more. Choose it again in the persona, or "
                 "remove it from there."),
      // Draft models.
      QT_TR_NOOP("\"%1\" has another vocabulary than the model that it should guess for. Choose a "
                 "draft model of the same family."),
      // Embeddings.
      QT_TR_NOOP("%1: the pooling \"%2\" is not supported; choose mean, last or cls with "
                 "--pooling"),
      QT_TR_NOOP("%1: the module %2 is not supported; choose a model without it"),
      // Downloads.
      QT_TR_NOOP("%1 is there already, and is not what the hub has now. Move or delete it, or "
                 "choose another folder"),
      QT_TR_NOOP("%1 needs %2 more, and the disk of %3 has only %4 to spare beside %5 that "
                 "stay free. Free some space, or choose another folder"),
      QT_TR_NOOP("%1 is not what the hub promised, or has changed meanwhile. Try again later"),
      QT_TR_NOOP("%1 is complete, but cannot be moved to its place: %2. Try again, or choose "
                 "another folder"),
      QT_TR_NOOP("the folder %1 cannot be written: %2. Choose another folder, or "
                 "change its permissions"),
      QT_TR_NOOP("%1 is what the hub has, but it is not a model that Quire can read: %2. It is "
                 "kept in %3. Choose another model"),
      QT_TR_NOOP("%1 is being downloaded already, by another program or window. Wait for it"),
      QT_TR_NOOP("%1 has a file with the name \"%2\", which is not safe to store. Choose "
                 "another model"),
      QT_TR_NOOP("%1 has two files with the name \"%2\", of which only one can be stored. Choose "
                 "another model"),
      QT_TR_NOOP("the files of %1 take %2, and Quire downloads at most %3. Choose another model"),
      QT_TR_NOOP("%1 has %2 files, and Quire downloads at most %3. Choose another model"),
      QT_TR_NOOP("%1: the file %2 is empty. Choose another model"),
      QT_TR_NOOP("%1 cannot be written: %2. What was downloaded is kept; free some space, then "
                 "try again"),
      QT_TR_NOOP("%1 cannot be written, because the disk is full. What was downloaded is kept; "
                 "free some space, then try again"),
      QT_TR_NOOP("%1 did not accept the token for %2: it is wrong or has expired. Make a new one "
                 "in the settings of your account there, and enter it"),
      QT_TR_NOOP("%1 does not give %2 to the account of your token. Look at %3 and give your "
                 "consent there, or enter the token of another account"),
      QT_TR_NOOP("%1 could not prove its identity, so nothing was sent: %2. Check the date of "
                 "this computer, and its network"),
      QT_TR_NOOP("what %1 sent is not a response of HTTP. Check the address"),
      QT_TR_NOOP("%1 cannot be reached: %2. Check the connection, then try again"),
      QT_TR_NOOP("%1 does not respond. Check the connection, then try again"),
      QT_TR_NOOP("the connection to %1 broke. Try again"),
      QT_TR_NOOP("%1 does not give %2 to everybody, or there is no such model. Look at %3, "
                 "give your consent there if it asks for it, and enter the token of that "
                 "account"),
      QT_TR_NOOP("%1 does not have %2. Check the name"),
      QT_TR_NOOP("%1 is too busy, or failed (error %2). Try again later"),
      QT_TR_NOOP("%1 did not give %2 (error %3)"),
      QT_TR_NOOP("%1 redirects to %2, where Quire does not go: only to https, or to the same "
                 "host. Check the address"),
      QT_TR_NOOP("%1 redirects without end. Try again later"),
      QT_TR_NOOP("%1 sent compressed data, which was not asked for. Check the address, and "
                 "whether a proxy is in between"),
      QT_TR_NOOP("the answer of %1 cannot be used: %2. Check the address, or try again later"),
      QT_TR_NOOP("\"%1\" is not the name of a model. Names are org/repo, org/repo:Q4_K_M, or "
                 "qwen3:8b for Ollama's registry"),
      QT_TR_NOOP("\"%1\" is not the address of a hub. Give one such as https://huggingface.co"),
      QT_TR_NOOP("%1 has several files: %2. Choose one of them"),
      QT_TR_NOOP("%1 has neither a GGUF file nor a complete folder of safetensors. Choose "
                 "another model, such as one whose name ends with GGUF"),
      QT_TR_NOOP("%1 has no \"%2\". It has %3"),
      QT_TR_NOOP("%1 has no projector of images (mmproj)"),
      QT_TR_NOOP("Ollama's registry cannot be searched for \"%1\". Look for its name on "
                 "https://ollama.com/search"),
      QT_TR_NOOP("Stopped"),
      QT_TR_NOOP("Stopped. What was downloaded is kept: the same command goes on from there"),
      QT_TR_NOOP("there is no home folder for models. Choose a folder"),
      // Quantised files.
      QT_TR_NOOP("Quire does not write %1 as a GGUF file yet; it writes folders of %2"),
      QT_TR_NOOP("Quire does not write %1 yet; choose one of %2"),
      QT_TR_NOOP("\"%1\" is not a type of GGUF files; choose one of %2"),
      QT_TR_NOOP("%1 exists and is not overwritten; choose another name, or delete it first"),
      QT_TR_NOOP("\"%1\" ends without the name of a file; add one"),
      QT_TR_NOOP("%1 is a link to another file, or no ordinary file; choose another name, or "
                 "delete it first"),
      QT_TR_NOOP("%1 is a folder; give the name of the file to write"),
      QT_TR_NOOP("%1 cannot be written: %2"),
      QT_TR_NOOP("%1 is there from a run that did not finish; continue it with --resume, or delete "
                 "it first"),
      QT_TR_NOOP("another program is writing %1; wait until it has finished"),
      QT_TR_NOOP("the text holds less than two tokens; choose a longer one"),
      QT_TR_NOOP("%1 was begun from another model or with other options; repeat those, or delete "
                 "it first"),
      QT_TR_NOOP("the tensor %1 of %2 holds NaN, infinity or numbers too large for %3; download "
                 "the model again, or choose F32 or BF16"),
      QT_TR_NOOP("the disk of %1 has %2 bytes left, and %3 more are needed; free some space, or "
                 "choose another folder"),
      QT_TR_NOOP("the tensor %1 of %2 has rows of %3 numbers, and Quire converts at most %4; "
                 "choose another model"),
      QT_TR_NOOP(
          "%1 cannot be written as a GGUF file: its metadata or tensors exceed what GGUF files "
          "can have; choose another model"),
      QT_TR_NOOP("a context of one token cannot be measured; choose another model"),
      QT_TR_NOOP("the tensor %1 of %2 is %3, which Quire cannot convert; take the model in F32, "
                 "F16 or BF16"),
      // Files.
      QT_TR_NOOP("%1 does not exist"),
      QT_TR_NOOP("%1 cannot be read: there is no such file"),
      QT_TR_NOOP("%1 cannot be read: Permission denied"),
      QT_TR_NOOP("%1 cannot be read: %2"),
      QT_TR_NOOP("%1 is a folder, not a file"),
      QT_TR_NOOP("%1 is not a file"),
      QT_TR_NOOP("%1 is empty; download it again"),
      QT_TR_NOOP("%1 is %2 bytes long; Quire reads up to %3"),
      QT_TR_NOOP("%1 has more than %2 bytes of metadata, which Quire does not read"),
      QT_TR_NOOP("%1 needs more than %2 MB of memory"),
      QT_TR_NOOP("%1 takes more than %2 ms of processor time"),
      QT_TR_NOOP("%1, with what was read before, takes more than %2 ms of processor time"),
      QT_TR_NOOP("%1 takes more than %2 steps"),
      QT_TR_NOOP("%1 was cancelled"),
      QT_TR_NOOP("%1 became shorter while it was read; load it again when it is complete"),
      QT_TR_NOOP("%1 is no model that Quire reads; choose a GGUF file or the folder that "
                 "holds config.json and the safetensors"),
      QT_TR_NOOP("%1 holds no model: neither config.json with safetensors nor a GGUF file. "
                 "Choose the folder or the file of the model itself, which may lie deeper"),
      QT_TR_NOOP("%1 is an adapter and not a whole model; load its model, and choose the "
                 "adapter in a persona or with --adapter"),
      QT_TR_NOOP("%1 holds Medusa heads, which guess for a model and are no model themselves; "
                 "load their model with quire-cli, and choose the heads with --draft"),
      QT_TR_NOOP("%1 holds no model but, by its own account, \"%2\"; choose the model's file"),
      QT_TR_NOOP("%1 has its weights as %2, which Quire does not read; get the safetensors "
                 "version"),
      QT_TR_NOOP("%1 has no model.safetensors and no model.safetensors.index.json"),
      QT_TR_NOOP("%1 has neither tokenizer.json nor tokenizer.model; download one of them too"),
      QT_TR_NOOP("%1 has its tokenizer as vocab.json and merges.txt, which Quire does not "
                 "read; write tokenizer.json with transformers "
                 "(AutoTokenizer.from_pretrained and save_pretrained)"),
      // Damaged, cut off.
      QT_TR_NOOP("%1 is not a GGUF file; download it again"),
      QT_TR_NOOP("%1 is only %2 bytes long; download it again"),
      QT_TR_NOOP("%1 ends within its header; download it again"),
      QT_TR_NOOP("%1 ends within its key number %2; download it again"),
      QT_TR_NOOP("%1 ends within its tensor number %2; download it again"),
      QT_TR_NOOP("%1 is damaged: the tensor \"%2\" ends after the end of the file, which has "
                 "%3 bytes; download it again"),
      QT_TR_NOOP("%1 is %2 bytes shorter than its header says; download it again"),
      QT_TR_NOOP("%1 is not a safetensors file, or its header is damaged; download it again"),
      QT_TR_NOOP("%1 is damaged: %2; download it again"),
      QT_TR_NOOP("%1 is missing; %2 needs all %3 parts beside it"),
      QT_TR_NOOP("the model's files hold no tensor \"%1\""),
      // Read in a process of its own.
      QT_TR_NOOP("Reading %1 was interrupted, so it is not loaded. Load it again, or scan again."),
      QT_TR_NOOP("Reading %1 took too long because this computer is busy, so it is not loaded. "
                 "Try again when it is less busy."),
      QT_TR_NOOP("quire-inspect does not run. Install Quire again."),
      QT_TR_NOOP("Reading %1 ended in a crash, so it is not loaded. It is read again when it "
                 "changes, or with Try again."),
      QT_TR_NOOP("Reading %1 took too long, so it is not loaded. It is read again when it "
                 "changes, or with Try again."),
      QT_TR_NOOP("Reading %1 takes too much memory, so it is not loaded. It is read again "
                 "when it changes, or with Try again."),
      QT_TR_NOOP("It was not read, because other files took too long. Rescan to read it."),
      // What Quire does not do.
      QT_TR_NOOP("%1 is GGUF version %2; Quire reads %3"),
      QT_TR_NOOP("%1: the architecture %2 is not supported; Quire runs %3"),
      QT_TR_NOOP("%1: the weights are quantised by %2, which Quire does not read; it reads f32, "
                 "f16, bf16, AWQ, GPTQ, compressed-tensors, FP8 and bitsandbytes here, and others "
                 "from GGUF files"),
      QT_TR_NOOP("%1: the weights are quantised by %2, a variant that Quire does not read; get "
                 "another version of the model, or a GGUF file of it"),
      QT_TR_NOOP("%1: the tensor \"%2\" is %3, which Quire does not compute with; get the model "
                 "in another quantisation (%4)"),
      QT_TR_NOOP("%1: the tensor \"%2\" is %3, which Quire does not compute with"),
      QT_TR_NOOP("%1 is absent, so that it has no tokenizer; choose another conversion"),
      // Memory and devices.
      QT_TR_NOOP("There is not enough memory to read what this file says about itself."),
      QT_TR_NOOP("There is not enough memory to prepare this prompt. Close other programs, or "
                 "shorten it."),
      QT_TR_NOOP("There is not enough memory to load \"%1\". Close other programs, or choose a "
                 "smaller model."),
      QT_TR_NOOP("The system has no %1 MB of memory left for this. Choose a smaller model or "
                 "context, or close other programs."),
      QT_TR_NOOP("The cache for keys and values needs at least %1 for this model; its devices "
                 "have %2 free beside the weights, work space included. Choose a smaller model "
                 "or the device \"cpu\", or close other programs."),
      QT_TR_NOOP("The cache for keys and values needs at least %1 for this model; its budget is "
                 "%2. Choose a larger one."),
      QT_TR_NOOP("No layer of %1 attends; Quire runs models with attention in some layers. Choose "
                 "another model."),
      QT_TR_NOOP("Keys and values in %1 are not kept on the device %2. Choose %3."),
      QT_TR_NOOP("This model's attention has %1 dimensions; the device %2 computes at most %3. "
                 "Choose the device \"cpu\"."),
      QT_TR_NOOP("The device %1 cannot compute layers together with others."),
      QT_TR_NOOP(
          "Several GPUs compute layers together only with NCCL, which cannot be loaded (%1). "
          "Install NVIDIA's package libnccl2, or name the library's file in "
          "QUIRE_NCCL_LIBRARY."),
      QT_TR_NOOP("NCCL does not start on these GPUs (status %1). Name each GPU once, or choose one "
                 "GPU. NCCL_DEBUG=WARN shows more."),
      QT_TR_NOOP("GPUs of different generations do not compute layers together, because their "
                 "results differ in the last bits. Give them layers of their own: separate their "
                 "names by commas."),
      QT_TR_NOOP("This model's attention heads have %1 numbers, too many for several GPUs that "
                 "compute each layer together. Choose one device."),
      QT_TR_NOOP("This model's recurrent layers keep states of %1 columns; the device %2 computes "
                 "at most %3. Choose the device \"cpu\"."),
      QT_TR_NOOP("The number of CPU threads is %1; it must be between 0 (all cores) and 1024."),
      QT_TR_NOOP("The GPU failed in %1: %2"),
      QT_TR_NOOP("The logits of %1 for token %2 are not numbers: its weights or the device may be "
                 "damaged. Download it again, or choose the device \"cpu\"."),
      // Prompts.
      QT_TR_NOOP("The prompt is empty; write something first."),
      QT_TR_NOOP("The prompt has %1 tokens, and the context of %2 leaves no room for an answer; "
                 "make the prompt shorter or the context larger."),
      QT_TR_NOOP("The prompt has more than %1 tokens, and the context holds %2; shorten it, or "
                 "choose a model that reads more at once."),
      QT_TR_NOOP("The prompt has %1 tokens, %2 of them the last message's, and the context holds "
                 "%3; shorten the message, or choose a model that reads more at once."),
      QT_TR_NOOP("The prompt has %1 tokens, %2 of them the system prompt's, and the context "
                 "holds %3; the system prompt is too long: shorten it, or choose a model that "
                 "reads more at once."),
      QT_TR_NOOP("Even without the earlier messages the prompt has %1 tokens, %2 of them the "
                 "last message's, and the context holds %3; shorten the message, or choose a "
                 "model that reads more at once."),
      QT_TR_NOOP("Even without the earlier messages the prompt has %1 tokens, %2 of them the "
                 "system prompt's, and the context holds %3; the system prompt is too long: "
                 "shorten it, or choose a model that reads more at once."),
      // The API server.
      QT_TR_NOOP("Port %1 of %2 is in use: choose another port, or close the program that uses "
                 "it."),
      QT_TR_NOOP("Port %1 of %2 is reserved for the system: choose one above 1023."),
      QT_TR_NOOP("%1 is not an address of this computer: choose one of its own, such as "
                 "127.0.0.1."),
      QT_TR_NOOP("The server cannot use port %1 of %2: %3."),
      QT_TR_NOOP("An API key must have 1 to 1024 letters, digits or signs of ASCII, without "
                 "spaces; choose another one."),
      QT_TR_NOOP("At %1 others can reach the server: set an API key, or let it listen at "
                 "127.0.0.1."),
      QT_TR_NOOP("Web pages can be allowed only with an API key: set one, or allow no origins."),
      QT_TR_NOOP("%1 is not the origin of a web page: write it like https://example.org."),
      QT_TR_NOOP("The chat template of this model does not read tools. Choose a model that can "
                 "call tools, or leave them out."),
  };

  /// For an error without a format of its own; %1 is its English sentence.
  static const char* kindFormat(ErrorCode code) {
    switch (code) {
      case ErrorCode::kInvalidArgument:
        return QT_TR_NOOP("This value cannot be used: %1");
      case ErrorCode::kNotFound:
        return QT_TR_NOOP("Something that is needed is not there: %1");
      case ErrorCode::kCorruptFile:
        return QT_TR_NOOP("The model's files are damaged or do not belong together: %1");
      case ErrorCode::kUnsupported:
        return QT_TR_NOOP("Quire does not run this model: %1");
      case ErrorCode::kOutOfMemory:
        return QT_TR_NOOP("There is not enough memory: %1");
      case ErrorCode::kIo:
        return QT_TR_NOOP("The system could not read or write: %1");
      case ErrorCode::kContextOverflow:
        return QT_TR_NOOP("The chat is too long for the context: %1");
      case ErrorCode::kTemplate:
        return QT_TR_NOOP("The model's chat template cannot be used: %1");
      case ErrorCode::kCancelled:
        return QT_TR_NOOP("It was cancelled: %1");
      case ErrorCode::kDevice:
        return QT_TR_NOOP("The device failed: %1");
      case ErrorCode::kInternal:
        break;
    }
    return QT_TR_NOOP("Something went wrong inside Quire: %1");
  }
};

/// The reasons of the system among the arguments, in the window's language.
std::vector<std::string> translatedReasons(std::vector<std::string> arguments) {
  for (std::string& argument : arguments)
    argument = systemReason(QString::fromStdString(argument)).toStdString();
  return arguments;
}

std::vector<std::string> englishReasons(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) argument = englishReason(argument);
  return arguments;
}

constexpr size_t kMostArguments = 9;  ///< As many as formats have placeholders.
const char* const kFormat = "format";
const char* const kArguments = "arguments";
const char* const kMessage = "message";
const char* const kCode = "code";

}  // namespace

std::span<const char* const> errorFormats() {
  return ErrorWords::kFormats;
}

QString errorText(const Error& error) {
  if (error.format != nullptr)
    return visibleString(
        filledFormat(ErrorWords::tr(error.format), translatedReasons(error.arguments)));
  const QString sentence = visibleString(QString::fromStdString(error.message));
  if (sentence.isEmpty()) return sentence;
  const char* const kind = ErrorWords::kindFormat(error.code);
  const QString format = ErrorWords::tr(kind);
  // In English the engine's sentence alone says more than its kind.
  return format == QString::fromUtf8(kind) ? sentence
                                           : filledFormat(format, {sentence.toStdString()});
}

std::string englishText(const QString& shown) {
  QString english = shown;
  qsizetype mostLetters = 0;  // Of the format's own: "%1: %2" explains nearly everything.
  for (const char* const format : ErrorWords::kFormats) {
    const QString translated = ErrorWords::tr(format);
    if (translated == QString::fromUtf8(format) || translated.size() <= mostLetters) continue;
    const auto arguments = argumentsOf(translated, shown);
    if (!arguments) continue;
    mostLetters = translated.size();
    english = filledFormat(QString::fromUtf8(format), englishReasons(*arguments));
  }
  if (mostLetters > 0) return english.toStdString();
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const char* const kind = ErrorWords::kindFormat(ErrorCode{code});
    const QString translated = ErrorWords::tr(kind);
    if (translated == QString::fromUtf8(kind)) continue;
    if (const auto arguments = argumentsOf(translated, shown)) return arguments->front();
  }
  return english.toStdString();
}

QJsonObject toJson(const Error& error) {
  if (error.message.empty()) return {};
  QJsonArray arguments;
  for (const std::string& argument : error.arguments) {
    arguments.append(QString::fromStdString(argument));
  }
  return {{kCode, static_cast<int>(error.code)},
          {kMessage, QString::fromStdString(error.message)},
          {kFormat, QString::fromUtf8(error.format)},
          {kArguments, arguments}};
}

Error errorFromJson(const QJsonObject& json) {
  Error error{.message = json[kMessage].toString().toStdString()};
  const int code = json[kCode].toInt(-1);
  if (code >= 0 && code <= static_cast<int>(ErrorCode::kInternal)) error.code = ErrorCode{code};
  const QByteArray format = json[kFormat].toString().toUtf8();
  const auto known =
      std::ranges::find_if(ErrorWords::kFormats, [&](const char* f) { return format == f; });
  if (known == std::end(ErrorWords::kFormats)) return error;
  error.format = *known;
  for (const QJsonValue& argument : json[kArguments].toArray()) {
    if (error.arguments.size() == kMostArguments) break;
    error.arguments.push_back(argument.toString().toStdString());
  }
  return error;
}

}  // namespace quire
