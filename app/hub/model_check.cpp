#include "app/hub/model_check.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/hub/hub_problem.h"
#include "app/hub/safe_path.h"
#include "app/inspect/inspector_client.h"
#include "engine/io/json_file.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kDeadline{10'000};
constexpr std::chrono::milliseconds kSooner{500};  ///< Of the process that reads the file.
constexpr JsonLimits kAnswerLimits = {.max_bytes = 1 << 20, .max_depth = 8, .max_values = 10'000};
constexpr qint64 kHeadBytes = 24;
constexpr char kCrashed[] = "reading it ended in a crash";
constexpr char kTooLong[] = "reading it takes too long";

/// What is wrong with the first bytes; empty: nothing.
std::string faultOfGguf(const QByteArray& head) {
  if (head.size() < kHeadBytes || !head.startsWith("GGUF")) {
    return "it does not begin as a GGUF file";
  }
  const auto version = qFromLittleEndian<quint32>(head.constData() + 4);
  if (version == 2 || version == 3) return {};
  return "its version of GGUF is " + std::to_string(version) + ", and Quire reads 2 and 3";
}

std::string faultOfSafetensors(const QByteArray& head, qint64 fileBytes) {
  if (head.size() < 10) return "it does not begin as a safetensors file";
  const auto header = qFromLittleEndian<quint64>(head.constData());
  if (header < 2 || header > static_cast<quint64>(fileBytes - 8) || head[8] != '{') {
    return "it does not begin as a safetensors file";
  }
  return {};
}

std::string faultOf(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return file.errorString().toStdString();
  if (file.size() == 0) return "it is empty";
  const QByteArray head = file.read(kHeadBytes);
  return isGguf(path) ? faultOfGguf(head) : faultOfSafetensors(head, file.size());
}

/// The code of an error in an answer of quire-inspect; -1: there is none.
int64_t codeOf(const Json& error) {
  if (!error.is_object()) return -1;
  const auto code = error.find("code");
  return code != error.end() && code->is_number_integer() ? code->get<int64_t>() : -1;
}

/// Why the process that read the file was ended, if the file is to blame; otherwise empty. Its
/// message is a sentence for the page of models.
std::string blameOfEnd(const Json& error) {
  const int64_t code = codeOf(error);
  if (code == static_cast<int>(ErrorCode::kCorruptFile)) return kCrashed;
  if (code == static_cast<int>(ErrorCode::kOutOfMemory)) return "reading it takes too much memory";
  return code == static_cast<int>(ErrorCode::kUnsupported) ? kTooLong : std::string();
}

/// What the reader says of the file, if the file is to blame; otherwise empty.
std::string blameOfObstacle(const Json& error) {
  const int64_t code = codeOf(error);
  // What is not supported may be read one day.
  const bool isToBlame = code == static_cast<int>(ErrorCode::kCorruptFile) ||
                         code == static_cast<int>(ErrorCode::kOutOfMemory);
  const auto message = isToBlame ? error.find("message") : error.end();
  return message != error.end() && message->is_string() ? message->get<std::string>()
                                                        : std::string();
}

std::string blameInAnswer(const std::string& answer) {
  const auto json = parse_input({answer.data(), answer.size()}, "it", kAnswerLimits);
  if (!json || !json->is_object()) return kCrashed;
  if (const auto ended = json->find("ended"); ended != json->end()) return blameOfEnd(*ended);
  const auto facts = json->find("facts");
  if (facts == json->end() || !facts->is_object()) return kCrashed;
  const auto obstacle = facts->find("obstacle");
  return obstacle == facts->end() ? std::string() : blameOfObstacle(*obstacle);
}

std::string askOnce(const QString& path, const QString& inspector, const std::stop_token& stop) {
  InspectorClient client(std::filesystem::path(inspector.toStdU16String()));
  const Json request = {{"path", path.toStdString()},
                        {"milliseconds", static_cast<int64_t>((kDeadline - kSooner).count())},
                        {"background", false}};  // Or a busy machine could starve the reader.
  const std::string line = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto answer = client.ask(line, kDeadline, stop);
  if (answer) return blameInAnswer(*answer);
  // Other errors are not the file's: the program is missing, or this one is about to end.
  return answer.error().code == ErrorCode::kIo ? kCrashed : std::string();
}

/// Too long by the clock may be the machine's fault, which is less likely twice.
std::string askInspector(const QString& path, const QString& inspector,
                         const std::stop_token& stop) {
  const std::string blame = askOnce(path, inspector, stop);
  return blame == kTooLong ? askOnce(path, inspector, stop) : blame;
}

}  // namespace

QString inspectorBesideProgram() {
  return QCoreApplication::applicationDirPath() + QStringLiteral("/quire-inspect");
}

Result<void> checkModel(const QString& files, const DownloadPlan& plan, const QString& inspector,
                        const std::stop_token& stop) {
  const auto refusal = [&](const PlannedFile& file, const std::string& why) {
    return notAModel(fileNameOf(file.path).toStdString(), why, files.toStdString());
  };
  const PlannedFile* first = nullptr;
  for (const PlannedFile& file : plan.files) {
    if (!isGguf(file.path) && !isSafetensors(file.path)) continue;
    if (first == nullptr) first = &file;
    const std::string fault = faultOf(files + u'/' + file.path);
    if (!fault.empty()) return refusal(file, fault);
  }
  if (first == nullptr || !QFileInfo(inspector).isExecutable()) return {};
  const QString model = isGguf(first->path) ? files + u'/' + first->path : files;
  const std::string blame = askInspector(model, inspector, stop);
  return blame.empty() ? Result<void>() : refusal(*first, blame);
}

}  // namespace quire
