#include "app/hub/hub_replies.h"

#include <QRegularExpression>
#include <nlohmann/json.hpp>

#include "app/model_names.h"
#include "engine/io/json_file.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonLimits kReplyLimits = {
    .max_bytes = kMostReplyBytes, .max_depth = 16, .max_values = 500'000};

Error clause(std::string why) {
  return Error{ErrorCode::kCorruptFile, std::move(why)};
}

Result<Json> parse(const QByteArray& body) {
  return parse_input({body.constData(), static_cast<size_t>(body.size())}, "it", kReplyLimits);
}

/// The member, or null.
const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

QString text(const Json& value, qsizetype most = 1000) {
  if (!value.is_string()) return {};
  return QString::fromStdString(value.get_ref<const std::string&>()).left(most);
}

/// A whole number from 0 to `most`; -1 for anything else.
qint64 count(const Json& value, qint64 most = kMostFileBytes) {
  if (!value.is_number_integer()) return -1;
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return number <= static_cast<uint64_t>(most) ? static_cast<qint64>(number) : -1;
  }
  const auto number = value.get<int64_t>();
  return number >= 0 && number <= most ? number : -1;
}

/// The licence in the tags, "license:mit", or of the model's card.
QString licenseOf(const Json& model) {
  const Json& tags = member(model, "tags");
  if (tags.is_array()) {
    for (const Json& tag : tags) {
      const QString label = text(tag, 200);
      if (label.startsWith(QLatin1String("license:"))) return label.mid(8);
    }
  }
  return text(member(member(model, "cardData"), "license"), 200);
}

/// `false`, or how consent is given.
bool isGated(const Json& model) {
  const Json& gated = member(model, "gated");
  return gated.is_boolean() ? gated.get<bool>() : gated.is_string();
}

std::string sizeFault(const Json& size, const std::string& of) {
  if (size.is_null()) return "the size of " + of + " is missing";
  if (!size.is_number()) return "the size of " + of + " is no number";
  if (size < 0) return "the size of " + of + " is negative";
  return "the size of " + of + " is " + size.dump() + " bytes, and no file may have more than " +
         std::to_string(kMostFileBytes);
}

std::string hashFault(const Json& hash, const std::string& of) {
  return "the hash of " + of + (hash.is_null() ? " is missing" : " is no hash");
}

Result<HubFile> readEntry(const Json& entry) {
  HubFile file{.path = text(member(entry, "path"))};
  const Json& lfs = member(entry, "lfs");
  const bool isLarge = lfs.is_object();
  file.bytes = count(member(isLarge ? lfs : entry, "size"));
  file.hash = {isLarge ? FileHash::Kind::kSha256 : FileHash::Kind::kGitSha1,
               text(member(isLarge ? lfs : entry, "oid"), 100).toLatin1()};
  if (file.path.isEmpty()) return clause("a file has no name");
  const std::string name = file.path.toStdString();
  if (file.bytes < 0) return clause(sizeFault(member(isLarge ? lfs : entry, "size"), name));
  if (!isHex(file.hash.hex, isLarge ? 64 : 40)) {
    return clause(hashFault(member(isLarge ? lfs : entry, "oid"), name));
  }
  return file;
}

bool isHidden(const QString& path) {
  return path.startsWith(u'.') || path.contains(QLatin1String("/."));
}

/// The name of a layer's file by its type; empty: it is not needed.
QString layerName(const QString& type, const QString& stem) {
  static const QString kPrefix = QStringLiteral("application/vnd.ollama.image.");
  if (!type.startsWith(kPrefix)) return {};
  const QString kind = type.mid(kPrefix.size());
  if (kind == QLatin1String("model")) return stem + QLatin1String(".gguf");
  if (kind == QLatin1String("projector")) return QStringLiteral("mmproj-%1.gguf").arg(stem);
  if (kind == QLatin1String("license")) return QStringLiteral("LICENSE.txt");
  if (kind == QLatin1String("template")) return QStringLiteral("template.txt");
  if (kind == QLatin1String("system")) return QStringLiteral("system.txt");
  if (kind == QLatin1String("params")) return QStringLiteral("params.json");
  if (kind == QLatin1String("messages")) return QStringLiteral("messages.json");
  return {};
}

/// Of an Ollama model; the usual ones have fewer than ten.
constexpr qsizetype kMostLayers = 64;

/// "LICENSE-2.txt" for the second of that name.
QString uniqueName(const QString& name, const QList<HubFile>& files) {
  QString unique = name;
  const auto isKnown = [&](const HubFile& file) { return file.path == unique; };
  for (int i = 2; std::ranges::any_of(files, isKnown); ++i) {
    const qsizetype dot = name.lastIndexOf(u'.');
    unique = name.left(dot) + u'-' + QString::number(i) + name.mid(dot);
  }
  return unique;
}

}  // namespace

Result<QList<HubEntry>> readSearch(const QByteArray& body) {
  const Result<Json> json = parse(body);
  if (!json) return json.error();
  if (!json->is_array()) return clause("it is not a list of models");
  QList<HubEntry> entries;
  for (const Json& model : *json) {
    if (entries.size() == kMostFound) break;
    HubEntry entry{.name = text(member(model, "id"), 200)};
    entry.downloads = std::max<qint64>(count(member(model, "downloads")), 0);
    entry.license = licenseOf(model);
    entry.isGated = isGated(model);
    if (!entry.name.isEmpty()) entries.append(entry);
  }
  return entries;
}

Result<HubModel> readModelInfo(const QByteArray& body) {
  const Result<Json> json = parse(body);
  if (!json) return json.error();
  HubModel model;
  model.name = text(member(*json, "id"), 200);
  model.revision = text(member(*json, "sha"), 100);
  if (!isHex(model.revision.toLatin1(), 40)) return clause("the model's revision is missing");
  model.license = licenseOf(*json);
  model.isGated = isGated(*json);
  return model;
}

Result<void> readTree(const QByteArray& body, QList<HubFile>& files) {
  const Result<Json> json = parse(body);
  if (!json) return json.error();
  if (!json->is_array()) return clause("it is not a list of files");
  for (const Json& entry : *json) {
    if (text(member(entry, "type")) != QLatin1String("file")) continue;
    if (isHidden(text(member(entry, "path")))) continue;
    const Result<HubFile> file = readEntry(entry);
    if (!file) return file.error();
    if (files.size() >= kMostHubFiles) return clause("it lists too many files");
    files.append(*file);
  }
  return {};
}

QByteArray nextPage(const QByteArray& link) {
  static const QRegularExpression kNext(
      QStringLiteral("<([^<>\\s]{1,4000})>\\s*;\\s*rel=\"?next\"?"));
  return kNext.match(QString::fromLatin1(link.left(16'000))).captured(1).toLatin1();
}

Result<QList<HubFile>> readManifest(const QByteArray& body, const QString& stem) {
  const Result<Json> json = parse(body);
  if (!json) return json.error();
  const Json& layers = member(*json, "layers");
  if (!layers.is_array() || layers.size() > 1000) return clause("it is not a manifest");
  QList<HubFile> files;
  int numModels = 0;
  for (const Json& layer : layers) {
    const QString type = text(member(layer, "mediaType"), 200);
    if (type.startsWith(QLatin1String("application/vnd.ollama.image.adapter"))) {
      return clause("it is an adapter of another model, which Quire gets as a file or folder only");
    }
    const QString name = layerName(type, stem);
    if (name.isEmpty()) continue;
    if (files.size() == kMostLayers) return clause("it has too many layers");
    const QString digest = text(member(layer, "digest"), 100);
    const QByteArray hex = digest.mid(7).toLatin1();
    const qint64 bytes = count(member(layer, "size"));
    const std::string of = name.toStdString();
    if (bytes < 0) return clause(sizeFault(member(layer, "size"), of));
    if (!digest.startsWith(QLatin1String("sha256:")) || !isHex(hex, 64)) {
      return clause(hashFault(member(layer, "digest"), of));
    }
    if (type.endsWith(QLatin1String(".model"))) ++numModels;
    files.append({uniqueName(name, files), bytes, {FileHash::Kind::kSha256, hex}, {}});
  }
  if (numModels != 1) return clause("it does not hold one model as a GGUF file");
  return files;
}

}  // namespace quire
