#include "app/server/api/model_directory.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace quire {

std::string ModelDirectory::nameOfPath(const std::string& path) {
  constexpr std::string_view kSuffix = ".gguf";
  std::filesystem::path file = std::filesystem::path(path).lexically_normal();
  if (!file.has_filename()) file = file.parent_path();
  std::string name = file.filename().string();
  if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) {
    name.resize(name.size() - kSuffix.size());
  }
  return name;
}

void ModelDirectory::set(Models models) {
  const std::lock_guard lock(m_mutex);
  std::map<std::string, std::string> known;  // Names by path.
  std::set<std::string> taken;
  for (const ListedModel& model : *m_models) known[model.path] = model.name;
  for (ListedModel& model : models) {
    const auto found = known.find(model.path);
    model.name = found == known.end() ? std::string() : found->second;
    if (!model.name.empty() && !taken.insert(model.name).second) model.name.clear();
  }
  for (ListedModel& model : models) {
    if (!model.name.empty()) continue;
    const std::string name = nameOfPath(model.path);
    model.name = name;
    for (int i = 2; !taken.insert(model.name).second; ++i) {
      model.name = name + "-" + std::to_string(i);
    }
  }
  m_models = std::make_shared<const Models>(std::move(models));
}

std::shared_ptr<const ModelDirectory::Models> ModelDirectory::models() const {
  const std::lock_guard lock(m_mutex);
  return m_models;
}

std::optional<ListedModel> ModelDirectory::find(const std::string& name) const {
  const auto all = models();
  if (all->empty()) return std::nullopt;
  if (name.empty()) return all->front();
  auto found = std::ranges::find(*all, name, &ListedModel::name);
  if (found == all->end()) found = std::ranges::find(*all, name, &ListedModel::path);
  return found == all->end() ? std::nullopt : std::optional(*found);
}

}  // namespace quire
