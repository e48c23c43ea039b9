#include "app/models/scan/model_inspector.h"

#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/error_strings.h"
#include "app/models/scan/file_identity.h"
#include "app/models/scan/model_reader.h"

namespace quire {
namespace {

/// The program ends what it reads first, and says why.
constexpr std::chrono::milliseconds kSooner(1000);

Error crashed(const QString& path) {
  return make_error(ErrorCode::kCorruptFile,
                    "Reading %1 ended in a crash, so it is not loaded. It is read again when it "
                    "changes, or with Try again.",
                    {QFileInfo(path).fileName().toStdString()});
}

Error interrupted(const QString& path) {
  return make_error(
      ErrorCode::kCancelled,
      "Reading %1 was interrupted, so it is not loaded. Load it again, or scan again.",
      {QFileInfo(path).fileName().toStdString()});
}

Error doesNotRun() {
  return make_error(ErrorCode::kCancelled, "quire-inspect does not run. Install Quire again.");
}

Error tookTooLong(const QString& path) {
  return make_error(ErrorCode::kUnsupported,
                    "Reading %1 took too long, so it is not loaded. It is read again when it "
                    "changes, or with Try again.",
                    {QFileInfo(path).fileName().toStdString()});
}

/// As confined_call() says it.
constexpr const char* kLate =
    "Reading %1 took too long because this computer is busy, so it is not loaded. Try again when "
    "it is less busy.";

Error lateOnce(const QString& path) {
  return make_error(ErrorCode::kCancelled, kLate, {QFileInfo(path).fileName().toStdString()});
}

bool isLate(const Error& error) {
  return error.format != nullptr && std::string_view(error.format) == kLate;
}

ModelFacts factsWith(const QString& path, const Error& obstacle, bool isQuarantined) {
  ModelFacts facts;
  facts.fileBytes = static_cast<quint64>(QFileInfo(path).size());
  facts.obstacle = shownError(obstacle);
  facts.isQuarantined = isQuarantined;
  return facts;
}

}  // namespace

ModelInspector::ModelInspector(Options options)
    : m_options(std::move(options)),
      m_isMissing(!QFileInfo(m_options.program).isExecutable()),
      m_verdicts(m_options.verdictsPath, m_options.readerVersion) {}

ModelFacts ModelInspector::read(const QString& path) {
  const QString stamp = stampOfModel(path);
  const auto known = m_verdicts.find(path, stamp);
  if (known && !known->message.empty() && !isLate(*known)) {
    return factsWith(path, *known, /*isQuarantined=*/true);
  }
  if (m_isMissing) return readModelFacts(path);
  return judged(path, stamp, Urgency::kScan, m_stop.get_token());
}

Result<void> ModelInspector::tryOut(const QString& path, const std::stop_token& stop) {
  const QString stamp = stampOfModel(path);
  if (const auto known = m_verdicts.find(path, stamp); known && !isLate(*known)) {
    return known->message.empty() ? Result<void>() : *known;
  }
  if (m_isMissing) return {};
  const ModelFacts facts = judged(path, stamp, Urgency::kLoad, stop);
  if (facts.isQuarantined) return facts.obstacle;
  if (facts.obstacle.code != ErrorCode::kCancelled) return {};
  if (stop.stop_requested()) return facts.obstacle;
  Error untried = facts.obstacle;
  untried.code = ErrorCode::kIo;  // It is the reading that was interrupted, not the load.
  return untried;
}

/// Reads it and remembers how that ended. A model that was late on a busy machine is read once more
/// by a later scan or load, then with the priority of a load. If it is late again, its reader may
/// be sleeping, which would delay each start.
ModelFacts ModelInspector::judged(const QString& path, const QString& stamp, Urgency urgency,
                                  const std::stop_token& stop) {
  const auto known = m_verdicts.find(path, stamp);
  const bool isSecond = known && isLate(*known);
  const auto facts = ask(path, isSecond ? Urgency::kLoad : urgency, stop);
  if (facts) {
    m_verdicts.setRead(path, stamp);
    return *facts;
  }
  const bool isBlamed = isLate(facts.error()) && isSecond;
  const Error why = isBlamed ? tookTooLong(path) : facts.error();
  const bool isQuarantined = why.code != ErrorCode::kCancelled;
  if (isQuarantined || isLate(why)) m_verdicts.quarantine(path, stamp, why);
  return factsWith(path, why, isQuarantined);
}

Result<ModelFacts> ModelInspector::ask(const QString& path, Urgency urgency,
                                       const std::stop_token& stop) {
  const auto sooner = std::max(m_options.deadline - kSooner, m_options.deadline / 2);
  auto client = takeClient();
  const auto answerTo = [&](const QString& asked) {
    const std::string line =
        QJsonDocument(
            QJsonObject{{QStringLiteral("path"), asked},
                        {QStringLiteral("milliseconds"), static_cast<int>(sooner.count())},
                        {QStringLiteral("background"), urgency == Urgency::kScan}})
            .toJson(QJsonDocument::Compact)
            .toStdString();
    return client->ask(line, m_options.deadline, stop);
  };
  const auto died = [](const Result<std::string>& answer) {
    return !answer && answer.error().code == ErrorCode::kIo;
  };
  auto answer = answerTo(path);
  // The program itself ended, which no file should bring about: another program tells which it was.
  if (died(answer)) answer = answerTo(path);
  const bool hasEndedTwice = died(answer);
  // A program that answers nothing at all is to blame for that, and no model.
  if (hasEndedTwice) answer = answerTo(QString());
  putBack(std::move(client));
  if (answer) return hasEndedTwice ? crashed(path) : factsOf(path, *answer);
  if (answer.error().code == ErrorCode::kCancelled) return interrupted(path);
  const bool isLate = answer.error().code == ErrorCode::kUnsupported && !hasEndedTwice;
  return isLate ? tookTooLong(path) : doesNotRun();
}

Result<ModelFacts> ModelInspector::factsOf(const QString& path, const std::string& answer) {
  const QJsonObject root = QJsonDocument::fromJson(QByteArray::fromStdString(answer)).object();
  if (const QJsonObject ended = root[QStringLiteral("ended")].toObject(); !ended.isEmpty()) {
    const Error error = errorFromJson(ended);
    if (isLate(error)) return lateOnce(path);
    const bool isBlameless = error.code == ErrorCode::kIo || error.code == ErrorCode::kCancelled;
    if (isBlameless) return interrupted(path);
    return error.message.empty() ? crashed(path) : error;
  }
  auto facts = factsFromJson(root[QStringLiteral("facts")].toObject());
  if (!facts) return crashed(path);  // Only a reader that was taken over answers so.
  cutTexts(*facts);
  if (facts->fileBytes == 0) facts->fileBytes = static_cast<quint64>(QFileInfo(path).size());
  return *facts;
}

std::unique_ptr<InspectorClient> ModelInspector::takeClient() {
  const std::lock_guard lock(m_mutex);
  if (m_idle.empty()) {
    return std::make_unique<InspectorClient>(
        std::filesystem::path(m_options.program.toStdU16String()));
  }
  auto client = std::move(m_idle.back());
  m_idle.pop_back();
  return client;
}

void ModelInspector::putBack(std::unique_ptr<InspectorClient> client) {
  const std::lock_guard lock(m_mutex);
  m_idle.push_back(std::move(client));
}

}  // namespace quire
