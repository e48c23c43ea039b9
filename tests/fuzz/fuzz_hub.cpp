#include <QSet>

#include <algorithm>

#include "app/hub/download_plan.h"
#include "app/hub/hub_replies.h"
#include "app/hub/safe_path.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace quire::fuzz {
namespace {

bool isBetween(qint64 value, qint64 most) {
  return value >= 0 && value <= most;
}

void check_files(const QList<HubFile>& files) {
  require(files.size() <= kMostHubFiles, "more files than are allowed");
  for (const HubFile& file : files) {
    require(!file.path.isEmpty(), "a file without a name");
    require(isBetween(file.bytes, kMostFileBytes), "a size out of bounds");
    const bool isSha256 = file.hash.kind == FileHash::Kind::kSha256;
    require(file.hash.hex.size() == (isSha256 ? 64 : 40), "a hash of another length");
  }
}

/// Whatever is chosen, nothing is written outside of its folder, and no two files are one.
void check_plan(const HubModel& model, const ModelChoice& choice) {
  const auto plan = planDownload(model, choice, QStringLiteral("/models"));
  if (!plan) return;
  require(isSafePath(plan->target), "a target that leaves its folder");
  require(isBetween(plan->bytes(), kMostFileBytes), "a plan that is too large");
  QSet<QString> names;
  for (const PlannedFile& file : plan->files) {
    require(isSafePath(file.path), "a file that leaves its folder");
    require(!names.contains(file.path.toLower()), "two files with one name");
    names.insert(file.path.toLower());
  }
}

void check_model(const QList<HubFile>& files, HubName::Hub hub) {
  check_files(files);
  const HubModel model{.hub = hub, .name = QStringLiteral("org/repo"), .files = files};
  for (const ModelChoice& choice : choicesOf(model)) check_plan(model, choice);
  static_cast<void>(chooseFiles(model, {}));
  static_cast<void>(chooseProjector(model));
}

/// What a user pastes may be a stranger's too.
void check_name(const QString& typed) {
  const auto name = readHubName(typed);
  if (!name) return;
  require(isSafeName(name->owner) && isSafeName(name->model), "an unsafe name");
  const bool isOllama = name->hub == HubName::Hub::kOllama;
  const QString whole =
      (isOllama ? QStringLiteral("ollama:") : QStringLiteral("hf:")) +
      (isOllama ? name->owner + u'/' + name->model + u':' + name->tag : name->text());
  const auto again = readHubName(whole);
  require(again && *again == *name, "a name that reads as another");
}

}  // namespace

void fuzz_hub(std::string_view bytes) {
  const QByteArray body(bytes.data(), static_cast<qsizetype>(bytes.size()));
  if (const auto entries = readSearch(body)) {
    for (const HubEntry& entry : *entries) {
      require(!entry.name.isEmpty() && entry.name.size() <= 200, "a name without bounds");
      require(entry.downloads >= 0, "a negative count");
    }
  }
  if (const auto model = readModelInfo(body)) {
    require(model->revision.size() == 40, "a revision that is no commit");
  }
  QList<HubFile> tree;
  if (readTree(body, tree)) check_model(tree, HubName::Hub::kHuggingFace);
  if (const auto layers = readManifest(body, QStringLiteral("model"))) {
    check_model(*layers, HubName::Hub::kOllama);
  }
  require(nextPage(body).size() <= 4000, "an address without bounds");
  check_name(QString::fromUtf8(body.left(400)));
}

}  // namespace quire::fuzz
