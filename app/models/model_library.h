#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <memory>
#include <optional>

#include "app/machine/bench_text.h"
#include "app/models/card_cache.h"
#include "app/models/folder_picker.h"
#include "app/models/library_settings.h"
#include "app/models/model_file_actions.h"
#include "app/models/model_list_model.h"
#include "app/models/model_quantizer.h"
#include "app/models/remote_models.h"
#include "app/models/scan/model_scanner.h"

namespace quire {

/// The library of models: the models found on this computer, sorted and filtered, the folders that
/// are searched, and models that are dropped onto the window.
///
/// Thread: the window's; files are read on the scanner's threads.
/// Invariants: without a scanner (setScanner) it has only the models of the manager.
class ModelLibrary : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ModelListModel* list READ list CONSTANT)
  Q_PROPERTY(quire::ModelListModel* recent READ recent CONSTANT)
  Q_PROPERTY(quire::EngineSettings* engineSettings READ engineSettings CONSTANT)
  Q_PROPERTY(quire::ModelQuantizer* quantizer READ quantizer CONSTANT)
  Q_PROPERTY(quire::RemoteModels* remote READ remote CONSTANT)
  Q_PROPERTY(quire::ModelFileActions* files READ files CONSTANT)
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY queryChanged)
  Q_PROPERTY(QString pickerSearch READ pickerSearch WRITE setPickerSearch NOTIFY pickerChanged)
  Q_PROPERTY(QString firstInPicker READ firstInPicker NOTIFY scanChanged)
  Q_PROPERTY(bool canSearchPicker READ canSearchPicker NOTIFY scanChanged)
  Q_PROPERTY(int sortChoice READ sortChoice WRITE setSortChoice NOTIFY queryChanged)
  Q_PROPERTY(bool scanning READ isScanning NOTIFY scanChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY scanChanged)
  Q_PROPERTY(bool hasNoneOfOwn READ hasNoneOfOwn NOTIFY scanChanged)
  Q_PROPERTY(bool foundNothing READ foundNothing NOTIFY scanChanged)
  Q_PROPERTY(QString summaryText READ summaryText NOTIFY scanChanged)
  Q_PROPERTY(QString countText READ countText NOTIFY scanChanged)
  Q_PROPERTY(QString leftOutText READ leftOutText NOTIFY scanChanged)
  Q_PROPERTY(QString leftOutHint READ leftOutHint NOTIFY scanChanged)
  Q_PROPERTY(QString hiddenText READ hiddenText NOTIFY scanChanged)
  Q_PROPERTY(QStringList folders READ folders NOTIFY foldersChanged)
  Q_PROPERTY(QString primaryPath READ primaryPath NOTIFY scanChanged)
  Q_PROPERTY(bool hasAside READ hasAside NOTIFY scanChanged)
  Q_PROPERTY(bool typesFolder READ typesFolder NOTIFY foldersChanged)
  Q_PROPERTY(QString folderProblem READ folderProblem NOTIFY foldersChanged)
  Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged)
  Q_PROPERTY(QString noticeAction READ noticeAction NOTIFY noticeChanged)

 public:
  ModelLibrary(ModelManager& manager, DataSession& session, GenerationDefaults& settings,
               QObject* parent = nullptr);

  /// Without a scanner nothing is searched, as in tests of the window.
  void setScanner(std::unique_ptr<ModelScanner> scanner);
  /// Offers a model as a draft model without listing it. It is read when the library is shown.
  void offerDraft(const QString& path);
  /// Reads the stored settings; the session is open.
  void load();
  void close() { m_cards.save(); }
  CardCache& cards() { return m_cards; }
  QString lastModel() const {
    return m_settings.lastModel();
  }  ///< In use when Quire was last closed.
  /// With the user's options.
  LoadRequest requestFor(const QString& path) { return m_cards.card(path)->options()->request(); }
  /// What a benchmark says of a model: nothing that its user named.
  BenchModel describe(const QString& path);
  void say(const QString& notice) { setNotice(notice, {}); }
  /// Lists a model that Quire wrote, wherever it lies.
  void addWritten(const QString& path);
  /// Lists a model that Quire downloaded. `place`: the folder of Quire's that it is in; empty: it
  /// is in another folder.
  void addDownloaded(const QString& path, const QString& place);
  /// Loads a downloaded model and makes it the primary one, without showing the page.
  void loadDownloaded(const QString& path);
  /// The largest model of the user's own that can be loaded and fits memory; null: there is none.
  const ModelCard* bestOfOwn() const;

  ModelListModel* list() { return &m_list; }
  ModelListModel* recent() { return &m_recent; }
  EngineSettings* engineSettings() { return &m_cards.engine(); }
  ModelQuantizer* quantizer() { return &m_quantizer; }
  RemoteModels* remote() { return &m_remote; }
  ModelFileActions* files() { return &m_files; }
  QString search() const { return m_query.search; }
  void setSearch(const QString& search);
  QString pickerSearch() const { return m_pickerSearch; }  ///< For recent().
  void setPickerSearch(const QString& search);
  QString firstInPicker() const {  ///< The path of recent()'s first; empty: it has none.
    return m_recent.count() > 0 ? m_recent.cardAt(0)->path() : QString();
  }
  /// There are more models than the header's menu lists.
  bool canSearchPicker() const {
    return m_numShown > m_recent.count() || !m_pickerSearch.isEmpty();
  }
  int sortChoice() const { return static_cast<int>(m_query.sort); }
  void setSortChoice(int choice);
  bool isScanning() const { return (m_scanner && m_scanner->isScanning()) || !m_arrived.isEmpty(); }
  bool isEmpty() const { return m_numShown == 0; }
  /// The user has no models yet: at most the one that comes with Quire is listed.
  bool hasNoneOfOwn() const { return m_numOwn == 0; }
  /// There are models, but none matches the search.
  bool foundNothing() const { return m_list.count() == 0 && !m_query.search.isEmpty(); }
  QString summaryText() const;
  QString countText() const;
  QString leftOutText() const;
  QString leftOutHint() const;
  QString hiddenText() const;
  QStringList folders() const { return m_settings.folders(); }
  QString primaryPath() const;  ///< Empty: there is no primary model.
  bool hasAside() const;  ///< Whether there are folders, skipped files or hidden models to show.
  bool typesFolder() const { return m_typesFolder; }         ///< There is no folder dialog.
  QString folderProblem() const { return m_folderProblem; }  ///< Why the typed folder is not added.
  QString notice() const { return m_notice; }
  QString noticeAction() const;

  /// The page or the menu is shown; the first call starts a scan.
  Q_INVOKABLE void prepare();
  Q_INVOKABLE void rescan();
  Q_INVOKABLE void toggleScan();
  Q_INVOKABLE void chooseFolder(const QString& title) { m_picker.pick(title); }
  Q_INVOKABLE void typeFolder(const QString& path);
  Q_INVOKABLE QString shortPath(const QString& path) const;  ///< "~/models".
  /// Whether all of these may be models: folders, or files with the extension .gguf.
  Q_INVOKABLE bool accepts(const QList<QUrl>& urls) const;
  Q_INVOKABLE void load(const QString& path);
  /// Reads a model in quarantine again.
  Q_INVOKABLE void tryAgain(const QString& path);
  Q_INVOKABLE void addFolder(const QUrl& folder);
  Q_INVOKABLE void removeFolder(const QString& folder);
  /// Loads files or folders from their current location.
  Q_INVOKABLE void open(const QList<QUrl>& urls);
  Q_INVOKABLE void hide(const QString& path);
  Q_INVOKABLE void showHidden();
  Q_INVOKABLE void acceptNotice();
  Q_INVOKABLE void dismissNotice() { setNotice({}, {}); }
  /// Makes a model the primary one; loads it if necessary.
  Q_INVOKABLE void use(const QString& path);

 signals:
  /// Chats that use the first path are to use the second from now on.
  void modelMoved(const QString& from, const QString& to);
  void opening();  ///< Files are about to be loaded; the models page shows their progress.
  void queryChanged();
  void scanChanged();
  void foldersChanged();
  void noticeChanged();
  void pickerChanged();

 private:
  void onFound(const QList<FoundModel>& models);
  void addSomeFound();
  void inspect(const QString& path);
  void endScan();
  void onInspected(const FoundModel& model);
  void onScanFinished(const ScanReport& report);
  void connectFiles();
  void forgetPath(const QString& path);
  void onMoved(const QString& from, const QString& to);
  bool isGone(const ModelCard& card) const;
  void setNotice(const QString& notice, const QString& folder);
  void loadInspected(const ModelCard& card, const QString& path);
  void updateLoadNotice();
  void arrange();

  ModelManager& m_manager;
  LibrarySettings m_settings;
  CardCache m_cards;
  ModelFileActions m_files;
  ModelQuantizer m_quantizer;
  RemoteModels m_remote;
  ModelListModel m_list;
  ModelListModel m_recent;
  CardQuery m_query;
  QString m_pickerSearch;
  QList<LeftOutFile> m_leftOut;
  QList<FoundModel> m_arrived;  ///< Found, but without a card yet.
  QTimer m_adding;              ///< Spreads the creation of many cards over several events.
  QElapsedTimer m_sinceArranged;
  std::optional<ScanReport> m_finished;  ///< The scan is over, but some models have no card yet.
  QSet<QString> m_seen;                  ///< Paths that the current scan has found.
  QSet<QString> m_gone;                  ///< Paths whose files were deleted or moved.
  QSet<QString> m_toLoad;                ///< To load as soon as they are inspected.
  QSet<QString> m_quiet;                 ///< Of them: those that are loaded without a notice.
  QHash<QString, QString> m_placeOf;     ///< The folder of Quire's, by downloaded paths.
  QString m_noticeModel;                 ///< The model whose loading the notice is about.
  int m_numShown = 0;                    ///< Cards, independent of the search.
  int m_numOwn = 0;                      ///< Of them: those that do not come with Quire.
  QString m_offeredDraft;                ///< The normal path of offerDraft()'s model; empty: none.
  QSet<QString> m_inspecting;            ///< Requested from the scanner.
  QString m_notice;
  QString m_noticeFolder;  ///< The folder that noticeAction() adds.
  FolderPicker m_picker;
  bool m_typesFolder = false;
  QString m_folderProblem;
  bool m_limited = false;
  bool m_prepared = false;
  std::unique_ptr<ModelScanner> m_scanner;
};

}  // namespace quire
