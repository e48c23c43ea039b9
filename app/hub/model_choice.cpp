#include "app/hub/model_choice.h"

#include <QHash>
#include <QMap>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/hub/hub_problem.h"
#include "app/hub/safe_path.h"

namespace quire {
namespace {

/// The best first, of those that a user who names none probably wants.
const char* const kUsualTypes[] = {"Q4_K_M", "UD-Q4_K_XL", "Q4_K_S", "MXFP4",  "IQ4_XS", "Q4_0",
                                   "Q5_K_M", "Q5_K_S",     "Q6_K",   "Q8_0",   "Q3_K_M", "F16",
                                   "BF16",   "MXFP4_MOE",  "IQ4_NL", "Q3_K_L", "Q2_K"};

/// "model-00002-of-00003" with any extension.
struct PartName {
  QString stem;
  int part = 1;
  int count = 1;
};

PartName partOf(const QString& path) {
  static const QRegularExpression kPart(QStringLiteral("\\A(.*)-(\\d{5})-of-(\\d{5})\\.[a-z]+\\z"),
                                        QRegularExpression::CaseInsensitiveOption);
  const auto match = kPart.match(path);
  if (!match.hasMatch()) return {.stem = path};
  return {match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
}

/// Whether the files are all parts of a set, each once, or one file that is none.
bool isComplete(const QList<HubFile>& files) {
  QList<int> parts;
  for (const HubFile& file : files) parts.append(partOf(file.path).part);
  std::ranges::sort(parts);
  const int count = partOf(files.first().path).count;
  if (parts.size() != count) return false;
  for (int i = 0; i < count; ++i) {
    if (parts[i] != i + 1) return false;
  }
  return true;
}

/// The layers of an Ollama model beside its weights: its licence, template and parameters.
QList<HubFile> companionsOf(const HubModel& model) {
  QList<HubFile> companions;
  for (const HubFile& file : model.files) {
    if (!isGguf(file.path)) companions.append(file);
  }
  return companions;
}

/// Several files may have one type, and files in two folders may have one name.
void makeLabelsUnique(QList<ModelChoice>& choices) {
  for (const auto& longer : {&fileNameOf, +[](const QString& path) { return path; }}) {
    QHash<QString, int> uses;
    for (const ModelChoice& choice : std::as_const(choices)) ++uses[choice.label];
    for (ModelChoice& choice : choices) {
      if (uses.value(choice.label) > 1) choice.label = longer(choice.files.first().path);
    }
  }
}

QList<ModelChoice> ggufChoices(const HubModel& model) {
  QList<ModelChoice> choices;
  QMap<QString, qsizetype> sets;
  for (const HubFile& file : model.files) {
    const QString name = fileNameOf(file.path);
    if (!isGguf(name) || isProjector(name) || name.contains(QLatin1String("imatrix"))) continue;
    const PartName part = partOf(file.path);
    const QString set = part.stem + u'/' + QString::number(part.count);
    if (const auto known = sets.constFind(set); known != sets.cend()) {
      choices[*known].files.append(file);
      continue;
    }
    sets[set] = choices.size();
    const QString type = typeInName(name);
    choices.append({type.isEmpty() ? name : type, type, false, {file}});
  }
  erase_if(choices, [](const ModelChoice& choice) { return !isComplete(choice.files); });
  for (ModelChoice& choice : choices) {
    std::ranges::sort(choice.files, {}, &HubFile::path);
    if (model.hub == HubName::Hub::kOllama) choice.files += companionsOf(model);
  }
  makeLabelsUnique(choices);
  return choices;
}

/// Whether a file is a second copy of a folder's weights: in another precision, or in another
/// library's order.
bool isOtherCopy(const QString& name) {
  static const QRegularExpression kCopy(
      QStringLiteral("^(consolidated.*|.*\\.(fp16|fp32|bf16|int8|non_ema)(-\\d{5}-of-\\d{5})?)"
                     "\\.safetensors$"));
  return kCopy.match(name).hasMatch();
}

/// The files around the weights that a model may need, and its licence.
bool isCompanion(const QString& path) {
  static const QRegularExpression kCompanion(
      QStringLiteral("\\A([^/]+\\.(json|jinja|model|tiktoken)|(merges|vocab)\\.txt|"
                     "(LICENSE|LICENCE|NOTICE|USE_POLICY)[^/]*|\\d+_[A-Za-z]+/config\\.json|"
                     "\\d+_[A-Za-z]+/model\\.safetensors)\\z"));
  return kCompanion.match(path).hasMatch() && !path.endsWith(QLatin1String(".bin.index.json"));
}

/// Nothing, if the repository is no complete folder model.
QList<ModelChoice> folderChoices(const HubModel& model) {
  ModelChoice folder{QStringLiteral("safetensors"), {}, true, {}};
  QMap<QString, QList<HubFile>> sets;
  bool hasConfig = false;
  for (const HubFile& file : model.files) {
    const bool isWeights = !file.path.contains(u'/') && file.path.endsWith(".safetensors");
    if (isWeights && !isOtherCopy(file.path)) {
      sets[partOf(file.path).stem].append(file);
    } else if (!isCompanion(file.path)) {
      continue;
    }
    hasConfig = hasConfig || file.path == QLatin1String("config.json") ||
                file.path == QLatin1String("adapter_config.json");
    folder.files.append(file);
  }
  const bool areComplete = std::ranges::all_of(sets, isComplete);
  if (sets.isEmpty() || !hasConfig || !areComplete) return {};
  return {folder};
}

std::string listOf(const QList<ModelChoice>& choices) {
  QStringList labels;
  for (const ModelChoice& choice : choices) labels.append(choice.label);
  labels.removeDuplicates();
  return labels.mid(0, 40).join(QLatin1String(", ")).toStdString();
}

Result<ModelChoice> usualOf(const QList<ModelChoice>& choices, const HubModel& model) {
  if (choices.size() == 1) return choices.first();
  for (const char* type : kUsualTypes) {
    const auto found = std::ranges::find_if(choices, [type](const ModelChoice& choice) {
      return choice.type.compare(QLatin1String(type), Qt::CaseInsensitive) == 0;
    });
    if (found != choices.end()) return *found;
  }
  const bool isFolder = choices.first().isFolder;
  if (isFolder) return choices.first();
  return severalFiles(model.name.toStdString(), listOf(choices));
}

}  // namespace

qint64 ModelChoice::bytes() const {
  return std::accumulate(files.begin(), files.end(), qint64{0},
                         [](qint64 sum, const HubFile& file) { return sum + file.bytes; });
}

QString typeInName(const QString& path) {
  static const QRegularExpression kType(
      QStringLiteral("(?:^|[-._])((?:UD-)?(?:IQ|TQ|Q)\\d(?:_[0-9A-Z]+)*|MXFP4(?:_MOE)?|NVFP4|BF16|"
                     "F16|FP16|F32)(?=[-._]|$)"),
      QRegularExpression::CaseInsensitiveOption);
  QString type;
  for (auto types = kType.globalMatch(fileNameOf(path)); types.hasNext();) {
    type = types.next().captured(1).toUpper();
  }
  return type == QLatin1String("FP16") ? QStringLiteral("F16") : type;
}

QList<ModelChoice> choicesOf(const HubModel& model) {
  return ggufChoices(model) + folderChoices(model);
}

Result<ModelChoice> chooseFiles(const HubModel& model, const QString& tag) {
  const QList<ModelChoice> choices = choicesOf(model);
  if (choices.isEmpty()) {
    return make_error(ErrorCode::kUnsupported,
                      "%1 has neither a GGUF file nor a complete folder of safetensors. Choose "
                      "another model, such as one whose name ends with GGUF",
                      {model.name.toStdString()});
  }
  if (tag.isEmpty()) return usualOf(choices, model);
  const auto isNamed = [&](const ModelChoice& choice) {
    const QString& path = choice.files.first().path;
    return choice.label.compare(tag, Qt::CaseInsensitive) == 0 ||
           choice.type.compare(tag, Qt::CaseInsensitive) == 0 ||
           (!choice.isFolder && path == tag) ||
           (!choice.isFolder && (fileNameOf(path) == tag || partOf(path).stem == tag));
  };
  const auto found = std::ranges::find_if(choices, isNamed);
  if (found != choices.end()) return *found;
  return make_error(ErrorCode::kNotFound, "%1 has no \"%2\". It has %3",
                    {model.name.toStdString(), tag.toStdString(), listOf(choices)});
}

Result<HubFile> chooseProjector(const HubModel& model) {
  const HubFile* smallest = nullptr;
  for (const HubFile& file : model.files) {
    if (!isProjector(file.path)) continue;
    if (smallest == nullptr || file.bytes < smallest->bytes) smallest = &file;
  }
  if (smallest != nullptr) return *smallest;
  return make_error(ErrorCode::kNotFound, "%1 has no projector of images (mmproj)",
                    {model.name.toStdString()});
}

}  // namespace quire
