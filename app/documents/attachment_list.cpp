#include "app/documents/attachment_list.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>

#include <algorithm>
#include <utility>

#include "app/size_text.h"
#include "app/store/visible_string.h"
#include "app/transfer/file_dialogs.h"

namespace quire {
namespace {

/// Text with more characters for each token of the context certainly exceeds it. It is not counted,
/// because that would block the engine.
constexpr qsizetype kMaxCharactersPerToken = 16;
constexpr int kUsualCharactersPerToken = 4;

}  // namespace

bool isSameFiles(const QList<AttachmentRecord>& a, const QList<AttachmentRecord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), isSameFile);
}

AttachmentList::AttachmentList(ChatBackend& backend, ModelManager& models, QObject* parent)
    : RoleListModel(parent), m_backend(backend), m_models(models) {
  setRoles({{kName, "name", [this](int row) { return visibleString(m_items[row].record.name); }},
            {kDetail, "detail", [this](int row) { return detailOf(m_items[row]); }},
            {kIsReading, "isReading", [this](int row) { return m_items[row].isReading; }},
            {kIsProblem, "isProblem", [this](int row) {
               return !m_items[row].error.isEmpty() || isTooLarge(m_items[row]);
             }}});
  m_pool.setMaxThreadCount(1);
  connect(&models, &ModelManager::stateChanged, this, &AttachmentList::onModelChanged);
  connect(&models, &ModelManager::modelsChanged, this, &AttachmentList::onModelChanged);
}

AttachmentList::~AttachmentList() {
  for (const Item& item : m_items) *item.cancelled = true;
  m_pool.clear();
  m_pool.waitForDone();
}

QString AttachmentList::detailOf(const Item& item) const {
  if (item.isReading) return tr("Reading…");
  if (!item.error.isEmpty()) return item.error;
  const QLocale locale;
  if (item.record.tokens == 0) return sizeText(static_cast<quint64>(item.record.bytes));
  const QString tokens = locale.toString(item.record.tokens);
  if (!isTooLarge(item)) return tr("≈ %1 tokens").arg(tokens);
  return tr("≈ %1 tokens, too large (limit %2)").arg(tokens, locale.toString(contextLength()));
}

bool AttachmentList::accepts(const QList<QUrl>& urls) {
  return !urls.isEmpty() && std::all_of(urls.cbegin(), urls.cend(), [](const QUrl& url) {
    return url.isLocalFile() && !url.path().endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
  });
}

bool AttachmentList::mayAsk() {
  m_refusal = fileDialogFault();
  emit changed();
  return m_refusal.isEmpty();
}

void AttachmentList::add(const QList<QUrl>& urls) {
  m_refusal.clear();
  for (const QUrl& url : urls) {
    if (!url.isLocalFile()) {
      m_refusal = tr("Only files on this computer can be attached.");
      continue;
    }
    if (count() >= kMaxFiles) {
      m_refusal = tr("You can attach up to %1 files to a message.").arg(kMaxFiles);
      break;
    }
    Item item;
    item.record.name = url.fileName();
    beginInsertRows({}, count(), count());
    read(item, url.toLocalFile());
    m_items.append(item);
    endInsertRows();
  }
  emit changed();
}

bool AttachmentList::addFromClipboard() {
  const QMimeData* held = QGuiApplication::clipboard()->mimeData();
  const QList<QUrl> urls = held ? held->urls() : QList<QUrl>();
  if (!accepts(urls)) return false;
  add(urls);
  return true;
}

void AttachmentList::read(Item& item, const QString& path) {
  item.number = ++m_lastNumber;
  item.isReading = true;
  // The destructor waits for the pool, so `this` outlives the job.
  m_pool.start([this, path, number = item.number, cancelled = item.cancelled] {
    if (*cancelled) return;
    const auto file =
        std::make_shared<const Result<FileText>>(AttachmentFile::read(path, *cancelled));
    QMetaObject::invokeMethod(
        this, [this, number, file] { onRead(number, *file); }, Qt::QueuedConnection);
  });
}

void AttachmentList::onRead(quint64 number, const Result<FileText>& file) {
  const qsizetype row = rowOf(number);
  if (row < 0) return;
  Item& item = m_items[row];
  item.isReading = false;
  if (file) {
    item.record = {file->name, file->mediaType, file->bytes, file->text};
  } else {
    item.error = visibleString(QString::fromStdString(file.error().message));
  }
  refresh(row);
  countNext();
}

/// The model of that path if it can count tokens now; empty: there is none, or it is not loaded
/// yet.
QString AttachmentList::counterOf(const QString& modelPath) const {
  const bool isPrimary = modelPath.isEmpty();
  if (isPrimary && m_models.state() != ModelManager::State::Ready) return {};
  for (const ModelState& model : m_models.models()) {
    const bool isIt = isPrimary ? model.primary : model.path == modelPath;
    if (isIt) return model.serving ? model.path : QString();
  }
  return isPrimary ? m_models.modelName() : QString();
}

/// The path of the first model that can count; the first one's if none can.
QString AttachmentList::findCountingModel() const {
  const auto found = std::ranges::find_if(
      m_modelPaths, [this](const QString& path) { return !counterOf(path).isEmpty(); });
  return found == m_modelPaths.cend() ? m_modelPaths.first() : *found;
}

/// The context length of a model in tokens; 0: not known.
int AttachmentList::contextLengthOf(const QString& modelPath) const {
  if (modelPath.isEmpty()) return m_models.contextLength();
  for (const ModelState& model : m_models.models()) {
    if (model.path == modelPath) return model.contextLength;
  }
  return 0;
}

/// The longest context of the models; 0: that of one is not known.
int AttachmentList::contextLength() const {
  int longest = 0;
  for (const QString& path : m_modelPaths) {
    const int length = contextLengthOf(path);
    if (length == 0) return 0;
    longest = std::max(longest, length);
  }
  return longest;
}

void AttachmentList::setModels(const QStringList& paths) {
  if (paths == m_modelPaths || paths.isEmpty()) return;
  m_modelPaths = paths;
  onModelChanged();
}

/// Counts again with another model. A question to a model that was unloaded gets no reply.
void AttachmentList::onModelChanged() {
  if (m_items.isEmpty() && !m_question) return;
  const QString counter = counterOf(findCountingModel());
  if (m_question && counter != m_counter) {
    m_question.reset();
    if (const qsizetype row = rowOf(m_countedItem); row >= 0) m_items[row].isCounted = false;
  }
  const bool isAnother = !counter.isEmpty() && !m_counter.isEmpty() && counter != m_counter;
  if (isAnother && !m_keepsCounts) {
    for (Item& item : m_items) item.isCounted = false;
  }
  if (const int length = contextLength(); std::exchange(m_shownLength, length) != length) {
    announceRows();
    emit changed();
  }
  countNext();
}

/// Asks one question at a time.
void AttachmentList::countNext() {
  const QString model = findCountingModel();
  const QString counter = counterOf(model);
  if (m_question || counter.isEmpty()) return;
  m_counter = counter;
  for (Item& item : m_items) {
    if (item.isCounted || !item.isRead()) continue;
    item.isCounted = true;
    const qsizetype length = item.record.text.size();
    if (length > kMaxCharactersPerToken * contextLengthOf(model)) {
      item.record.tokens = static_cast<int>(length / kUsualCharactersPerToken);
      refresh(rowOf(item.number));
      continue;
    }
    ChatRequest request;
    request.turns = {{QStringLiteral("user"), item.record.text, {}}};
    request.modelPath = model;
    m_countedItem = item.number;
    m_question = m_backend.forecast(
        request, {this, [this](const ContextForecast& forecast) { onForecast(forecast); }});
    return;
  }
}

void AttachmentList::onForecast(const ContextForecast& forecast) {
  m_question.reset();
  const qsizetype row = rowOf(m_countedItem);
  if (forecast.contextTokens == 0) {  // The model was being unloaded: ask the next one.
    if (row >= 0) m_items[row].isCounted = false;
    return;
  }
  if (row >= 0) {
    m_items[row].record.tokens = forecast.promptTokens;
    refresh(row);
  }
  countNext();
}

void AttachmentList::remove(int row) {
  if (row < 0 || row >= numRows()) return;
  *m_items[row].cancelled = true;
  if (hiddenCount() > 0) {  // The first of them gets a row.
    QList<Item> others = m_items;
    others.removeAt(row);
    return show(others);
  }
  beginRemoveRows({}, row, row);
  m_items.removeAt(row);
  m_refusal.clear();
  endRemoveRows();
  emit changed();
}

void AttachmentList::setRecords(const QList<AttachmentRecord>& records) {
  if (m_items.isEmpty() && records.isEmpty()) return;
  for (const Item& item : m_items) *item.cancelled = true;
  show(toItems(records));
}

void AttachmentList::show(const QList<Item>& items) {
  beginResetModel();
  m_items = items;
  m_refusal.clear();
  endResetModel();
  emit changed();
}

void AttachmentList::prepend(const QList<AttachmentRecord>& records) {
  if (records.isEmpty()) return;
  show(toItems(records) + m_items);
  countNext();
}

QList<AttachmentList::Item> AttachmentList::toItems(const QList<AttachmentRecord>& records) {
  QList<Item> items;
  for (const AttachmentRecord& record : records) {
    Item item;
    item.number = ++m_lastNumber;
    item.record = record;
    item.isCounted = record.tokens > 0;
    items.append(item);
  }
  return items;
}

QList<AttachmentRecord> AttachmentList::records() const {
  QList<AttachmentRecord> records;
  for (const Item& item : m_items) {
    if (item.isRead()) records.append(item.record);
  }
  return records;
}

const AttachmentRecord* AttachmentList::find(int row) const {
  const bool isThere = row >= 0 && row < count() && m_items[row].isRead();
  return isThere ? &m_items[row].record : nullptr;
}

qsizetype AttachmentList::characters() const {
  qsizetype sum = 0;
  for (const Item& item : m_items) sum += item.record.text.size();
  return sum;
}

bool AttachmentList::isReading() const {
  return std::any_of(m_items.cbegin(), m_items.cend(),
                     [](const Item& item) { return item.isReading; });
}

bool AttachmentList::isTooLarge(const Item& item) const {
  const int context = contextLength();
  return context > 0 && item.record.tokens >= context;
}

int AttachmentList::totalTokens() const {
  qint64 sum = 0;
  for (const Item& item : m_items) sum += item.record.tokens;
  return static_cast<int>(std::min<qint64>(sum, std::numeric_limits<int>::max()));
}

QString AttachmentList::problem() const {
  for (const Item& item : m_items) {
    if (!item.error.isEmpty())
      return tr("Remove %1, which could not be read.").arg(visibleString(item.record.name));
  }
  if (fits()) return {};
  const QLocale locale;
  return tr("The files have ≈ %1 tokens (limit %2). Remove files, or attach a shorter excerpt.")
      .arg(locale.toString(totalTokens()), locale.toString(contextLength()));
}

QString AttachmentList::note() const {
  const QString found = problem();
  return found.isEmpty() ? m_refusal : found;
}

void AttachmentList::refresh(qsizetype row) {
  const QModelIndex at = index(static_cast<int>(row));
  if (at.isValid()) emit dataChanged(at, at);
  emit changed();
}

qsizetype AttachmentList::rowOf(quint64 number) const {
  const auto found = std::ranges::find(m_items, number, &Item::number);
  return found == m_items.cend() ? -1 : found - m_items.cbegin();
}

}  // namespace quire
