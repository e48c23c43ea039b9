#include "app/models/model_library.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <utility>

#include "app/models/model_labels.h"
#include "app/size_text.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr int kMostAtOnce = 100;  ///< Cards created in one event; takes some milliseconds.
constexpr int kArrangeMs = 500;   ///< The least interval of sorting during a scan.
constexpr int kMostRecent = 8;
constexpr int kMostReasons = 12;  ///< Lines of a tooltip.

/// Whether a folder is meant to be a model, though it may be a damaged one. Repositories of GGUF
/// files, each of them a model, may have a configuration too.
bool isModelFolder(const QString& folder) {
  const QDir files(folder);
  if (!files.entryList({QStringLiteral("*.gguf")}, QDir::Files).isEmpty()) return false;
  return files.exists(QStringLiteral("config.json")) ||
         files.exists(QStringLiteral("adapter_config.json"));
}

}  // namespace

ModelLibrary::ModelLibrary(ModelManager& manager, DataSession& session,
                           GenerationDefaults& settings, QObject* parent)
    : QObject(parent),
      m_manager(manager),
      m_settings(session),
      m_cards(manager, session, settings),
      m_files(manager, m_cards, session),
      m_remote(session) {
  connectFiles();
  settings.setRemote(&m_remote);
  connect(&m_cards, &CardCache::changed, this, &ModelLibrary::arrange);
  connect(&m_cards, &CardCache::primaryReady, this, [this](const QString& path) {
    m_settings.setLastModel(path);
    updateLoadNotice();
    arrange();
  });
  m_adding.setSingleShot(true);
  connect(&m_adding, &QTimer::timeout, this, &ModelLibrary::addSomeFound);
  connect(&m_picker, &FolderPicker::picked, this, &ModelLibrary::addFolder);
  connect(&m_picker, &FolderPicker::unavailable, this, [this] {
    m_typesFolder = true;
    emit foldersChanged();
  });
  connect(&m_quantizer, &ModelQuantizer::written, this, &ModelLibrary::addWritten);
  m_quantizer.setFallbackFolder([this] { return folders().value(0, QDir::homePath()); });
  connect(&m_cards, &CardCache::unknownModel, this, [this](const QString& path) {
    if (m_scanner && !m_inspecting.contains(path)) inspect(path);
  });
}

void ModelLibrary::setScanner(std::unique_ptr<ModelScanner> scanner) {
  m_scanner = std::move(scanner);
  ModelScanner* source = m_scanner.get();
  connect(source, &ModelScanner::scanStarted, this, &ModelLibrary::scanChanged);
  connect(source, &ModelScanner::modelsFound, this, &ModelLibrary::onFound);
  connect(source, &ModelScanner::inspected, this, &ModelLibrary::onInspected);
  connect(source, &ModelScanner::scanFinished, this, &ModelLibrary::onScanFinished);
  connect(source, &ModelScanner::filesLeftOut, this, [this](const QList<LeftOutFile>& files) {
    m_leftOut += files;
    emit scanChanged();
  });
}

void ModelLibrary::load() {
  const int sort = std::clamp(m_settings.sortChoice(), 0, 2);
  m_query.sort = static_cast<CardSort>(sort);
  m_query.opened = m_settings.opened();
  m_cards.load();
  m_remote.load();
  m_files.load();
  m_quantizer.setMemory(m_settings.quantizing(),
                        [this](const QString& started) { m_settings.setQuantizing(started); });
  emit queryChanged();
  emit foldersChanged();
  arrange();
}

QString ModelLibrary::primaryPath() const {
  for (const ModelCard* card : m_cards.all()) {
    if (card->isPrimary()) return card->path();
  }
  return {};
}

bool ModelLibrary::hasAside() const {
  return !folders().isEmpty() || !m_leftOut.isEmpty() || !m_settings.hidden().isEmpty();
}

void ModelLibrary::prepare() {
  m_cards.devices().prepare();
  if (std::exchange(m_prepared, true) || !m_scanner) return;
  if (QFileInfo::exists(m_offeredDraft)) inspect(m_offeredDraft);
  for (const QString& path : std::as_const(m_query.opened)) inspect(path);
  rescan();
}

void ModelLibrary::offerDraft(const QString& path) {
  m_offeredDraft = model_labels::normalPath(path);
}

void ModelLibrary::inspect(const QString& path) {
  m_inspecting.insert(path);
  m_gone.remove(path);
  m_scanner->inspect(path);
}

void ModelLibrary::rescan() {
  if (!m_scanner) return;
  m_seen.clear();
  m_leftOut.clear();
  m_arrived.clear();
  m_finished.reset();
  m_scanner->scan(folders());
}

void ModelLibrary::onFound(const QList<FoundModel>& models) {
  m_arrived += models;
  if (!m_adding.isActive()) addSomeFound();
}

/// Creates up to kMostAtOnce cards; the timer continues after other events.
void ModelLibrary::addSomeFound() {
  const QList<FoundModel> models = m_arrived.mid(0, kMostAtOnce);
  m_arrived.remove(0, models.size());
  for (const FoundModel& model : models) {
    ModelCard* card = m_cards.card(model.path);
    card->setFound(model);
    card->keys();  // Computed here for a few cards at a time; sorting would compute all at once.
    m_seen.insert(card->path());
    m_gone.remove(card->path());
  }
  if (!m_arrived.isEmpty()) m_adding.start(0);
  const bool isTooSoon = m_sinceArranged.isValid() && m_sinceArranged.elapsed() < kArrangeMs;
  if (m_arrived.isEmpty() && m_finished) return endScan();
  if (!isScanning() || !isTooSoon) arrange();
}

void ModelLibrary::onInspected(const FoundModel& model) {
  if (model.path == m_offeredDraft) m_cards.offerDraft(model);
  if (model.path == m_offeredDraft && !m_toLoad.contains(model.path) && !m_cards.find(model.path)) {
    m_inspecting.remove(model.path);
    return m_cards.updateDrafts();
  }
  ModelCard* card = m_cards.card(model.path);
  m_inspecting.remove(card->path());
  FoundModel now = model;
  if (card->isFound() && !card->found().place.isEmpty()) {
    now = card->found();  // A scan has found its source and folder as well.
    now.facts = model.facts;
  } else if (const QString place = m_placeOf.value(card->path()); !place.isEmpty()) {
    now.source = QStringLiteral("Quire");
    now.place = place;
    m_seen.insert(card->path());  // A scan that runs may have passed the folder.
  }
  card->setFound(now);
  m_cards.updateDrafts();
  if (m_toLoad.remove(card->path())) loadInspected(*card, model.path);
  arrange();
}

void ModelLibrary::loadInspected(const ModelCard& card, const QString& path) {
  const QFileInfo info(card.path());
  const bool isQuiet = m_quiet.remove(card.path());
  if (card.hasObstacle()) {
    return QFileInfo(path).isDir() && !isModelFolder(path)
               ? setNotice(tr("%1 is a folder, not a model. Add it to list the models inside.")
                               .arg(info.fileName()),
                           card.path())
               : setNotice(card.obstacle(), {});
  }
  if (!isQuiet) {
    setNotice(tr("Loading %1 from its current folder.").arg(card.name()), info.path());
    m_noticeModel = card.path();
  }
  use(card.path());
}

/// What the notice says of a load ends with it. Its folder can still be added then.
void ModelLibrary::updateLoadNotice() {
  const ModelCard* const card = m_noticeModel.isEmpty() ? nullptr : m_cards.find(m_noticeModel);
  if (card == nullptr || card->isLoading()) return;
  if (!card->error().isEmpty()) return dismissNotice();  // The card says why.
  if (!card->isServing()) return;
  if (noticeAction().isEmpty()) return dismissNotice();
  setNotice(tr("%1 is loaded from its current folder.").arg(card->name()), m_noticeFolder);
}

void ModelLibrary::onScanFinished(const ScanReport& report) {
  m_finished = report;
  if (m_arrived.isEmpty()) endScan();
}

void ModelLibrary::endScan() {
  const ScanReport report = *std::exchange(m_finished, std::nullopt);
  m_limited = report.limited;
  if (!report.cancelled) {
    QSet<QString> kept = m_seen;
    for (const QString& path : std::as_const(m_query.opened)) kept.insert(path);
    m_cards.keepOnly(kept);
  }
  m_cards.updateDrafts();
  arrange();
}

void ModelLibrary::arrange() {
  m_sinceArranged.start();
  const QStringList hidden = m_settings.hidden();
  QList<ModelCard*> shown;
  for (ModelCard* card : m_cards.all()) {
    const bool wanted = (card->isFound() || card->hasState()) && !isGone(*card);
    if (wanted && (card->hasState() || !hidden.contains(card->path()))) shown.append(card);
  }
  m_numShown = static_cast<int>(shown.size());
  m_numOwn =
      m_numShown - static_cast<int>(std::ranges::count_if(shown, &ModelCard::isDemonstration));
  updateLoadNotice();
  m_list.setRows(ordered(shown, m_query));
  m_recent.setRows(quire::recent(shown, kMostRecent, m_pickerSearch));
  emit scanChanged();
}

void ModelLibrary::setSearch(const QString& search) {
  if (search == m_query.search) return;
  m_query.search = search;
  emit queryChanged();
  arrange();
}

void ModelLibrary::setPickerSearch(const QString& search) {
  if (search == m_pickerSearch) return;
  m_pickerSearch = search;
  arrange();
  emit pickerChanged();
}

void ModelLibrary::setSortChoice(int choice) {
  const auto sort = static_cast<CardSort>(std::clamp(choice, 0, 2));
  if (sort == m_query.sort) return;
  m_query.sort = sort;
  m_settings.setSortChoice(choice);
  emit queryChanged();
  arrange();
}

QString ModelLibrary::countText() const {
  return m_list.count() > 0 ? QLocale().toString(m_list.count()) : QString();
}

QString ModelLibrary::summaryText() const {
  quint64 bytes = 0;
  const int models = m_list.count();
  for (int row = 0; row < models; ++row) bytes += m_list.cardAt(row)->found().facts.fileBytes;
  const QString count = tr("%n model(s)", nullptr, models);
  if (isScanning()) return tr("%1 so far, scanning…").arg(count);
  if (m_limited) return tr("%1 · a folder was too large to scan completely").arg(count);
  return models == 0 ? QString() : tr("%1 · %2 on disk").arg(count, sizeText(bytes));
}

QString ModelLibrary::leftOutText() const {
  if (m_leftOut.isEmpty()) return {};
  return tr("%n file(s) skipped", nullptr, static_cast<int>(m_leftOut.size()));
}

QString ModelLibrary::leftOutHint() const {
  QStringList lines;
  for (const LeftOutFile& file : m_leftOut.mid(0, kMostReasons))
    lines += visibleLine(QFileInfo(file.path).fileName() + QStringLiteral(": ") + file.reason);
  if (m_leftOut.size() > kMostReasons)
    lines += tr("and %1 more").arg(m_leftOut.size() - kMostReasons);
  return lines.join(u'\n');
}

QString ModelLibrary::hiddenText() const {
  const qsizetype hidden = m_settings.hidden().size();
  if (hidden == 0) return {};
  return tr("%n model(s) removed from this list", nullptr, static_cast<int>(hidden));
}

}  // namespace quire
