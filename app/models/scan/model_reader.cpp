#include "app/models/scan/model_reader.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>

#include <filesystem>
#include <new>

#include "app/inspect/facts_request.h"

namespace quire {
namespace {

constexpr qsizetype kMaxText = 60;
constexpr qsizetype kMaxSentence = 600;
constexpr qsizetype kMaxHash = 64;

QString shown(const QString& text, qsizetype most = kMaxText) {
  QString cut = text.left(most);
  if (!cut.isEmpty() && cut.back().isHighSurrogate()) cut.chop(1);  // Half a character.
  return cut.simplified();
}

std::string shownSentence(const std::string& text) {
  return shown(QString::fromStdString(text), kMaxSentence).toStdString();
}

}  // namespace

/// Errors quote texts of the file, so they are cut too.
Error shownError(Error error) {
  error.message = shownSentence(error.message);
  for (std::string& argument : error.arguments) argument = shownSentence(argument);
  return error;
}

void cutTexts(ModelFacts& facts) {
  facts.architecture = shown(facts.architecture);
  facts.quantisation = shown(facts.quantisation);
  facts.format = shown(facts.format);
  facts.vocabulary = shown(facts.vocabulary, kMaxHash);
  facts.obstacle = shownError(std::move(facts.obstacle));
}

ModelFacts readModelFacts(const QString& path) try {
  const std::string json = facts_of(std::filesystem::path(path.toStdU16String()));
  ModelFacts facts =
      factsFromJson(QJsonDocument::fromJson(QByteArray::fromStdString(json)).object())
          .value_or(ModelFacts());
  cutTexts(facts);
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
  return QStringLiteral("4 ") + QCoreApplication::applicationVersion();
}

}  // namespace quire
