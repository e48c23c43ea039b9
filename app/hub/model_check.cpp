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

/// The text of an error in an answer of quire-inspect, if the file is to blame; otherwise empty.
std::string blameIn(const Json& error) {
  if (!error.is_object()) return {};
  const auto code = error.find("code");
  const auto message = error.find("message");
  if (code == error.end() || !code->is_number_integer()) return {};
  if (message == error.end() || !message->is_string()) return {};
  const auto number = code->get<int64_t>();
  const bool isToBlame = number == static_cast<int>(ErrorCode::kCorruptFile) ||
                         number == static_cast<int>(ErrorCode::kOutOfMemory);
  return isToBlame ? message->get_ref<const std::string&>() : std::string();
}

std::string blameInAnswer(const std::string& answer) {
  const auto json = parse_input({answer.data(), answer.size()}, "it", kAnswerLimits);
  if (!json || !json->is_object()) return "reading it ended in a crash";
  if (const auto ended = json->find("ended"); ended != json->end()) return blameIn(*ended);
  const auto facts = json->find("facts");
  if (facts == json->end() || !facts->is_object()) return "reading it ended in a crash";
  const auto obstacle = facts->find("obstacle");
  return obstacle == facts->end() ? std::string() : blameIn(*obstacle);
}

std::string askInspector(const QString& path, const QString& inspector,
                         const std::stop_token& stop) {
  InspectorClient client(std::filesystem::path(inspector.toStdU16String()));
  const Json request = {{"path", path.toStdString()},
                        {"milliseconds", static_cast<int64_t>((kDeadline - kSooner).count())},
                        {"background", true}};
  const std::string line = request.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto answer = client.ask(line, kDeadline, stop);
  if (answer) return blameInAnswer(*answer);
  // Other errors are not the file's: the program is missing, or this one is about to end.
  return answer.error().code == ErrorCode::kIo ? "reading it ended in a crash" : std::string();
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
