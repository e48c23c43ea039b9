#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>

#include "app/get_models/download_list.h"
#include "app/get_models/found_models.h"
#include "app/get_models/model_offers.h"
#include "app/get_models/offered_files.h"
#include "app/models/folder_picker.h"
#include "app/session/data_session.h"

namespace quire {

/// Finds models on hubs and downloads them: a search, then a model with its files, and the choices
/// for all downloads.
///
/// Thread: the window's.
/// Invariants: without an access (setAccess) it is not available. Nothing is asked of a hub before
/// the user searches, opens a model, or asks for the offers. Tokens are never in the store.
class GetModels : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isAvailable READ isAvailable NOTIFY changed)
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isAsking READ isAsking NOTIFY changed)
  Q_PROPERTY(bool showsFiles READ showsFiles NOTIFY changed)
  Q_PROPERTY(bool showsResults READ showsResults NOTIFY changed)
  Q_PROPERTY(bool showsOffers READ showsOffers NOTIFY changed)
  Q_PROPERTY(bool hasResults READ hasResults NOTIFY changed)
  Q_PROPERTY(QString text READ text WRITE setText NOTIFY changed)
  Q_PROPERTY(bool canSearch READ canSearch NOTIFY changed)
  Q_PROPERTY(QString askingText READ askingText NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(QString retryText READ retryText NOTIFY changed)
  Q_PROPERTY(bool searchIsNext READ searchIsNext NOTIFY changed)
  Q_PROPERTY(bool retryIsNext READ retryIsNext NOTIFY changed)
  Q_PROPERTY(bool offersAreNext READ offersAreNext NOTIFY changed)
  Q_PROPERTY(bool pageIsNext READ pageIsNext NOTIFY changed)
  Q_PROPERTY(bool tokenIsNext READ tokenIsNext NOTIFY changed)
  Q_PROPERTY(bool filesAreNext READ filesAreNext NOTIFY changed)
  Q_PROPERTY(bool isNext READ isNext NOTIFY nextChanged)
  Q_PROPERTY(QString failureText READ failureText NOTIFY nextChanged)
  Q_PROPERTY(bool needsToken READ needsToken NOTIFY changed)
  Q_PROPERTY(QString token READ token WRITE setToken NOTIFY changed)
  Q_PROPERTY(QString tokenNote READ tokenNote NOTIFY changed)
  Q_PROPERTY(QString keptTokenNote READ keptTokenNote NOTIFY changed)
  Q_PROPERTY(bool canOpenPage READ canOpenPage NOTIFY changed)
  Q_PROPERTY(bool headHasPage READ headHasPage NOTIFY changed)
  Q_PROPERTY(QString mirror READ mirror NOTIFY optionsChanged)
  Q_PROPERTY(QString usualHub READ usualHub NOTIFY optionsChanged)
  Q_PROPERTY(QString mirrorProblem READ mirrorProblem NOTIFY optionsChanged)
  Q_PROPERTY(QStringList limits READ limits CONSTANT)
  Q_PROPERTY(int limitIndex READ limitIndex NOTIFY optionsChanged)
  Q_PROPERTY(QString folder READ folder NOTIFY optionsChanged)
  Q_PROPERTY(QString folderProblem READ folderProblem NOTIFY optionsChanged)
  Q_PROPERTY(quire::FoundModels* results READ results CONSTANT)
  Q_PROPERTY(quire::OfferedFiles* files READ files CONSTANT)
  Q_PROPERTY(quire::DownloadList* downloads READ downloads CONSTANT)
  Q_PROPERTY(quire::ModelOffers* offers READ offers CONSTANT)

 public:
  explicit GetModels(DataSession& session, QObject* parent = nullptr);

  void setAccess(HubAccess* access);
  /// Reads the stored choices; the session is open. Downloads that were interrupted are listed.
  void load();

  bool isAvailable() const { return !m_access.isNull(); }
  bool isOpen() const { return m_isOpen; }
  bool isAsking() const { return static_cast<bool>(m_pending); }
  bool showsFiles() const { return m_view == View::kFiles; }
  bool showsResults() const { return m_view == View::kResults; }
  bool showsOffers() const;
  /// The page behind the sheet shows the offers; the sheet need not.
  void setOffersElsewhere(bool isElsewhere);
  bool hasResults() const { return m_results.count() > 0; }
  QString text() const { return m_text; }
  void setText(const QString& text);
  bool canSearch() const { return isAvailable() && !m_text.trimmed().isEmpty(); }
  QString askingText() const;  ///< Whom it asks; empty: nobody.
  QString note() const;        ///< That nothing was found; else empty.
  QString problem() const { return m_problem; }
  /// Of the button that repeats what failed; empty: repeating it does not help.
  QString retryText() const { return m_canRetry ? tr("Try again") : QString(); }
  // What is to be done next, whose button is the primary one: at most one of these.
  bool searchIsNext() const { return nextStep() == Step::kSearch; }
  bool retryIsNext() const { return nextStep() == Step::kRetry; }
  bool offersAreNext() const { return nextStep() == Step::kOffers; }
  bool pageIsNext() const { return nextStep() == Step::kPage; }
  bool tokenIsNext() const { return nextStep() == Step::kToken; }
  bool filesAreNext() const { return nextStep() == Step::kFiles; }
  /// On the page of the models, opening the sheet is to be done next.
  bool isNext() const;
  /// The last download that failed and that the sheet shows nowhere else; empty: there is none.
  QString failureText() const;
  /// A token is to be entered: the hub asked for one, or will.
  bool needsToken() const;
  QString token() const { return m_token; }
  void setToken(const QString& token);
  QString tokenNote() const { return m_tokenNote; }  ///< What became of the last token.
  /// The same, while no token is asked for, and so nothing else says it.
  QString keptTokenNote() const { return needsToken() ? QString() : m_tokenNote; }
  /// What was typed, if it cannot be used; else what is used.
  QString mirror() const { return m_mirrorProblem.isEmpty() ? m_mirror : m_typedMirror; }
  QString usualHub() const { return m_usualHub; }  ///< That is used without a mirror.
  QString mirrorProblem() const { return m_mirrorProblem; }
  QStringList limits() const;
  int limitIndex() const { return m_limitIndex; }
  /// What was typed, while it is examined or if it cannot be used; else what is used.
  QString folder() const;
  QString folderProblem() const { return m_folderProblem; }
  FoundModels* results() { return &m_results; }
  OfferedFiles* files() { return &m_files; }
  DownloadList* downloads() { return &m_downloads; }
  ModelOffers* offers() { return &m_offers; }

  Q_INVOKABLE void open();
  Q_INVOKABLE void openFor(const QString& text);  ///< With this text, which is not searched yet.
  Q_INVOKABLE void close();
  /// Searches for the text, or opens the model that it names.
  Q_INVOKABLE void search();
  Q_INVOKABLE void openModel(const QString& name);
  Q_INVOKABLE void retry();   ///< Repeats the search, or the opening of a model, that failed.
  Q_INVOKABLE void cancel();  ///< Withdraws it while it runs.
  Q_INVOKABLE void back();    ///< From a model to the results.
  /// Downloads a row's files, pauses or continues that, or wants to load them if they are there.
  Q_INVOKABLE void get(int row);
  bool canOpenPage() const;
  /// The head of the model has the button for its page: the card for the token has it otherwise.
  bool headHasPage() const { return canOpenPage() && !needsToken(); }
  Q_INVOKABLE void openPage() const;  ///< The model's page, in the browser.
  Q_INVOKABLE void saveToken();
  Q_INVOKABLE void setMirror(const QString& address);
  Q_INVOKABLE void setLimitIndex(int index);
  Q_INVOKABLE void setFolder(const QString& folder);
  Q_INVOKABLE void chooseFolder(const QString& title) { m_picker.pick(title); }

 signals:
  void changed();
  void optionsChanged();
  void nextChanged();  ///< isNext() or failureText().
  /// `place`: the folder that the library searches, if the model is in it; else empty.
  void downloaded(const QString& path, const QString& place);
  void loadWanted(const QString& path);

 private:
  enum class View { kStart, kResults, kFiles };
  enum class Step { kNone, kOffers, kSearch, kRetry, kPage, kToken, kFiles };

  Step nextStep() const;
  void searchFor(const QString& text);
  void onFound(const HubSearchReport& report);
  void onListed(const HubListing& listing);
  void onTokenKept(const QString& problem);
  void showProblem(const HubError& problem, bool canRetry = false);
  QString usedFolder() const;
  void onFolderExamined(FolderUse use);
  void useFolder(const QString& path);

  DataSession& m_session;
  QPointer<HubAccess> m_access;
  FoundModels m_results;
  OfferedFiles m_files;
  DownloadList m_downloads;
  ModelOffers m_offers;
  FolderPicker m_picker;
  View m_view = View::kStart;
  PendingReply m_pending;
  bool m_isOpen = false;
  bool m_hasOffersElsewhere = false;
  QString m_text;
  QString m_searched;        ///< The text of the last search, or of the model that it named.
  QString m_asked;           ///< The words that were searched for last, or the model's name.
  bool m_asksModel = false;  ///< m_asked is a name.
  bool m_canRetry = false;   ///< With m_problem.
  QString m_refused;         ///< The model that the hub refused for want of a token; else empty.
  QString m_problem;
  bool m_needsToken = false;
  bool m_hasToken = false;  ///< One was entered, for the hub that is used.
  QString m_token;          ///< As it is typed.
  QString m_tokenNote;
  QString m_usualHub;
  QString m_mirror;
  QString m_typedMirror;  ///< With m_mirrorProblem.
  QString m_mirrorProblem;
  QString m_folder;       ///< Empty: the default.
  QString m_typedFolder;  ///< While it is examined or cannot be used; else empty.
  QString m_folderProblem;
  PendingReply m_examined;  ///< Of m_typedFolder.
  int m_limitIndex = 0;
};

}  // namespace quire
