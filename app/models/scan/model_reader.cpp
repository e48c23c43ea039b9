#include "app/models/scan/model_reader.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QHash>

#include <filesystem>
#include <new>

#include "engine/model_summary.h"
#include "engine/models/model_files.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

constexpr qsizetype kMaxText = 60;  ///< The files are untrusted, so their texts are cut.
constexpr qsizetype kMaxSentence = 600;

QString shown(std::string_view text, qsizetype most = kMaxText) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))
      .left(most)
      .simplified();
}

/// Errors quote texts of the file, so they are cut too.
Error shownError(Error error) {
  error.message = shown(error.message, kMaxSentence).toStdString();
  for (std::string& argument : error.arguments) {
    argument = shown(argument, kMaxSentence).toStdString();
  }
  return error;
}

/// The name of a mixture of types (general.file_type of llama.cpp's converter); empty if all
/// tensors have one type.
QString mixtureName(int64_t type) {
  static const QHash<int64_t, QString> kNames = {{11, "Q3_K_S"}, {12, "Q3_K_M"}, {13, "Q3_K_L"},
                                                 {14, "Q4_K_S"}, {15, "Q4_K_M"}, {16, "Q5_K_S"},
                                                 {17, "Q5_K_M"}, {21, "Q2_K_S"}};
  return kNames.value(type);
}

ModelKind kindOf(const GgufFile& file, const QString& fileName) {
  const std::string_view type = file.string("general.type").value_or("");
  const std::string_view architecture = file.string("general.architecture").value_or("");
  if (type == "adapter") return ModelKind::kAdapter;
  if (type == "mmproj" || architecture == "clip" ||
      fileName.contains(QLatin1String("mmproj"), Qt::CaseInsensitive))
    return ModelKind::kProjector;
  return ModelKind::kModel;
}

void describe(const ModelSummary& summary, ModelFacts& facts) {
  facts.architecture = shown(summary.architecture);
  facts.format = shown(summary.format);
  facts.parameters = summary.num_parameters;
  facts.fileBytes = summary.file_bytes;
  if (summary.config) facts.contextLength = summary.config->max_positions;
  if (facts.quantisation.isEmpty() && !summary.dtypes.empty())
    facts.quantisation = shown(summary.dtypes.front().dtype);
  if (!summary.obstacles.empty()) facts.obstacle = shownError(summary.obstacles.front());
}

ModelFacts read(const fs::path& path, const QString& fileName) {
  ModelFacts facts;
  if (const auto metadata = open_gguf_metadata(path); metadata && *metadata) {
    facts.kind = kindOf(**metadata, fileName);
    facts.quantisation = mixtureName((*metadata)->integer("general.file_type").value_or(-1));
    facts.architecture = shown((*metadata)->string("general.architecture").value_or(""));
  }
  if (facts.kind != ModelKind::kModel) return facts;
  const auto summary = inspect_model(path);
  if (summary) {
    describe(*summary, facts);
  } else {
    facts.obstacle = shownError(summary.error());
  }
  return facts;
}

}  // namespace

ModelFacts readModelFacts(const QString& path) try {
  ModelFacts facts = read(fs::path(path.toStdU16String()), QFileInfo(path).fileName());
  if (facts.fileBytes == 0) facts.fileBytes = static_cast<quint64>(QFileInfo(path).size());
  return facts;
} catch (const std::bad_alloc&) {
  ModelFacts facts;
  facts.obstacle =
      make_error(ErrorCode::kOutOfMemory,
                 "There is not enough memory to read what this file says about itself.");
  return facts;
}

QString modelReaderVersion() {
  return QStringLiteral("2 ") + QCoreApplication::applicationVersion();
}

}  // namespace quire
