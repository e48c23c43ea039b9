#include "app/models/scan/model_inspector.h"

#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
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

Error tookTooLong(const QString& path) {
  return make_error(ErrorCode::kUnsupported,
                    "Reading %1 took too long, so it is not loaded. It is read again when it "
                    "changes, or with Try again.",
                    {QFileInfo(path).fileName().toStdString()});
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
  if (const auto known = m_verdicts.find(path, stamp); known && !known->message.empty()) {
    return factsWith(path, *known, /*isQuarantined=*/true);
  }
  if (m_isMissing) return readModelFacts(path);
  return judged(path, stamp, Urgency::kScan, m_stop.get_token());
}

Result<void> ModelInspector::tryOut(const QString& path, const std::stop_token& stop) {
  const QString stamp = stampOfModel(path);
  if (const auto known = m_verdicts.find(path, stamp)) {
    return known->message.empty() ? Result<void>() : *known;
  }
  if (m_isMissing) return {};
  const ModelFacts facts = judged(path, stamp, Urgency::kLoad, stop);
  return facts.isQuarantined ? facts.obstacle : Result<void>();
}

/// Reads it and remembers how that ended.
ModelFacts ModelInspector::judged(const QString& path, const QString& stamp, Urgency urgency,
                                  const std::stop_token& stop) {
  const auto facts = ask(path, urgency, stop);
  if (facts) {
    m_verdicts.setRead(path, stamp);
    return *facts;
  }
  if (facts.error().code == ErrorCode::kCancelled) return factsWith(path, facts.error(), false);
  m_verdicts.quarantine(path, stamp, facts.error());
  return factsWith(path, facts.error(), /*isQuarantined=*/true);
}

Result<ModelFacts> ModelInspector::ask(const QString& path, Urgency urgency,
                                       const std::stop_token& stop) {
  const auto sooner = std::max(m_options.deadline - kSooner, m_options.deadline / 2);
  const QByteArray line =
      QJsonDocument(QJsonObject{{QStringLiteral("path"), path},
                                {QStringLiteral("milliseconds"), static_cast<int>(sooner.count())},
                                {QStringLiteral("background"), urgency == Urgency::kScan}})
          .toJson(QJsonDocument::Compact);
  const std::string_view request(line.constData(), static_cast<size_t>(line.size()));
  auto client = takeClient();
  auto answer = client->ask(request, m_options.deadline, stop);
  // The program itself ended, which no file should bring about: another program tells which it was.
  if (!answer && answer.error().code == ErrorCode::kIo) {
    answer = client->ask(request, m_options.deadline, stop);
  }
  putBack(std::move(client));
  if (answer) return factsOf(path, *answer);
  switch (answer.error().code) {
    case ErrorCode::kIo:
      return crashed(path);
    case ErrorCode::kUnsupported:
      return tookTooLong(path);
    default:  // It was cancelled, or the program is gone since the start.
      return Error{ErrorCode::kCancelled, answer.error().message};
  }
}

Result<ModelFacts> ModelInspector::factsOf(const QString& path, const std::string& answer) {
  const QJsonObject root = QJsonDocument::fromJson(QByteArray::fromStdString(answer)).object();
  if (const QJsonObject ended = root[QStringLiteral("ended")].toObject(); !ended.isEmpty()) {
    const Error error = errorFromJson(ended);
    if (error.code == ErrorCode::kIo) return Error{ErrorCode::kCancelled, error.message};
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
